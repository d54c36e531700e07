#pragma once
// Failures are exceptions of a task or of the lane of one server that nobody there could answer for. The
// server cannot go on, and its lane ends the run in order. The first reason counts, and is said when the run
// is stopped for it.

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "core/error_list.h"
#include "core/error_text.h"

namespace pileus {

/// Held back from the start for the end of a run that lacks memory: its letters, its report, files that
/// close. It is never written, so that what it takes is address space.
inline constexpr std::size_t kHeldBackBytes = std::size_t{4} << 20;

class Failures {
 public:
  explicit Failures(ErrorList& errors)
      : errors_(errors), held_back_(std::make_unique_for_overwrite<std::byte[]>(kHeldBackBytes)) {}

  /// The exception under way, with `before` in front of its text, and the memory that was held back is free.
  /// From any thread. Without memory for the text the fact alone remains. REQUIRES: called in a catch block.
  void add_current(std::string_view before = "") noexcept {
    give_memory_back();
    try {
      add(std::string(before) + text_of_current_exception());
    } catch (...) {
      is_any_ = true;
    }
  }
  bool is_any() const { return is_any_; }
  std::string first() const {
    const std::lock_guard lock(mutex_);
    return first_.empty() ? "not enough memory" : first_;
  }

 private:
  void give_memory_back() noexcept {
    const std::lock_guard lock(mutex_);
    held_back_.reset();
  }
  void add(const std::string& what) noexcept {
    try {
      if (!is_first(what)) errors_.add(what);
    } catch (...) {  // no memory: is_any_ has to do
    }
    is_any_ = true;
  }

  bool is_first(const std::string& what) {
    const std::lock_guard lock(mutex_);
    if (first_.empty()) first_ = what;
    return first_ == what;
  }

  ErrorList& errors_;
  mutable std::mutex mutex_;  // guards what follows, which tasks of all strands may set
  std::string first_;
  std::unique_ptr<std::byte[]> held_back_;
  std::atomic<bool> is_any_ = false;
};

}  // namespace pileus
