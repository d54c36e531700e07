#pragma once
// Hints for the parser's errors: what users of other languages may have meant where an expression does not go
// on.

#include <cstddef>
#include <string>
#include <string_view>

namespace pileus::planning {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
inline bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

inline constexpr const char* kReductionForm =
    "; dimensions stand in brackets, weights behind \"weight=\", and a condition behind \"|\": "
    "\"mean[y,x](w, weight=area | w > 0)\"";

/// A hint, behind "; ", how to write here what stands at `at` and belongs to another language; "" if that is
/// not known. `may_compare`: comparisons may stand there.
std::string hint_at(std::string_view text, std::size_t at, bool may_compare);

/// Whether the "=" at `at` stands behind a keyword such as "axis" or "mask" among the arguments of a
/// function.
bool is_keyword_before(std::string_view text, std::size_t at);

/// Whether `rest` begins with the word and a single "=": "weight = area".
bool is_named_argument(std::string_view rest, std::string_view word);

/// Whether the bracket at `at` begins an array index: a number, ":" or "z=".
bool is_index(std::string_view text, std::size_t at);

}  // namespace pileus::planning
