#pragma once
// Signals by which a job is told that it is about to end. Nobody catches any before a configuration names it.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pileus {

/// "HUP", "INT", "TERM", "USR1", "USR2", "XCPU": those that may be caught.
const std::vector<std::string>& signal_words();
/// Of such a word.
std::optional<int> signal_number(std::string_view word);

/// Catches signals as long as it lives, and calls what was there before: the process goes on where the
/// default would end it. Several may watch the same signal; the last to go leaves all as it was before the
/// first, unless somebody else has taken the signal since.
class SignalWatch {
 public:
  /// REQUIRES: words of signal_words(). Errors: UsageError if the system refuses.
  explicit SignalWatch(std::span<const std::string> words);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// How many have come since it was made. Never waits, for any thread.
  std::int64_t count() const;

 private:
  void release() noexcept;
  std::vector<int> numbers_;
  std::int64_t before_ = 0;
};

}  // namespace pileus
