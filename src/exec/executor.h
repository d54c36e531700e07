#pragma once
// Where tasks run. A task runs to its end and never waits (architecture D5): no sleep, no MPI, no file
// library on a worker; what has to wait is kept as data, and the message or task that it waits for posts the
// next task.

#include "exec/task.h"

namespace pileus {

class Executor {
 public:
  virtual ~Executor() = default;
  /// Thread-safe. Tasks may run at once, in any order and at the same time, unless the implementation says
  /// more.
  virtual void submit(Task task) = 0;
  /// True when no task runs and none is waiting. A snapshot: only the one who submits can rely on it.
  virtual bool is_idle() const = 0;
};

}  // namespace pileus
