#include "server/server_threads.h"

#include <algorithm>

#include "core/log.h"
#include "core/usable_cores.h"
#include "math/exactness.h"
#include "math/fp_environment.h"

namespace pileus {
namespace {

/// Threads that may wait for the disk: enough that one slow file does not hold up another.
constexpr std::size_t kWriterThreads = 2;

/// Modes that the model has set for its threads are inherited; a worker sets its own for good.
void set_floating_point() { thread_local const FloatingPointEnvironment environment; }

}  // namespace

ServerThreads::ServerThreads(std::size_t default_workers) : default_workers_(default_workers) {}

ServerExecutors ServerThreads::start(std::optional<std::int64_t> threads) {
  require_exact();
  const auto workers = threads ? static_cast<std::size_t>(*threads) : default_workers_;
  const auto cores = static_cast<std::size_t>(usable_cores().count);
  if (workers > 4 * cores) {
    log::info("thread_pool asks for " + std::to_string(workers) + " workers; there are " +
              std::to_string(cores) + " cores, and more workers than cores do not help");
  }
  workers_ = std::make_unique<ThreadPool>(std::min(workers, 4 * cores), set_floating_point);
  library_ = std::make_unique<ThreadPool>(1, set_floating_point);
  writers_ = std::make_unique<ThreadPool>(kWriterThreads, set_floating_point);
  spill_ = std::make_unique<ThreadPool>(1, set_floating_point);
  return {*workers_, *library_, *writers_, *spill_, static_cast<std::int64_t>(workers_->threads())};
}

}  // namespace pileus
