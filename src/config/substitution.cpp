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
  static const std::vector<std::string> keys = {"time", "date", "index"};
  return keys;
}

Substituted substitute(std::string_view value, const Options& options, bool allow_missing,
                       std::span<const std::string> kept, bool is_expression) {
  Substituted out;
  const auto may_say_more = [&] { return out.problems.size() < kMostProblems; };
  auto keep_open = [&](std::size_t at, std::string_view written, std::string what) {
    out.is_open = true;
    out.text += written;
    if (!what.empty() && may_say_more()) out.problems.push_back({at, std::move(what)});
  };

  const std::size_t last_close = value.rfind('}');
  std::size_t at = 0;
  std::size_t token_end = 0;  ///< end of the last token in which an option cannot stand
  while (at < value.size()) {
    const std::size_t open = std::min(value.find('{', at), value.size());
    out.text += value.substr(at, open - at);
    if (open == value.size()) break;
    const std::size_t close = value.find_first_of("{}", open + 1);
    if (close == value.npos || value[close] == '{') {
      const bool is_nested = close != value.npos && last_close != value.npos && last_close > close &&
                             value.substr(open, close - open).find(':') != value.npos;
      keep_open(open, "{",
                is_nested ? "a key in the default of another: keys do not nest; write a value there"
                          : "\"{\" without \"}\"; write {key} to insert the option of that name");
      at = open + 1;
      continue;
    }
    at = close + 1;
    const std::string_view inner = value.substr(open + 1, close - open - 1);
    const std::size_t colon = std::min(inner.find(':'), inner.size());
    const std::string key(trimmed(inner.substr(0, colon)));
    const bool has_default = colon < inner.size();
    const std::string_view written = value.substr(open, at - open);
    if (key.empty()) {
      keep_open(open, written, "{} names no option; write {key}");
      continue;
    }
    if (std::ranges::find(kept, key) != kept.end()) {
      out.text += "{" + key + "}";
      continue;
    }
    out.keys.push_back(key);
    if (is_expression && open < token_end) {  // the token was reported for another key
      keep_open(open, written, "");
      continue;
    }
    const std::string_view token = is_expression ? token_around(value, open, at) : written;
    const std::size_t begin = static_cast<std::size_t>(token.data() - value.data());
    const bool is_alone =
        (begin == open || is_word_operator(value.substr(begin, open - begin))) &&
        (begin + token.size() == at || is_word_operator(value.substr(at, begin + token.size() - at)));
    if (!is_alone) {
      token_end = begin + token.size();
      keep_open(open, written,
                "an option is one operand here, and in " + in_quotes(token) +
                    " it would become a part of another: write an operator between them");
      continue;
    }
    const auto option = options.find(key);
    if (option == options.end() && !has_default) {
      const bool is_said = !allow_missing && may_say_more();
      keep_open(open, written, is_said ? missing(key, options, kept) : "");
      if (is_said) out.problems.back().missing_key = key;
      continue;
    }
    const std::string inserted(option == options.end() ? trimmed(inner.substr(colon + 1))
                                                       : std::string_view(option->second));
    if (is_expression && inserted.find_first_of("{}") != inserted.npos) {
      keep_open(open, written,
                "the option " + in_quotes(key) + " is " + in_quotes(inserted) +
                    ", whose braces are not replaced once more; give its value without them");
      continue;
    }
    out.text += is_expression && !is_plain(inserted) ? "(" + inserted + ")" : inserted;
    out.is_changed = true;
  }
  return out;
}

}  // namespace pileus
