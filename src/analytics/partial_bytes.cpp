#include "analytics/partial_bytes.h"

#include "math/partial.h"

namespace pileus {

std::uint64_t partial_bytes(const Plan& plan, ValueId value) {
  const Rule& rule = plan[plan[value].rule];
  if (std::holds_alternative<Scale>(rule.action)) return partial_bytes(plan, rule.inputs[0]);
  Reduction reduction = Reduction::min;  // of a location
  if (const auto* local = std::get_if<LocalReduce>(&rule.action)) reduction = local->reduction;
  if (const auto* between = std::get_if<Communicate>(&rule.action)) reduction = between->reduction;
  std::uint64_t bytes = sizeof(Partial);
  if (reduction == Reduction::variance || reduction == Reduction::standard_deviation)
    bytes += sizeof(ExactProducts);
  if (reduction == Reduction::covariance) bytes += sizeof(ExactProducts) + sizeof(ExactSum);
  return bytes;
}

}  // namespace pileus
