#include "analytics/partial_bytes.h"

#include "math/partials.h"

namespace pileus {

std::uint64_t partial_bytes(const Plan& plan, ValueId value) {
  const Reduction reduction = plan.reduction_of(value);
  switch (keeps_of(reduction)) {
    case Keeps::sum: return 2 * sizeof(double);  // as most sums of some ranks take
    case Keeps::moments:
      return sizeof(Partial) + sizeof(ExactProducts) +
             (declaration_of(reduction).takes_pairs ? sizeof(ExactSum) : 0);
    case Keeps::weighted:
      return sizeof(Partial) + sizeof(ExactSum) +
             (declaration_of(reduction).is_about_mean ? 3 : 1) * sizeof(ExactProducts);
    case Keeps::extreme:
    case Keeps::truth:
    case Keeps::count: break;
  }
  return sizeof(double) + sizeof(std::int64_t);
}

std::uint64_t reducing_bytes(const Rule& rule) {
  return std::holds_alternative<LocalReduce>(rule.action) ? sizeof(Partial) : 0;
}

}  // namespace pileus
