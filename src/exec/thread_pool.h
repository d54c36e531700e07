#pragma once
// The workers of a server: a fixed number of threads that take tasks in the order of their submission. Idle
// workers sleep on a condition variable; nothing spins.

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "exec/executor.h"
#include "exec/run_task.h"

namespace pileus {

class ThreadPool : public Executor {
 public:
  /// `thread_start` runs once on each worker before its first task, for example to set the floating-point
  /// environment.
  /// Errors: UsageError if threads == 0. What tasks and thread_start throw goes to on_error, or into the log.
  explicit ThreadPool(std::size_t threads, std::function<void()> thread_start = {}, OnError on_error = {});
  /// Finishes every task, those that tasks submit meanwhile too, then joins.
  ~ThreadPool() override;

  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  void submit(Task task) override;
  bool is_idle() const override;
  std::size_t threads() const { return workers_.size(); }

 private:
  void work();
  void stop_and_join();

  const std::function<void()> thread_start_;
  const std::string speaker_;  ///< in the log: that of the thread which made the pool
  const OnError on_error_;
  mutable std::mutex mutex_;  // guards all below but workers_; it is what strands are built on
  std::condition_variable has_work_;
  std::deque<Task> waiting_;
  std::size_t running_ = 0;
  bool is_stopping_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace pileus
