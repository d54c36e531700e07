#pragma once
// An executor that counts what is under way, so that a server knows when nothing runs. It tells of what a
// task throws.

#include <atomic>
#include <cstdint>
#include <exception>
#include <string>
#include <utility>

#include "exec/executor.h"
#include "server/error_list.h"

namespace pileus {

/// Tasks that are submitted and have not ended, over all executors that share it.
using TaskCount = std::atomic<std::int64_t>;

class CountedExecutor : public Executor {
 public:
  CountedExecutor(Executor& inner, TaskCount& count, ErrorList& errors)
      : inner_(inner), count_(count), errors_(errors) {}

  void submit(Task task) override {
    count_.fetch_add(1, std::memory_order_relaxed);
    inner_.submit([task = std::move(task), &count = count_, &errors = errors_]() mutable {
      struct Ended {
        TaskCount& count;
        // What the task did is seen by whoever sees the count fall.
        ~Ended() { count.fetch_sub(1, std::memory_order_release); }
      } ended{count};
      Task once = std::move(task);
      try {
        once();
      } catch (const std::exception& error) {
        errors.add(std::string("a task failed: ") + error.what());
      }
    });
  }
  bool is_idle() const override { return count_.load(std::memory_order_acquire) == 0; }

 private:
  Executor& inner_;
  TaskCount& count_;
  ErrorList& errors_;
};

}  // namespace pileus
