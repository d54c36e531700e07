#pragma once
// What a run does when a trigger begins or ends, the model sends a word, or somebody asks for something:
// events, commands, and checkpoints that the model is asked for.

#include "hooks/publish_hooks.h"
#include "server/letters.h"
#include "server/news.h"
#include "steering/steering.h"

namespace pileus {

class SteeringDeeds : public SteeringHost {
 public:
  /// `component`: "" where the run is of one model. REQUIRES: what is passed outlives it.
  SteeringDeeds(std::string component, const News& news, PublishHooks& hooks, Letters& letters)
      : component_(std::move(component)), news_(news), hooks_(hooks), letters_(letters) {}

  void triggered(const PlannedTrigger& trigger, bool begins, const Step& step) override;
  void happened(const std::string& word, const Step& step) override;
  void controlled(const ControlRequest& request, const std::string& problem, const Step& step) override;

 private:
  void start_command(const PlannedTrigger& trigger, const Step& step);

  const std::string component_;
  const News& news_;
  PublishHooks& hooks_;
  Letters& letters_;
};

}  // namespace pileus
