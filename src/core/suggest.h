#pragma once
// "did you mean": finds the known word that is nearest to an unknown one.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace pileus {

/// The candidate within a few edits of `word`, or "" if none is near enough. Among equally near ones it is
/// the first in alphabetical order.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

/// Finds the nearest word among candidates that come one by one.
class NearestWord {
 public:
  /// REQUIRES: `word` outlives this object.
  explicit NearestWord(std::string_view word);

  void offer(std::string_view candidate);
  /// The nearest of the words that were offered, or "".
  const std::string& found() const { return found_; }
  /// The work done so far, in steps of some nanoseconds.
  std::size_t steps() const { return steps_; }

 private:
  std::size_t edits_to(std::string_view candidate);

  std::string_view word_;
  std::size_t best_;
  std::size_t steps_ = 0;
  std::string found_;
  std::array<std::uint64_t, 256> places_{};  ///< the positions of each character in a word of up to 64, as
                                             ///< bits
};

/// "; did you mean "x"?" or "".
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);
/// The same text for a word that was found in another way.
std::string did_you_mean(std::string_view meant);
/// The word that `message` suggests in this form; "" if it suggests none.
std::string suggested_in(std::string_view message);

}  // namespace pileus
