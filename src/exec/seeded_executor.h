#pragma once
// The executor of tests and simulations: one thread, and the next task is picked at random by a seed, so that
// a thousand seeds are a thousand orders and each of them can be had again.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "exec/executor.h"
#include "exec/run_task.h"
#include "exec/seeded_random.h"

namespace pileus {

/// All calls come from one thread, also those of submit(). Tasks may submit.
class SeededExecutor : public Executor {
 public:
  /// Without `on_error`, run_one() and run_until_idle() throw what the task threw.
  explicit SeededExecutor(std::uint64_t seed, OnError on_error = {});

  void submit(Task task) override;
  bool is_idle() const override { return waiting_.empty() && running_ == 0; }
  std::size_t waiting() const { return waiting_.size(); }

  /// Runs one of the waiting tasks; false when there was none.
  bool run_one();
  void run_until_idle();
  /// Lets go of the tasks that wait.
  void drop_all() { std::vector<Task>().swap(waiting_); }

 private:
  SeededRandom random_;
  OnError on_error_;
  std::vector<Task> waiting_;
  int running_ = 0;  // more than one when a task runs others itself
};

}  // namespace pileus
