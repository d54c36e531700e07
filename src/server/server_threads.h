#pragma once
// The threads of a server in production: workers, the file library's lane, writers.

#include <memory>

#include "exec/thread_pool.h"
#include "server/server.h"

namespace pileus {

class ServerThreads {
 public:
  /// `default_workers`: where the configuration has no thread_pool.
  explicit ServerThreads(std::size_t default_workers);

  /// Starts the threads. To be called once. Errors: PluginError if this build is not exact on this
  /// processor.
  ServerExecutors start(std::optional<std::int64_t> threads);

 private:
  std::size_t default_workers_;
  std::unique_ptr<ThreadPool> workers_, library_, writers_, spill_;
};

}  // namespace pileus
