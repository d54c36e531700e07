#include "exec/run_task.h"

#include <string>
#include <utility>

#include "core/log.h"

namespace pileus {
namespace {

void log_failure(std::exception_ptr error) {
  try {
    std::rethrow_exception(std::move(error));
  } catch (const std::exception& e) {
    log::error(std::string("a task failed: ") + e.what());
  } catch (...) {
    log::error("a task failed with an unknown exception");
  }
}

}  // namespace

void run_task(Task task, const OnError& on_error) noexcept {
  std::exception_ptr error;
  try {
    task();
  } catch (...) {
    error = std::current_exception();
  }
  task = Task();  // what it captured is gone before anybody hears that it has ended
  if (!error) return;
  try {
    if (on_error) {
      on_error(std::move(error));
    } else {
      log_failure(std::move(error));
    }
  } catch (...) {
    try {
      log_failure(std::current_exception());
    } catch (...) {
      return;  // no memory for a line of the log
    }
  }
}

}  // namespace pileus
