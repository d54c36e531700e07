#pragma once
// Whether a trigger is on, as its conditions and the model's words say step by step.

#include <cstdint>
#include <optional>

#include "core/encoder.h"
#include "core/step.h"
#include "plan/trigger.h"

namespace pileus {

class TriggerState {
 public:
  /// REQUIRES: it outlives it.
  explicit TriggerState(const PlannedTrigger& trigger) : trigger_(&trigger) {}

  const PlannedTrigger& trigger() const { return *trigger_; }
  bool is_on() const { return is_on_; }
  /// How often it has begun.
  std::int64_t times() const { return times_; }

  /// The model has sent its word, and this step comes next. True if it begins with it.
  bool take_event(const Step& next);
  /// An event is over that has lasted until this step begins. True if it ends so.
  bool end_if_over(const Step& next);
  /// What its conditions are in a step; none: not known in it. True if it begins or ends so: with the step
  /// after this one.
  bool take(const Step& step, std::optional<bool> when, std::optional<bool> until);

  void encode(Encoder& out) const;
  /// Errors: TransportError where that is no state.
  void restore(Decoder& in);

 private:
  bool begin(std::int64_t step, double time_s, double tolerance_s);
  bool has_lasted(double time_s, double tolerance_s) const;

  const PlannedTrigger* trigger_;
  bool is_on_ = false;
  std::int64_t times_ = 0;
  double began_s_ = 0;  ///< the last time
  std::int64_t began_step_ = 0;
};

}  // namespace pileus
