#include "time/window_bytes.h"

#include <memory>
#include <vector>

#include "math/weighted_means.h"
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

}  // namespace

std::uint64_t window_bytes_of_element(const Plan& plan, const Variable& variable) {
  const Value& value = plan[variable.value];
  const Manipulation manipulation = plan[variable.schedule].manipulation;
  const bool is_sum = manipulation == Manipulation::averaged || manipulation == Manipulation::accumulated;
  if (variable.is_exact && is_sum) return WeightedMeans::kMostColumnBytes;
  const auto window = make_window(manipulation, variable.is_exact, value.missing);
  window->add(sample_of(value), 1);
  return window->most_bytes();
}

}  // namespace pileus
