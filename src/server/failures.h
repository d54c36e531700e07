#pragma once
// What a task or the lane of one server threw that nobody there could answer for: the server cannot go on,
// and its lane ends the run in order. The first reason counts, and is said when the run is stopped for it.

#include <atomic>
#include <mutex>
#include <string>

#include "server/error_list.h"

namespace pileus {

class Failures {
 public:
  explicit Failures(ErrorList& errors) : errors_(errors) {}

  /// From any thread. Without memory for the text the fact alone is kept.
  void add(const std::string& what) noexcept {
    try {
      if (!is_first(what)) errors_.add(what);
    } catch (...) {  // no memory: is_any_ has to do
    }
    is_any_ = true;
  }
  bool is_any() const { return is_any_; }
  std::string first() const {
    const std::lock_guard lock(mutex_);
    return first_.empty() ? "not enough memory" : first_;
  }

 private:
  bool is_first(const std::string& what) {
    const std::lock_guard lock(mutex_);
    if (first_.empty()) first_ = what;
    return first_ == what;
  }

  ErrorList& errors_;
  mutable std::mutex mutex_;  // guards first_, which tasks of all strands may set
  std::string first_;
  std::atomic<bool> is_any_ = false;
};

}  // namespace pileus
