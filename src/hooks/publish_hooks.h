#pragma once
// Runs what on_publish names, after a file is published: one command at a time for each series, in the order
// of publication, and a few at once. Nothing waits for them but the end of the run and checkpoints, which a
// run continues from: so a command runs at least once.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "exec/executor.h"
#include "files/published_file.h"
#include "hooks/processes.h"
#include "watch/waits.h"

namespace pileus {

class PublishHooks {
 public:
  /// A command did not end well, and how; on any thread.
  using Failed = std::function<void(const PublishedFile&, const std::string& how)>;

  /// `writers`: its tasks may block on the disk. REQUIRES: what is passed outlives it, and no task runs when
  /// it goes.
  PublishHooks(Processes& processes, Executor& writers, Failed failed)
      : processes_(processes), writers_(writers), failed_(std::move(failed)) {}

  /// Thread-safe, as what follows.
  void start(const std::string& command, const PublishedFile& file);
  /// Runs `then` when all that were started so far have ended.
  void after_those_so_far(std::function<void()> then);
  /// To be called now and then; never waits. True if anything has changed.
  bool poll();
  bool is_idle() const;
  /// Which commands run.
  void tell_waits(Waits& waits) const;

 private:
  struct Hook {
    std::int64_t number = 0;
    std::string command;
    PublishedFile file;
    Processes::Number process = -1;  ///< -1: being started
  };
  void start_next();
  void started(std::int64_t number, Processes::Number process);
  void ended(std::int64_t number, const std::string& how);

  Processes& processes_;
  Executor& writers_;
  Failed failed_;
  mutable std::mutex mutex_;  // guards what follows: the lane that polls runs no tasks
  std::int64_t last_number_ = 0;
  std::deque<Hook> waiting_;
  std::vector<Hook> running_;
  std::multimap<std::int64_t, std::function<void()>> after_;  ///< by the last one that has to end
};

}  // namespace pileus
