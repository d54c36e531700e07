#pragma once
// Quotes the user's own words in findings: on one line, and not at length.

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "core/suggest.h"

namespace pileus {

/// Messages cut longer texts. In bytes.
inline constexpr std::size_t kLongestQuote = 80;

/// `text` on one line, cut where it is long.
inline std::string shortened(std::string_view text) {
  std::string out(text.substr(0, kLongestQuote));
  if (text.size() > kLongestQuote) {
    // Do not cut in the middle of a UTF-8 character.
    while (!out.empty() && (static_cast<unsigned char>(text[out.size()]) & 0xC0) == 0x80) out.pop_back();
    out += "...";
  }
  std::replace_if(
      out.begin(), out.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, ' ');
  return out;
}

inline std::string in_quotes(std::string_view text) { return "\"" + shortened(text) + "\""; }

/// "a, b or c".
inline std::string listed(std::span<const std::string> words, std::string_view last_separator = " or ") {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? last_separator : ", ";
    out += words[i];
  }
  return out;
}

/// The same for a list that may be long: the first twenty, and how many more there are.
inline std::string some_listed(std::span<const std::string> words) {
  constexpr std::size_t kMost = 20;
  if (words.size() <= kMost + 1) return listed(words, " and ");
  return listed(words.first(kMost), ", ") + " and " + std::to_string(words.size() - kMost) + " others";
}

/// "; did you mean "x"?", or "". A long word never counts as a typing error for a short one.
inline std::string suggestion(std::string_view word, std::span<const std::string> candidates) {
  return word.size() > kLongestQuote ? "" : did_you_mean(word, candidates);
}

/// "; did you mean "x"?", or the list of known words.
inline std::string suggestion_or_known(std::string_view word, std::span<const std::string> candidates) {
  const std::string suggested = suggestion(word, candidates);
  if (!suggested.empty()) return suggested;
  return candidates.empty() ? "; none is known" : "; known are " + some_listed(candidates);
}

}  // namespace pileus
