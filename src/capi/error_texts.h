#pragma once
// The texts of calls that failed: one for the run, and in steps whose fields several threads put, one for
// each thread.

#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace pileus {

class ErrorTexts {
 public:
  /// Keeps the text of a call of this thread that failed. `for_this_thread`: other threads may call
  /// meanwhile, and do not get it.
  void keep(const char* text, bool for_this_thread) noexcept;
  /// The last text that this thread gets; "" if there is none. Valid until the next keep() that replaces it,
  /// or forget_threads().
  const char* text() const noexcept;
  /// Lets go of the texts of threads, so that they do not add up.
  void forget_threads();

 private:
  mutable std::mutex mutex_;  // guards all below; a strand will not do, as the model's threads are not ours
  std::string of_run_;
  std::map<std::thread::id, std::string> of_threads_;
};

}  // namespace pileus
