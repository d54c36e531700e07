#pragma once
// Commands that <events> names: when a checkpoint is complete, when all files are complete up to a model
// time, when the run ends. Server 0 alone has them, on its lane.

#include <cstdint>
#include <limits>
#include <string>

#include "hooks/publish_hooks.h"

namespace pileus {

class EventCommands {
 public:
  struct Names {
    std::string on_epoch, on_checkpoint, on_end;  ///< "" for none
    std::string component;                        ///< "" where the run is of one model
  };
  /// REQUIRES: what is passed outlives it.
  EventCommands(Names names, PublishHooks& hooks) : names_(std::move(names)), hooks_(hooks) {}

  void checkpoint_complete(std::int64_t step, double time_s, const std::string& path);
  /// Starts nothing where it has not grown.
  void epoch(double complete_through_s);
  /// All is published. `status`: "ok" or "errors". False where no command is named.
  bool end(const std::string& directory, const std::string& status);

 private:
  void start(const std::string& attribute, const std::string& command, const std::string& argument,
             Processes::Environment environment);

  const Names names_;
  PublishHooks& hooks_;
  double epoch_s_ = -std::numeric_limits<double>::infinity();
};

}  // namespace pileus
