#include "plan/step_limits.h"

#include <cmath>

#include "core/error.h"
#include "plan/frequency_code.h"
#include "plan/plan.h"

namespace pileus {
namespace {

/// Beyond it doubles cannot tell a multiple and the next one apart.
constexpr double kMostMultiples = 9e15;

std::string number(double value) { return text(Frequency(value)); }

/// The names on one axis of a file: all of them, or the first two if there are many.
std::string names_on(const Plan& plan, const PlannedFile& file, ScheduleId schedule) {
  std::string names;
  int count = 0;
  for (VariableId variable : file.variables) {
    if (plan[variable].schedule != schedule || ++count > 2) continue;
    names += (names.empty() ? "" : " and ") + plan[variable].name;
  }
  return count > 2 ? names + " and " + std::to_string(count - 2) + " more" : names;
}

}  // namespace

std::vector<StepLimit> step_limits(const Plan& plan) {
  std::vector<StepLimit> limits;
  for (const PlannedFile& file : plan.files) {
    const std::string of_file = "\"" + file.name + "\" (" + file.where.text() + ")";
    for (ScheduleId id : file.schedules) {
      const Schedule& schedule = plan[id];
      if (!schedule.output_frequency.is_given()) continue;
      const bool may_end_many = schedule.manipulation.covers_window() && !schedule.is_from_last;
      const std::int64_t of_each = may_end_many ? std::max<std::int64_t>(schedule.diurnal.bins, 1) : 0;
      const Manipulation first =
          schedule.stages.empty() ? schedule.manipulation : schedule.stages.front().manipulation;
      limits.push_back({schedule.first_period(), of_each, schedule.need(),
                        names_on(plan, file, id) + " of " + of_file + ", " + std::string(first->name) +
                            " each " + text(schedule.first_period())});
    }
    if (file.write_frequency.is_given())
      limits.push_back(
          {file.write_frequency, 0, {}, of_file + ", a file every " + text(file.write_frequency)});
  }
  if (plan.checkpoints.frequency.is_given())
    limits.push_back(
        {plan.checkpoints.frequency, 0, {}, "the checkpoints, one each " + text(plan.checkpoints.frequency)});
  return limits;
}

StepLimits::StepLimits(std::vector<StepLimit> limits, double start_time_s)
    : limits_(std::move(limits)), last_s_(limits_.size(), start_time_s) {}

std::string StepLimits::problem(const Step& step) const {
  for (std::size_t i = 0; i < limits_.size(); ++i) {
    const StepLimit& limit = limits_[i];
    const double period_s = Boundaries(limit.frequency).period();
    const double farthest_s = std::abs(step.time) + step.length;
    if (farthest_s > kMostMultiples * period_s)
      return "is " + number(farthest_s) +
             " from the model's time 0, more multiples of a frequency than can be " +
             "counted: " + limit.what;
    const double covered_s = step.time - last_s_[i];
    if (limit.ends_records == 0 || !limit.sampling.is_sampled(step)) continue;
    if (covered_s * static_cast<double>(limit.ends_records) >=
        static_cast<double>(kMostRecordsOfAStep) * period_s)
      return "covers " + number(covered_s) + " and would end " + std::to_string(kMostRecordsOfAStep) +
             " records or more: " + limit.what;
  }
  return "";
}

void StepLimits::advance(const Step& step) {
  for (std::size_t i = 0; i < limits_.size(); ++i) {
    if (limits_[i].sampling.is_sampled(step)) last_s_[i] = step.time;
  }
}

void encode(const std::vector<StepLimit>& limits, Encoder& out) {
  out.put(static_cast<std::uint64_t>(limits.size()));
  for (const StepLimit& limit : limits) {
    encode_frequency(out, limit.frequency);
    out.put(limit.ends_records);
    encode_cadence(out, limit.sampling.cadence);
    out.put(limit.sampling.at_end);
    out.put(limit.sampling.at_checkpoints);
    out.put(limit.what);
  }
}

std::vector<StepLimit> decode_step_limits(Decoder& in) {
  constexpr std::size_t kSmallestBytes = 43;
  std::vector<StepLimit> limits(in.get_length(kSmallestBytes));
  for (StepLimit& limit : limits) {
    limit.frequency = decode_frequency(in);
    if (!limit.frequency.is_given()) throw TransportError("a limit of steps has no frequency");
    limit.ends_records = in.get<std::int64_t>();
    limit.sampling.cadence = decode_cadence(in);
    limit.sampling.at_end = in.get<std::uint8_t>() != 0;
    limit.sampling.at_checkpoints = in.get<std::uint8_t>() != 0;
    limit.what = in.get_text();
  }
  return limits;
}

}  // namespace pileus
