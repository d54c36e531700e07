#include "time/window_bytes.h"

#include <memory>
#include <vector>

#include "core/missing.h"
#include "time/segments/segments_window.h"
#include "time/window.h"

namespace pileus {
namespace {

/// The type of the samples of a stage.
ElementType type_of(const Plan& plan, const Variable& variable, std::size_t stage) {
  const Value& value = plan[variable.sampled()];
  const std::vector<Stage>& stages = plan[variable.schedule].stages;
  bool is_kept = value.form == Form::numbers;
  for (std::size_t s = 0; s < stage; ++s) is_kept = is_kept && stages[s].manipulation->keeps_type;
  return is_kept ? value.type : ElementType::float64;
}

/// A sample of one element of zeros.
Sample sample_of(ElementType type) {
  auto zeros = std::make_shared<std::vector<std::byte>>(size_bytes(type));
  return Array{type, {}, {zeros, zeros->data()}};
}

/// Tells whether exact sums of it may be such that each element is held by itself (WeightedMeans).
bool may_be_apart(const Plan& plan, ValueId id) {
  const Value& value = plan[id];
  if (value.missing) return true;
  if (value.form != Form::partials || !value.rule.is_valid()) return false;
  switch (keeps_of(plan.reduction_of(id))) {
    case Keeps::sum: return false;
    case Keeps::moments:
    case Keeps::weighted: return true;
    case Keeps::extreme:
    case Keeps::truth:
    case Keeps::count: break;
  }
  return std::holds_alternative<Scale>(plan[value.rule].action);
}

}  // namespace

std::optional<double> missing_of(const Plan& plan, const Variable& variable, std::size_t stage) {
  if (stage == 0) return plan[variable.sampled()].missing;
  const ElementType type = type_of(plan, variable, stage);
  return type == ElementType::boolean ? std::nullopt : std::optional(missing_of_files(type));
}

std::uint64_t window_bytes_of_element(const Plan& plan, const Variable& variable) {
  const Schedule& schedule = plan[variable.schedule];
  const std::size_t last = schedule.stages.size();
  std::uint64_t bytes = 0;
  for (std::size_t stage = 0; stage <= last; ++stage) {
    const Manipulation manipulation =
        stage == last ? schedule.manipulation : schedule.stages[stage].manipulation;
    const std::uint64_t count =
        stage == last ? static_cast<std::uint64_t>(schedule.last_windows() - schedule.lookback.records) : 1;
    if (manipulation->is_of_segments) {
      bytes += count * segments_bytes_of_element(variable);
      continue;
    }
    if (manipulation->element_bytes != nullptr) {
      bytes += count * manipulation->element_bytes();
      continue;
    }
    if (variable.is_exact && manipulation->exact_bytes != nullptr) {
      bytes += count * manipulation->exact_bytes(stage > 0 || may_be_apart(plan, variable.sampled()));
      continue;
    }
    const auto window = manipulation->make_window(variable.is_exact, missing_of(plan, variable, stage));
    window->add(sample_of(type_of(plan, variable, stage)), 1);
    bytes += count * window->most_bytes();
  }
  const auto kept = static_cast<std::uint64_t>(schedule.lookback.records);
  return bytes + kept * size_bytes(type_of(plan, variable, 0));
}

}  // namespace pileus
