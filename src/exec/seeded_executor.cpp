#include "exec/seeded_executor.h"

#include <exception>
#include <utility>

namespace pileus {

SeededExecutor::SeededExecutor(std::uint64_t seed, OnError on_error)
    : random_(seed), on_error_(std::move(on_error)) {}

void SeededExecutor::submit(Task task) { waiting_.push_back(std::move(task)); }

bool SeededExecutor::run_one() {
  if (waiting_.empty()) return false;
  std::swap(waiting_[random_.below(waiting_.size())], waiting_.back());
  Task task = std::move(waiting_.back());
  waiting_.pop_back();

  std::exception_ptr thrown;
  ++running_;
  if (on_error_) {
    run_task(std::move(task), on_error_);
  } else {
    run_task(std::move(task), [&thrown](std::exception_ptr error) { thrown = std::move(error); });
  }
  --running_;
  if (thrown) std::rethrow_exception(thrown);
  return true;
}

void SeededExecutor::run_until_idle() {
  while (run_one()) {
  }
}

}  // namespace pileus
