#pragma once
// An executor that counts what is under way, so that a server knows when nothing runs, and how long it took.
// It tells of what a task throws.

#include <exception>
#include <string>
#include <utility>

#include "exec/executor.h"
#include "server/activity.h"
#include "server/error_list.h"

namespace pileus {

class CountedExecutor : public Executor {
 public:
  /// `work`: what its tasks are counted as. `activity` is shared by all executors of a server.
  CountedExecutor(Executor& inner, Activity& activity, Work work, ErrorList& errors)
      : inner_(inner), activity_(activity), work_(work), errors_(errors) {}

  void submit(Task task) override {
    activity_.tasks.add(1);
    inner_.submit([task = std::move(task), &activity = activity_, work = work_, &errors = errors_]() mutable {
      struct Running {
        Activity& activity;
        Work work;
        Activity::Clock::time_point began = Activity::Clock::now();
        Running(Activity& of, Work what) : activity(of), work(what) { activity.begin(began); }
        ~Running() {
          activity.end(work, began);
          activity.tasks.take_away(1);
        }
      } running(activity, work);
      Task once = std::move(task);
      try {
        once();
      } catch (const std::exception& error) {
        errors.add(std::string("a task failed: ") + error.what());
      }
    });
  }
  /// Of all executors that share the activity.
  bool is_idle() const override { return activity_.tasks.held() == 0; }

 private:
  Executor& inner_;
  Activity& activity_;
  Work work_;
  ErrorList& errors_;
};

}  // namespace pileus
