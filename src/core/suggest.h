#pragma once
// "did you mean": the nearest known word to a word that is not known.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace pileus {

/// The candidate within a few edits of `word`, or "" where none is near enough. Ties: the first in
/// alphabetical order.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

/// The same for candidates that come one by one.
class NearestWord {
 public:
  /// REQUIRES: `word` outlives it.
  explicit NearestWord(std::string_view word);

  void offer(std::string_view candidate);
  /// What was offered and is nearest, or "".
  const std::string& found() const { return found_; }
  /// What it took so far, in steps of some nanoseconds.
  std::size_t steps() const { return steps_; }

 private:
  std::size_t edits_to(std::string_view candidate);

  std::string_view word_;
  std::size_t best_;
  std::size_t steps_ = 0;
  std::string found_;
  std::array<std::uint64_t, 256> places_{};  ///< bits of each character's places in a word of up to 64
};

/// "; did you mean "x"?" or "".
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);
/// The same for a word that was found in another way.
std::string did_you_mean(std::string_view meant);
/// The word that `message` suggests in these words; "" where it suggests none.
std::string suggested_in(std::string_view message);

}  // namespace pileus
