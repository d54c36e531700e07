#pragma once
// Runs the commands that a configuration names: on_publish after a file is published, one at a time for each
// series, in the order of publication, and a few at once; on_checkpoint and on_epoch likewise. Nothing waits
// for them but the end of the run and checkpoints, which a run continues from: so on_publish runs at least
// once.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "exec/executor.h"
#include "files/published_file.h"
#include "hooks/processes.h"
#include "watch/waits.h"

namespace pileus {

struct HookCommand {
  std::string attribute;  ///< that names it
  std::string text;       ///< for the shell
  std::string argument;
  std::string queue;  ///< one at a time of each
  Processes::Environment environment;
  bool is_newest_alone = false;            ///< of those that wait in its queue the newest alone is run
  std::optional<PublishedFile> file = {};  ///< that has been published
  std::size_t most_waiting = 0;            ///< more than that in its queue are left out; 0: none is
};

class PublishHooks {
 public:
  /// A command did not end well, and how; on any thread.
  using Failed = std::function<void(const HookCommand&, const std::string& how)>;

  /// `writers`: its tasks may block on the disk. REQUIRES: what is passed outlives it, and no task runs when
  /// it goes.
  PublishHooks(Processes& processes, Executor& writers, Failed failed)
      : processes_(processes), writers_(writers), failed_(std::move(failed)) {}

  /// Thread-safe, as what follows.
  void start(const std::string& command, const PublishedFile& file);
  void start(HookCommand command);
  /// Runs `then` when all commands of files that were started so far have ended; in the order of the calls.
  void after_those_so_far(std::function<void()> then);
  /// To be called now and then; never waits. True if anything has changed.
  bool poll();
  bool is_idle() const;
  /// Which commands run.
  void tell_waits(Waits& waits) const;

 private:
  struct Hook {
    std::int64_t number = 0;
    HookCommand command;
    Processes::Number process = -1;  ///< -1: being started
  };
  void start_next();
  std::vector<std::int64_t> awaited() const;
  void run_due();
  void started(std::int64_t number, Processes::Number process);
  void ended(std::int64_t number, const std::string& how);

  Processes& processes_;
  Executor& writers_;
  Failed failed_;
  mutable std::mutex mutex_;  // guards what follows: the lane that polls runs no tasks
  std::int64_t last_number_ = 0;
  std::deque<Hook> waiting_;
  std::set<std::string> crowded_;  ///< queues of which some were left out
  std::vector<Hook> running_;
  std::multimap<std::int64_t, std::function<void()>> after_;  ///< by the last one that has to end
  bool is_running_due_ = false;
};

}  // namespace pileus
