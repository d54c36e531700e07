#pragma once
// An executor that counts what is under way, so that a server knows when nothing runs, and how long it took.
// An exception of a task, of whatever type, goes no further. It is a failure of the server.

#include <utility>

#include "exec/executor.h"
#include "report/activity.h"
#include "report/trace.h"
#include "server/failures.h"

namespace pileus {

class CountedExecutor : public Executor {
 public:
  /// `work`: what its tasks are counted as. `activity` is shared by all executors of a server.
  /// `trace`: gets a span for each task, called `name`, on a thread called `thread`; null: nowhere.
  CountedExecutor(Executor& inner, Activity& activity, Work work, Failures& failures, Trace* trace,
                  const char* thread, const char* name)
      : inner_(inner), activity_(activity), work_(work), failures_(failures), spans_{trace, thread, name} {}

  void submit(Task task) override {
    auto counted = [task = std::move(task), &activity = activity_, work = work_, &failures = failures_,
                    spans = spans_]() mutable {
      struct Running {
        Activity& activity;
        Work work;
        Spans spans;
        Activity::Clock::time_point began = Activity::Clock::now();
        Running(Activity& of, Work what, Spans to) : activity(of), work(what), spans(to) {
          activity.begin(began);
        }
        ~Running() {
          if (spans.trace != nullptr)
            spans.trace->span(spans.thread, spans.name, began, Activity::Clock::now());
          activity.end(work, began);
          activity.tasks.take_away(1);
        }
      } running(activity, work, spans);
      Task once = std::move(task);
      try {
        once();
      } catch (...) {
        failures.add_current("a task failed: ");
      }
    };
    activity_.tasks.add(1);
    try {
      inner_.submit(std::move(counted));
    } catch (...) {
      activity_.tasks.take_away(1);  // it will not run, and nobody is to wait for it
      throw;
    }
  }
  /// The tasks of all executors that share the activity.
  bool is_idle() const override { return activity_.tasks.held() == 0; }

 private:
  Executor& inner_;
  Activity& activity_;
  Work work_;
  Failures& failures_;
  struct Spans {
    Trace* trace;
    const char *thread, *name;
  } spans_;
};

}  // namespace pileus
