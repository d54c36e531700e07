#pragma once
// Replaces {key} in attribute values by the option of that name.

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace pileus {

using Options = std::map<std::string, std::string>;

struct SubstitutionProblem {
  std::size_t at = 0;  ///< offset of the "{" in the value, in bytes
  std::string what;
  std::string missing_key = {};  ///< the key, if the problem is just that no option has it
};

struct Substituted {
  std::string text;
  bool is_changed = false;  ///< offsets in `text` are not those in the value
  bool is_open = false;     ///< `text` still holds something that could not be replaced, as it was written
  std::vector<SubstitutionProblem> problems;
  std::vector<std::string> keys;  ///< the options that the value uses
};

/// Replaces each {key} of `value` once: braces in an option's value are just text. {key:default} gives the
/// default if no option has the key. Blanks around keys and defaults do not count. A key that no option has
/// stays as written, and is a problem unless `allow_missing`.
/// The `kept` keys have a meaning of their own in this value, and stay as written whatever the options are.
/// `is_expression`: what is inserted counts as one operand, so it gets parentheses if it has operators or a
/// sign. Braces in it are a problem, and so is an operand beside it without an operator between them.
Substituted substitute(std::string_view value, const Options& options, bool allow_missing,
                       std::span<const std::string> kept = {}, bool is_expression = false);

/// "; did you mean ...": the key that the unknown `key` was probably meant to be, or "".
std::string key_suggestion(std::string_view key, std::span<const std::string> known);

/// True for operators of expressions that are words: and, not, gt, ...
bool is_word_operator(std::string_view word);

/// The keys {time}, {date}, {index} and {step}, which stand for the write period in the name of a file.
const std::vector<std::string>& period_keys();

/// Notes all options that the configuration uses, if some of them are missing. `used`: by key, whether it is.
void note_missing_options(const std::string& file_name, const std::map<std::string, bool>& used,
                          Findings& findings);

}  // namespace pileus
