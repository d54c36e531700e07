#include "server/steering_deeds.h"

#include "client/frames.h"
#include "core/log.h"
#include "core/shortest.h"

namespace pileus {
namespace {

constexpr std::size_t kMostCommands = 1000;  // of a trigger, which wait to be run

std::string said(const Step& step) {
  return " at step " + std::to_string(step.done()) + " (" + shortest(step.time) + " s)";
}

}  // namespace

void SteeringDeeds::triggered(const PlannedTrigger& trigger, bool begins, const Step& step) {
  log::info("trigger " + trigger.name + (begins ? " begins" : " ends") + said(step));
  news_.triggered(trigger.name, begins, step);
  if (!begins) return;
  if (!trigger.command.empty()) start_command(trigger, step);
  if (!trigger.asks_for_checkpoint) return;
  Bytes frame;
  Encoder out(frame);
  out.put(FrameKind::checkpoint_wanted);
  letters_.send_to_client(0, frame);
}

void SteeringDeeds::start_command(const PlannedTrigger& trigger, const Step& step) {
  Processes::Environment environment = {{"PILEUS_TRIGGER", trigger.name},
                                        {"PILEUS_STEP", std::to_string(step.done())},
                                        {"PILEUS_TIME_S", shortest(step.time)}};
  if (!component_.empty()) environment.emplace_back("PILEUS_COMPONENT", component_);
  HookCommand command{"command of trigger", trigger.command, trigger.name, "<trigger " + trigger.name + ">",
                      std::move(environment)};
  command.most_waiting = kMostCommands;
  hooks_.start(std::move(command));
}

void SteeringDeeds::happened(const std::string& word, const Step& step) { news_.happened(word, step); }

void SteeringDeeds::controlled(const ControlRequest& request, const std::string& problem, const Step& step) {
  if (problem.empty()) {
    log::info("from step " + std::to_string(step.done()) + " (" + shortest(step.time) +
              " s) on, as somebody asked: " + line_of(request));
  } else {
    log::warning("somebody asked for \"" + request.text + "\": " + problem);
  }
  news_.controlled(problem.empty() ? line_of(request) : request.text, problem, step);
}

}  // namespace pileus
