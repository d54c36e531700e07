#pragma once
// What executors share: running one task so that nothing it throws goes further than the hook for errors.

#include <exception>
#include <functional>

#include "exec/executor.h"

namespace pileus {

/// Is told what a task threw. Called on the thread that ran the task; must not throw.
using OnError = std::function<void(std::exception_ptr)>;

/// Runs `task` and destroys it. What it throws goes to `on_error`, or into the log where there is no hook.
void run_task(Task task, const OnError& on_error) noexcept;

}  // namespace pileus
