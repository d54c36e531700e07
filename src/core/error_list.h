#pragma once
// The errors of one server, from all of its threads; each text is kept once.

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "core/log.h"

namespace pileus {

class ErrorList {
 public:
  void add(const std::string& text) {
    const std::lock_guard lock(mutex_);
    if (std::ranges::find(texts_, text) != texts_.end()) return;
    texts_.push_back(text);
    log::error(text);
  }
  /// Adds a warning, which is not counted as an error.
  void warn(const std::string& text) {
    const std::lock_guard lock(mutex_);
    if (std::ranges::find(texts_, text) != texts_.end()) return;
    texts_.push_back(text);
    log::warning(text);
  }
  std::vector<std::string> all() const {
    const std::lock_guard lock(mutex_);
    return texts_;
  }

 private:
  mutable std::mutex mutex_;  // guards texts_, which strands of all kinds and the server's lane add to
  std::vector<std::string> texts_;
};

}  // namespace pileus
