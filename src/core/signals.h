#pragma once
// Signals that tell a job that it is about to end. None is caught before a configuration names it.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pileus {

/// The signals that may be caught: "HUP", "INT", "TERM", "USR1", "USR2", "XCPU".
const std::vector<std::string>& signal_words();
/// The number of the signal that such a word names.
std::optional<int> signal_number(std::string_view word);

/// Catches signals as long as it lives, and then calls the handlers that were there before; the process goes
/// on where the default action would end it. Several watches may share a signal. The last one to go restores
/// the handler of before the first, unless somebody else has taken the signal since.
class SignalWatch {
 public:
  /// REQUIRES: words of signal_words(). Errors: UsageError if the system refuses.
  explicit SignalWatch(std::span<const std::string> words);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// How many signals have come since it was made. It never waits, whichever thread calls it.
  std::int64_t count() const;

 private:
  void release() noexcept;
  std::vector<int> numbers_;
  std::int64_t before_ = 0;
};

}  // namespace pileus
