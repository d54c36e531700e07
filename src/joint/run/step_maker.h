#pragma once
// Makes the steps of a component of files: an attached server with a client that registers what the files
// have, and hands over their records step by step.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "attached/attached_host.h"
#include "client/client.h"
#include "joint/common_times.h"
#include "joint/run/joint_run.h"
#include "joint/run/record_group.h"
#include "state/checkpoint_folders.h"

namespace pileus {

class StepMaker {
 public:
  /// Which steps there are, and which of them are made.
  struct Steps {
    std::vector<CommonTime> times;
    std::optional<Step> after;       ///< the run goes on after it
    std::size_t first = 0, end = 0;  ///< of `times`
    bool is_final = false;           ///< the last of `times` is the last of all
    bool is_kept(std::size_t step) const { return step + (is_final ? 2 : 1) == end; }
    std::int64_t index_of(std::size_t step) const {
      return (after ? after->index : 0) + 1 + static_cast<std::int64_t>(step - first);
    }
  };

  /// REQUIRES: what is passed outlives it.
  StepMaker(const JointSettings& settings, const Steps& steps, std::vector<RecordGroup>& groups);

  /// Returns when the server has accepted the run. `run`: its id. Errors: ConfigError, UsageError.
  void begin(const std::string& run, const std::map<std::string, std::string>& options,
             const FileClock& clock);
  /// Makes one step. What is kept is on the disk afterwards, and what was complete before it is published: it
  /// is not under way in the state. Errors: OutputError if anything went wrong so far.
  void make(std::size_t step);
  /// All steps have been made, and nothing more comes. Errors: OutputError if anything went wrong.
  void finish();
  /// Breaks the run off, as if the process were killed: memory and threads stay until that ends.
  void leave();

 private:
  Step step(std::size_t number) const;
  void settle();
  void hand_over(std::size_t number);

  const JointSettings& settings_;
  const Steps& steps_;
  std::vector<RecordGroup>& groups_;
  std::unique_ptr<AttachedHost> host_;
  std::unique_ptr<Client> client_;
};

}  // namespace pileus
