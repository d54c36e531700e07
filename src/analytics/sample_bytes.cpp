#include "analytics/sample_bytes.h"

namespace pileus {
namespace {

/// Constants are a part of a Partial, so they make it longer.
void scale(const Plan& plan, ValueId value, ExactFactor& factor) {
  if (!plan[value].rule.is_valid()) return;
  const Rule& rule = plan[plan[value].rule];
  const auto* scaled = std::get_if<Scale>(&rule.action);
  if (scaled != nullptr || std::holds_alternative<Communicate>(rule.action))
    scale(plan, rule.inputs[0], factor);
  if (scaled == nullptr) return;
  for (double constant : scaled->multiply) factor.multiply(constant);
  for (double constant : scaled->divide) factor.divide(constant);
}

}  // namespace

ByteBounds sample_bytes(const Plan& plan, const Rule& sends, const SummedRange& range) {
  const Value& value = plan[sends.inputs[0]];
  const std::uint64_t shape = 8 + 8 * value.dimensions.size();
  const auto elements = static_cast<std::uint64_t>(Region{{}, plan.extents(sends.output)}.size());
  const auto* communicate = std::get_if<Communicate>(&sends.action);
  const bool is_reduced = communicate != nullptr && !communicate->takes_rank_zero;
  if (!is_reduced && value.form == Form::numbers) {
    const std::uint64_t bytes = 2 + shape + elements * size_bytes(value.type);
    return {bytes, bytes};
  }
  const Reduction reduction = plan.reduction_of(sends.output);
  const bool is_sum = keeps_of(reduction) == Keeps::sum;
  ExactFactor factor;
  scale(plan, sends.inputs[0], factor);
  const ByteBounds bytes = encoded_bytes(reduction, elements, factor, range);
  const std::uint64_t least_of_column = 8 + 8 * elements;  // a count, and one part of each
  const bool may_be_column = is_reduced && is_sum;
  return {may_be_column ? least_of_column : 1 + shape + bytes.least, 1 + shape + bytes.most};
}

}  // namespace pileus
