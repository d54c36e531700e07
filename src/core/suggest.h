#pragma once
// "did you mean": the nearest known word to a word that is not known.

#include <span>
#include <string>
#include <string_view>

namespace pileus {

/// The candidate within a few edits of `word`, or "" where none is near enough. Ties: the first in
/// alphabetical order.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

/// "; did you mean "x"?" or "".
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);
/// The same for a word that was found in another way.
std::string did_you_mean(std::string_view meant);
/// The word that `message` suggests in these words; "" where it suggests none.
std::string suggested_in(std::string_view message);

}  // namespace pileus
