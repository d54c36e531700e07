#include "explain/sample_sizes.h"

#include <algorithm>

#include "explain/expected_traffic.h"
#include "math/partial.h"

namespace pileus::explain {
namespace {

/// Constants are a part of a Partial, so they make it longer.
void scale(const Plan& plan, ValueId value, Partial& partial) {
  if (!plan[value].rule.is_valid()) return;
  const Rule& rule = plan[plan[value].rule];
  const auto* scaled = std::get_if<Scale>(&rule.action);
  if (scaled != nullptr || std::holds_alternative<Communicate>(rule.action))
    scale(plan, rule.inputs[0], partial);
  if (scaled == nullptr) return;
  for (double constant : scaled->multiply) partial.multiply(constant);
  for (double constant : scaled->divide) partial.divide(constant);
}

std::uint64_t bytes_of(const Partial& partial) {
  std::vector<std::byte> bytes;
  partial.encode(bytes);
  return bytes.size();
}

/// Of no values, and of the largest and smallest ones to the last of their bits.
Bounds partial_bytes(const Plan& plan, ValueId scaled, Reduction reduction) {
  Partial least(reduction), most(reduction);
  const double large = kLargestSummed - 0x1p-20, small = kSmallestSummed + 0x1p-84;
  const double values[] = {large, small};
  if (reduction == Reduction::covariance) {
    most.add_pairs({values}, {values});
  } else {
    most.add(std::span<const double>(values));
  }
  scale(plan, scaled, least);
  scale(plan, scaled, most);
  // Many of them carry into another limb of 32 bits: of the sum, of a second one, of the products.
  std::uint64_t carries = 0;
  if (reduction == Reduction::sum || reduction == Reduction::mean) carries = 1;
  if (reduction == Reduction::variance || reduction == Reduction::standard_deviation) carries = 2;
  if (reduction == Reduction::covariance) carries = 3;
  return {bytes_of(least), bytes_of(most) + 4 * carries};
}

Reduction reduction_of(const Plan& plan, const Rule& rule) {
  if (const auto* communicate = std::get_if<Communicate>(&rule.action)) return communicate->reduction;
  if (const auto* local = std::get_if<LocalReduce>(&rule.action)) return local->reduction;
  return reduction_of(plan, plan[plan[rule.inputs[0]].rule]);
}

}  // namespace

Bounds sample_bytes(const Plan& plan, const Rule& sends) {
  const Value& value = plan[sends.inputs[0]];
  const std::uint64_t shape = 8 + 8 * value.dimensions.size();
  const auto elements = static_cast<std::uint64_t>(Region{{}, plan.extents(sends.output)}.size());
  const auto* communicate = std::get_if<Communicate>(&sends.action);
  const bool is_reduced = communicate != nullptr && !communicate->takes_rank_zero;
  if (!is_reduced && value.form == Form::numbers) {
    const std::uint64_t bytes = 2 + shape + elements * size_bytes(value.type);
    return {bytes, bytes};
  }
  const Reduction reduction = reduction_of(plan, sends);
  const Bounds one = partial_bytes(plan, sends.inputs[0], reduction);
  return {1 + shape + elements * one.least, 1 + shape + elements * one.most};
}

}  // namespace pileus::explain
