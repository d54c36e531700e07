#include "time/window_bytes.h"

#include <memory>
#include <vector>

#include "time/window.h"

namespace pileus {
namespace {

/// A sample of one element of zeros, as the value's are.
Sample sample_of(const Value& value) {
  if (value.form == Form::numbers) {
    auto zeros = std::make_shared<std::vector<std::byte>>(size_bytes(value.type));
    return Array{value.type, {}, {zeros, zeros->data()}};
  }
  return make_array({0}, {});
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

std::uint64_t window_bytes_of_element(const Plan& plan, const Variable& variable) {
  const Value& value = plan[variable.value];
  const Manipulation manipulation = plan[variable.schedule].manipulation;
  if (variable.is_exact && manipulation->exact_bytes != nullptr)
    return manipulation->exact_bytes(may_be_apart(plan, variable.value));
  const auto window = manipulation->make_window(variable.is_exact, value.missing);
  window->add(sample_of(value), 1);
  return window->most_bytes();
}

}  // namespace pileus
