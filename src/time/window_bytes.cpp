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
bool may_be_apart(const Plan& plan, const Value& value, bool is_scaled = false) {
  if (value.missing) return true;
  if (value.form != Form::partials || !value.rule.is_valid()) return false;
  const Rule& rule = plan[value.rule];
  Reduction reduction = Reduction::min;  // of a location
  if (std::holds_alternative<Scale>(rule.action)) return may_be_apart(plan, plan[rule.inputs[0]], true);
  if (const auto* local = std::get_if<LocalReduce>(&rule.action)) reduction = local->reduction;
  if (const auto* between = std::get_if<Communicate>(&rule.action)) reduction = between->reduction;
  switch (keeps_of(reduction)) {
    case Keeps::sum: return false;
    case Keeps::moments: return true;
    case Keeps::extreme:
    case Keeps::truth:
    case Keeps::count: break;
  }
  return is_scaled;
}

}  // namespace

std::uint64_t window_bytes_of_element(const Plan& plan, const Variable& variable) {
  const Value& value = plan[variable.value];
  const Manipulation manipulation = plan[variable.schedule].manipulation;
  if (variable.is_exact && manipulation->exact_bytes != nullptr)
    return manipulation->exact_bytes(may_be_apart(plan, value));
  const auto window = manipulation->make_window(variable.is_exact, value.missing);
  window->add(sample_of(value), 1);
  return window->most_bytes();
}

}  // namespace pileus
