#include "explain/sample_sizes.h"

#include <algorithm>

#include "explain/expected_traffic.h"
#include "math/partials.h"

namespace pileus::explain {
namespace {

/// Counts constants, which are a part of a Partial and make it longer.
template <class Scaled>
void scale(const Plan& plan, ValueId value, Scaled& partial) {
  if (!plan[value].rule.is_valid()) return;
  const Rule& rule = plan[plan[value].rule];
  const auto* scaled = std::get_if<Scale>(&rule.action);
  if (scaled != nullptr || std::holds_alternative<Communicate>(rule.action))
    scale(plan, rule.inputs[0], partial);
  if (scaled == nullptr) return;
  for (double constant : scaled->multiply) partial.multiply(constant);
  for (double constant : scaled->divide) partial.divide(constant);
}

template <class Encoded>
std::uint64_t bytes_of(const Encoded& partial) {
  std::vector<std::byte> bytes;
  partial.encode(bytes);
  return bytes.size();
}

/// The size of one second moment: of no values, and of the largest and smallest values with all their bits.
Bounds moment_bytes(const Plan& plan, ValueId scaled, Reduction reduction) {
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
  // Many values carry into another limb of 32 bits: of the sum, of the products, and of a second sum.
  const std::uint64_t carries = reduction == Reduction::covariance ? 3 : 2;
  return {bytes_of(least), bytes_of(most) + 4 * carries};
}

/// The size of the Partials of so many elements.
Bounds partials_bytes(const Plan& plan, ValueId scaled, Reduction reduction, std::uint64_t elements) {
  Partials none(reduction, 0);
  scale(plan, scaled, none);
  const std::uint64_t head = bytes_of(none);
  if (reduction == Reduction::count) return {head + 8 * elements, head + 8 * elements};
  if (reduction == Reduction::sum || reduction == Reduction::mean) {
    // The least has one count and one part for each element; the most has a count for each element and all
    // parts.
    const std::uint64_t counts = elements > 1 ? 8 * (elements - 1) : 0;
    return {head + 8 * elements, head + counts + 8 * elements * SumColumns::kMostParts};
  }
  const bool is_moment = reduction == Reduction::variance || reduction == Reduction::standard_deviation ||
                         reduction == Reduction::covariance;
  if (!is_moment) return {head + 16 * elements, head + 16 * elements};  // extrema with their counts
  const Bounds one = moment_bytes(plan, scaled, reduction);
  return {head + elements * one.least, head + elements * one.most};
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
  const bool is_sum = reduction == Reduction::sum || reduction == Reduction::mean;
  const Bounds bytes = partials_bytes(plan, sends.inputs[0], reduction, elements);
  const std::uint64_t least_of_column = 8 + 8 * elements;  // one count, and one part for each element
  const bool may_be_column = is_reduced && is_sum;
  return {may_be_column ? least_of_column : 1 + shape + bytes.least, 1 + shape + bytes.most};
}

}  // namespace pileus::explain
