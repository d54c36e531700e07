#pragma once
// Server 0 decides here, step by step, which files get records: triggers that are on, and what people ask for
// while the run goes. A step is let through once all conditions of the steps before it are known, and the
// clock brings the decision to all servers, so that nothing depends on who is ahead (docs/decisions/086).

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "checkpoint/state_sink.h"
#include "dropped/dropped_axes.h"
#include "core/step.h"
#include "messaging/trigger_frame.h"
#include "plan/plan.h"
#include "state/state_entries.h"
#include "steering/control.h"
#include "steering/trigger_state.h"
#include "time/schedule_cursors.h"

namespace pileus {

/// What the run does when something happens. All are called on the lane of server 0.
class SteeringHost {
 public:
  /// A trigger begins or ends: upon what was in this step, with the one after it; of an event with this step.
  virtual void triggered(const PlannedTrigger& trigger, bool begins, const Step& step) = 0;
  /// A word of the model, about this step.
  virtual void happened(const std::string& word, const Step& step) = 0;
  /// What somebody asked for counts from this step on; `problem`: why it does not, "" if it does.
  virtual void controlled(const ControlRequest& request, const std::string& problem, const Step& step) = 0;

  virtual ~SteeringHost() = default;
};

class Steering {
 public:
  /// `continued`: what a checkpoint has; null at the start of a run. REQUIRES: what is passed outlives it.
  /// Errors: TransportError if what was kept is damaged.
  Steering(const Plan& plan, SteeringHost& host, StateSink& kept, const StateEntries* continued);

  /// Whether the conditions of the steps so far are known.
  bool is_ready() const { return expected_.empty() || is_open_; }
  /// What is waited for, for people; "" if nothing is.
  std::string wait_text() const;
  /// The run is stopped: nothing more is waited for.
  void open_for_good() { is_open_ = true; }

  /// Counts from the next step on. More than can be meant are left out.
  void ask(ControlRequest request);
  /// So much of the requests' file was there before a run that begins.
  void skip_requests(std::uint64_t through) { control_.skip(through); }
  /// The axes that get no record of the step that comes next; the same where it is asked again. `events`: the
  /// model's words about it. REQUIRES: is_ready.
  const DroppedAxes& advance(const Step& step, const std::vector<std::string>& events);
  /// The same step: `actions` say which conditions come of it.
  void expect(const Step& step, const ScheduleActions& actions);
  /// Errors: TransportError for what is not expected.
  void take(const TriggerFrame& frame);

  /// How much of the requests' file is done with.
  std::uint64_t requests_through() const { return control_.through(); }

 private:
  struct Condition {
    VariableId variable;
    std::int64_t period = 0, record = 0;
    friend auto operator<=>(const Condition&, const Condition&) = default;
  };
  void take_events(const Step& step, const std::vector<std::string>& events);
  void take_requests(const Step& step);
  std::optional<bool> known(VariableId variable) const;
  void end_step();
  void keep();
  void restore(const StateEntries& continued);

  const Plan& plan_;
  SteeringHost& host_;
  StateSink& kept_;
  std::vector<TriggerState> triggers_;
  Control control_;
  std::deque<ControlRequest> asked_;
  Step step_;                           ///< that was let through last
  std::map<Condition, bool> expected_;  ///< of it, which are not known
  std::map<VariableId, bool> known_;    ///< of it
  std::set<VariableId> gone_;           ///< conditions of which nothing more comes: they do not hold
  DroppedAxes dropped_;
  bool is_decided_ = false;  ///< it is known what gets no record of it
  bool is_passed_ = false;   ///< it is under way
  bool is_ended_ = true;     ///< it is: its conditions have counted
  bool is_open_ = false;
};

}  // namespace pileus
