#pragma once
// Runs tasks in the thread that polls, one at a time and in order. It is for a server that may have no
// threads, or no thread of its own for a file library that the model calls too.

#include <deque>
#include <mutex>
#include <utility>

#include "exec/executor.h"

namespace pileus {

class PolledExecutor : public Executor {
 public:
  void submit(Task task) override {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(task));
  }
  bool is_idle() const override {
    const std::lock_guard lock(mutex_);
    return waiting_.empty() && !is_running_;
  }

  /// Runs the next task. False if there was none, or if it is called from within a task that polls.
  bool run_one() {
    Task task;
    {
      const std::lock_guard lock(mutex_);
      if (waiting_.empty() || is_running_) return false;
      task = std::move(waiting_.front());
      waiting_.pop_front();
      is_running_ = true;
    }
    struct Running {
      PolledExecutor& executor;
      Task task;
      ~Running() {
        task = Task();
        const std::lock_guard lock(executor.mutex_);
        executor.is_running_ = false;
      }
    } running{*this, std::move(task)};
    running.task();
    return true;
  }

 private:
  mutable std::mutex mutex_;  // guards all below: workers submit, and no strand has the polling thread
  std::deque<Task> waiting_;
  bool is_running_ = false;
};

}  // namespace pileus
