#pragma once
// {key} in attribute values is replaced by the option of that name.

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pileus {

using Options = std::map<std::string, std::string>;

struct SubstitutionProblem {
  std::size_t at = 0;  ///< of the "{", in bytes from the start of the value
  std::string what;
  std::string missing_key = {};  ///< where it is only that no option has it
};

struct Substituted {
  std::string text;
  bool is_changed = false;  ///< offsets in `text` are not those in the value
  bool is_open = false;     ///< `text` still holds what could not be replaced, as it was written
  std::vector<SubstitutionProblem> problems;
  std::vector<std::string> keys;  ///< of options that are asked for
};

/// Replaces each {key} of `value`, once: braces in an option's value are just text. {key:default} gives the
/// default where no option has the key. Blanks around keys and defaults do not count. A key that no option
/// has is a problem unless `allow_missing`; both ways it stays as written.
/// The `kept` keys have a meaning of their own there and stay as written too, whatever the options are.
/// `is_expression`: what is inserted counts as one operand, in parentheses where it has operators or a sign;
/// braces in it are a problem, and so is an operand beside it without an operator between them.
Substituted substitute(std::string_view value, const Options& options, bool allow_missing,
                       std::span<const std::string> kept = {}, bool is_expression = false);

/// The key that `key`, which is none of `known`, was probably meant to be, as "; did you mean ...", or "".
std::string key_suggestion(std::string_view key, std::span<const std::string> known);

/// Operators of expressions that are written as words: and, not, gt, ...
bool is_word_operator(std::string_view word);

/// {time}, {date} and {index} in the name of a file stand for its write period.
const std::vector<std::string>& period_keys();

}  // namespace pileus
