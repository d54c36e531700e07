#include "inputs/declared/planned_inputs.h"

#include <cmath>
#include <filesystem>
#include <utility>

#include "config/messages.h"
#include "inputs/declared/file_axis.h"

namespace pileus {
namespace {

/// An axis goes to every model rank.
constexpr std::size_t kMostRecords = 1'000'000;

/// Beside the configuration, as files of grids.
std::string path_of(const Text& file) {
  return (std::filesystem::path(file.where.file).parent_path() / file.value).string();
}

class InputPlanner {
 public:
  InputPlanner(const InputConfig& config, const std::optional<InputClock>& clock, Findings& findings)
      : config_(config), clock_(clock), findings_(findings) {}

  std::optional<PlannedInput> plan(const OpenInput& open) {
    const std::string variable = config_.field.is_given() ? config_.field.value : config_.name.value;
    if (variable.empty() || config_.file.value.empty()) return std::nullopt;
    PlannedInput planned;
    try {
      planned.header = open(path_of(config_.file))->header(variable);
    } catch (const UsageError& error) {
      error_at(config_.field.is_given() ? config_.field.where : config_.file.where, error.what());
      return std::nullopt;
    }
    planned.name = config_.name.value;
    planned.ahead = config_.ahead;
    planned.may_lack = config_.missing.value == "nan";
    planned.where = config_.where;
    if (!find_weights(planned)) return std::nullopt;
    if (!check(planned.header) || !give_axis(planned)) return std::nullopt;
    return planned;
  }

 private:
  bool find_weights(PlannedInput& planned) {
    if (!config_.weights.is_given()) return true;
    planned.weights = path_of(config_.weights);
    std::error_code unknown;
    if (std::filesystem::exists(planned.weights, unknown)) return true;
    error_at(config_.weights.where, planned.weights + ": there is no such file of weights");
    return false;
  }

  void error_at(const Location& where, const std::string& what) {
    findings_.error(where, "input " + in_quotes(config_.name.value) + ": " + what);
  }

  bool check(const InputHeader& header) {
    const std::string what = header.file + ": its variable " + in_quotes(header.variable);
    if (header.dimensions.size() > static_cast<std::size_t>(kMaxRank)) {
      error_at(config_.where, what + " has more than " + std::to_string(kMaxRank) + " dimensions");
      return false;
    }
    if (header.times.size() > kMostRecords) {
      error_at(config_.where, what + " has more than " + std::to_string(kMostRecords) + " records");
      return false;
    }
    if (header.has_time) return true;
    const Text* needless = config_.interpolate.is_given()  ? &config_.interpolate
                           : config_.cycle_text.is_given() ? &config_.cycle_text
                                                           : nullptr;
    if (needless == nullptr) return true;
    error_at(needless->where, what + " has no time, so that there is nothing to " +
                                  (config_.interpolate.is_given() ? "interpolate" : "come round") +
                                  ": leave the attribute out");
    return false;
  }

  bool give_axis(PlannedInput& planned) {
    if (!planned.header.has_time) return true;
    const AxisWish wish{config_.interpolate.value != "none", {config_.cycle.seconds, config_.cycle.months}};
    try {
      if (clock_)
        planned.axis = axis_of_file(planned.header, wish, *clock_);
      else
        check_axis_alone(planned.header);
    } catch (const UsageError& error) {
      error_at(config_.file.where, planned.header.file + ": " + error.what());
      return false;
    }
    return true;
  }

  const InputConfig& config_;
  const std::optional<InputClock>& clock_;
  Findings& findings_;
};

}  // namespace

std::uint64_t PlannedInput::record_bytes() const {
  return static_cast<std::uint64_t>(header.size()) * (header.is_float ? 4 : 8);
}

std::uint64_t PlannedInput::records_at_once() const {
  return axis.is_static() ? 1 : static_cast<std::uint64_t>(ahead) + (axis.is_linear() ? 2 : 1);
}

InputClock clock_of(const PlannedTime& time) { return {time.calendar, time.epoch, time.has_epoch}; }

std::optional<InputClock> clock_of(const TimeConfig& time) {
  const auto epoch = parse_date(time.epoch.value);
  if (!epoch) return std::nullopt;
  const auto calendar = parse_calendar(time.calendar.value);
  if (!calendar) return std::nullopt;
  return InputClock{*calendar, *epoch, true};
}

std::vector<PlannedInput> plan_inputs(const Config& config, const std::optional<InputClock>& clock,
                                      const OpenInput& open, Findings& findings) {
  std::vector<PlannedInput> planned;
  if (!open) return planned;
  for (const InputConfig& one : config.inputs) {
    if (auto input = InputPlanner(one, clock, findings).plan(open)) planned.push_back(*std::move(input));
  }
  return planned;
}

}  // namespace pileus
