#pragma once
// Starts `pileus join` for components that are made of what this one publishes: after each publication, and
// once more when this component has ended. Nothing waits for it but the end of the run. Another run that
// publishes for the same component starts it likewise, and the commands take turns.

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "exec/executor.h"
#include "hooks/processes.h"
#include "joint/run_note.h"
#include "watch/waits.h"

namespace pileus {

class JointStarts {
 public:
  struct Job {
    std::string configuration, directory, component;
    RunNote note;  ///< as it was when the run began
  };
  /// Why the command for a component did not end well; on any thread.
  using Failed = std::function<void(const std::string& text)>;

  /// `writers`: its tasks may block on the disk. REQUIRES: what is passed outlives it, and no task runs when
  /// it goes.
  JointStarts(Job job, Processes& processes, Executor& writers, FileSystem& files, Failed failed)
      : job_(std::move(job)),
        processes_(processes),
        writers_(writers),
        files_(files),
        failed_(std::move(failed)) {}

  /// Something was published that these components read. Those whose command runs get it once more after its
  /// end, however often they are named meanwhile. Thread-safe, as what follows.
  void start(const std::vector<std::string>& readers);
  /// Notes that this component has published everything, and then starts the command for `readers`.
  void end(const std::vector<std::string>& readers);
  /// To be called now and then; never waits. True if anything has changed.
  bool poll();
  bool is_idle() const;
  /// Which commands run.
  void tell_waits(Waits& waits) const;

 private:
  struct Command {
    Processes::Number process = -1;  ///< -1: being started
    bool is_due_again = false;
  };
  void submit(const std::string& reader);
  void ended(const std::string& reader, const std::string& how);

  Job job_;
  Processes& processes_;
  Executor& writers_;
  FileSystem& files_;
  Failed failed_;
  mutable std::mutex mutex_;  // guards what follows: the lane that polls runs no tasks
  std::map<std::string, Command> running_;
  int notes_ = 0;  ///< that are being written
};

/// Where the program `pileus` is: as PILEUS_TOOL in the environment says, otherwise near this program or
/// library; "pileus" if it is not there.
std::string path_of_tool();

}  // namespace pileus
