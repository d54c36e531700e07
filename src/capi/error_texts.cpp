#include "capi/error_texts.h"

namespace pileus {

void ErrorTexts::keep(const char* text, bool for_this_thread) noexcept {
  const std::lock_guard lock(mutex_);
  try {
    if (for_this_thread) {
      of_threads_[std::this_thread::get_id()] = text;
      return;
    }
    of_threads_.clear();
    of_run_ = text;
  } catch (...) {
    of_run_.clear();  // there is no memory for the text, so the status has to be enough
  }
}

const char* ErrorTexts::text() const noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = of_threads_.find(std::this_thread::get_id());
  return found != of_threads_.end() ? found->second.c_str() : of_run_.c_str();
}

void ErrorTexts::forget_threads() {
  const std::lock_guard lock(mutex_);
  of_threads_.clear();
}

}  // namespace pileus
