#pragma once
// Commands that <events> names: when a checkpoint is complete, when all files are complete up to a model
// time, when the run is over. Server 0 alone has them, on its lane.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "hooks/publish_hooks.h"

namespace pileus {

class EventCommands {
 public:
  struct Names {
    std::string on_epoch, on_checkpoint, on_end;  ///< "" for none
  };
  /// REQUIRES: what is passed outlives it.
  EventCommands(Names names, PublishHooks& hooks, Processes& processes)
      : names_(std::move(names)), hooks_(hooks), processes_(processes) {}

  void checkpoint_complete(std::int64_t step, double time_s, const std::string& path);
  /// Starts nothing where it has not grown.
  void epoch(double complete_through_s);
  /// The run is over, and nothing waits any more but for this command. `status`: "ok" or "errors".
  /// Errors: as those of Processes::start.
  void end(const std::string& directory, const std::string& status);
  /// Whether the last one has ended, or there is none. Never waits.
  bool has_end_ended();

 private:
  const Names names_;
  PublishHooks& hooks_;
  Processes& processes_;
  double epoch_s_ = -std::numeric_limits<double>::infinity();
  std::optional<Processes::Number> end_;
};

}  // namespace pileus
