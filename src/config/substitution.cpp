#include "config/substitution.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

#include "config/messages.h"
#include "config/values.h"

namespace pileus {
namespace {

/// The most problems that are reported of one value; a user who mends these finds the others.
constexpr std::size_t kMostProblems = 20;

std::string missing(std::string_view key, const Options& options, std::span<const std::string> kept) {
  std::vector<std::string> keys(kept.begin(), kept.end());
  for (const auto& [name, value] : options) keys.push_back(name);
  const std::string suggested = key_suggestion(key, keys);
  const std::string set = shortened(key) + "=...";
  if (suggested.empty() && !kept.empty()) {
    std::string meant;
    for (const std::string& name : kept) meant += (meant.empty() ? "{" : ", {") + name + "}";
    return "no option " + in_quotes(key) + "; here " + meant + " have a meaning of their own, --set " + set +
           " gives an option on a command line";
  }
  return "no option " + in_quotes(key) +
         (suggested.empty() ? "; the model gives it when it runs, --set " + set + " on a command line"
                            : suggested);
}

/// Whether the value stays one operand, or a list of names, wherever it is inserted.
bool is_plain(std::string_view value) {
  return std::ranges::all_of(value, [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("_.:, \t").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

/// Whether `c` beside an operand would become part of it.
bool is_of_token(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

/// The text around [open, end) up to the next blanks or operators; other {keys} belong to it.
std::string_view token_around(std::string_view value, std::size_t open, std::size_t end) {
  constexpr std::size_t kNone = std::string_view::npos;
  while (open > 0) {
    const std::size_t brace = value[open - 1] == '}' ? value.rfind('{', open - 1) : kNone;
    if (brace == kNone && !is_of_token(value[open - 1])) break;
    open = brace == kNone ? open - 1 : brace;
  }
  while (end < value.size()) {
    const std::size_t brace = value[end] == '{' ? value.find('}', end) : kNone;
    if (brace == kNone && !is_of_token(value[end])) break;
    end = brace == kNone ? end + 1 : brace + 1;
  }
  return value.substr(open, end - open);
}

/// One value, from its first brace to its last.
class Substitution {
 public:
  Substitution(std::string_view value, const Options& options, bool allow_missing,
               std::span<const std::string> kept, bool is_expression)
      : value_(value),
        options_(options),
        allow_missing_(allow_missing),
        kept_(kept),
        is_expression_(is_expression) {}

  Substituted run() {
    for (std::size_t at = 0; at < value_.size();) {
      const std::size_t open = std::min(value_.find('{', at), value_.size());
      out_.text += value_.substr(at, open - at);
      if (open == value_.size()) break;
      const std::size_t close = value_.find_first_of("{}", open + 1);
      const bool is_closed = close != value_.npos && value_[close] == '}';
      at = is_closed ? close + 1 : open + 1;
      is_closed ? insert(open, at) : keep_lone_brace(open, close);
    }
    return std::move(out_);
  }

 private:
  bool may_say_more() const { return out_.problems.size() < kMostProblems; }

  void keep_open(std::size_t at, std::string_view written, std::string what) {
    out_.is_open = true;
    out_.text += written;
    if (!what.empty() && may_say_more()) out_.problems.push_back({at, std::move(what)});
  }

  void keep_lone_brace(std::size_t open, std::size_t next) {
    const std::size_t last_close = value_.rfind('}');
    const bool is_nested = next != value_.npos && last_close != value_.npos && last_close > next &&
                           value_.substr(open, next - open).find(':') != value_.npos;
    keep_open(open, "{",
              is_nested ? "a key in the default of another: keys do not nest; write a value there"
                        : "\"{\" without \"}\"; write {key} to insert the option of that name");
  }

  /// What stands in the braces from `open` to before `end`.
  void insert(std::size_t open, std::size_t end) {
    const std::string_view written = value_.substr(open, end - open);
    const std::string_view inner = written.substr(1, written.size() - 2);
    const std::size_t colon = std::min(inner.find(':'), inner.size());
    const std::string key(trimmed(inner.substr(0, colon)));
    if (key.empty()) return keep_open(open, written, "{} names no option; write {key}");
    if (std::ranges::find(kept_, key) != kept_.end()) {
      out_.text += "{" + key + "}";
      return;
    }
    out_.keys.push_back(key);
    if (is_expression_ && !is_operand(open, end)) return;
    const auto option = options_.find(key);
    if (option != options_.end()) return insert_value(key, option->second, open, written);
    if (colon < inner.size())
      return insert_value(key, std::string(trimmed(inner.substr(colon + 1))), open, written);
    const bool is_said = !allow_missing_ && may_say_more();
    keep_open(open, written, is_said ? missing(key, options_, kept_) : "");
    if (is_said) out_.problems.back().missing_key = key;
  }

  /// Whether the option is an operand by itself; otherwise it is kept, which is said once for each token.
  bool is_operand(std::size_t open, std::size_t end) {
    const std::string_view written = value_.substr(open, end - open);
    if (open < token_end_) {
      keep_open(open, written, "");
      return false;
    }
    const std::string_view token = token_around(value_, open, end);
    const auto begin = static_cast<std::size_t>(token.data() - value_.data());
    const std::size_t token_end = begin + token.size();
    const bool is_alone = (begin == open || is_word_operator(value_.substr(begin, open - begin))) &&
                          (token_end == end || is_word_operator(value_.substr(end, token_end - end)));
    if (is_alone) return true;
    token_end_ = token_end;
    keep_open(open, written,
              "an option is one operand here, and in " + in_quotes(token) +
                  " it would become a part of another: write an operator between them");
    return false;
  }

  void insert_value(const std::string& key, const std::string& inserted, std::size_t open,
                    std::string_view written) {
    if (is_expression_ && inserted.find_first_of("{}") != inserted.npos) {
      return keep_open(open, written,
                       "the option " + in_quotes(key) + " is " + in_quotes(inserted) +
                           ", whose braces are not replaced once more; give its value without them");
    }
    out_.text += is_expression_ && !is_plain(inserted) ? "(" + inserted + ")" : inserted;
    out_.is_changed = true;
  }

  std::string_view value_;
  const Options& options_;
  bool allow_missing_;
  std::span<const std::string> kept_;
  bool is_expression_;
  Substituted out_;
  std::size_t token_end_ = 0;  ///< of a token in which an option cannot stand
};

}  // namespace

bool is_word_operator(std::string_view word) {
  constexpr std::array<std::string_view, 9> kWords = {"and", "or", "not", "le", "ge", "eq", "ne", "lt", "gt"};
  return std::ranges::find(kWords, word) != kWords.end();
}

std::string key_suggestion(std::string_view key, std::span<const std::string> known) {
  // A key as short as nx or nz has no near misses, and x_size is not y_size.
  constexpr std::size_t kShort = 3;
  if (key.size() <= kShort) return "";
  std::vector<std::string> alike;
  for (const std::string& one : known) {
    if (one.starts_with(key.front())) alike.push_back(one);
  }
  return suggestion(key, alike);
}

const std::vector<std::string>& period_keys() {
  static const std::vector<std::string> keys = {"time", "date", "index", "step"};
  return keys;
}

Substituted substitute(std::string_view value, const Options& options, bool allow_missing,
                       std::span<const std::string> kept, bool is_expression) {
  return Substitution(value, options, allow_missing, kept, is_expression).run();
}

void note_missing_options(const std::string& file_name, const std::map<std::string, bool>& used,
                          Findings& findings) {
  std::vector<std::string> keys;
  bool is_any_missing = false;
  for (const auto& [key, is_missing] : used) {
    keys.push_back(key);
    is_any_missing = is_any_missing || is_missing;
  }
  if (!is_any_missing || keys.size() < 2) return;
  findings.note({file_name}, "the options that it uses are " + some_listed(keys));
}

}  // namespace pileus
