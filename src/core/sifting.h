#pragma once
// What a rule declares that keeps Partials and sends them between servers. Each model rank picks numbers out
// of its part of a distributed field and adds them to Partials; those of all ranks meet on one server, where
// the rule's `prepare` says what is made of their values. The plan, the servers and `explain` ask this
// declaration and know no such rule by its name.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/reduction.h"
#include "pileus/operator.hpp"

namespace pileus {

/// Some elements of a part, none of them missing.
struct PickedFrom {
  std::span<const double> numbers;
  std::span<const double> compared;  ///< what the rule's second input has for each of them, if it has one
  std::span<const double> places;    ///< in the dimensions that are reduced: the linear index in the whole
                                     ///< domain, the fastest dimension first
};

/// One Partial of each element of the result.
struct Pick {
  /// What is picked, with the parameters that decide it, for `explain`. Rules that say the same share
  /// Partials.
  std::string what;
  Reduction reduction = Reduction::min;
  /// Writes for each element the number that counts, or kMissing where none does. Several threads call it at
  /// once.
  std::function<void(const PickedFrom& elements, std::span<double> picked)> pick = {};
  std::int64_t operations = 1;  ///< for each element, as `explain` counts the work
};

/// Over which dimensions a rule with one input picks: those that its parameter "dimensions" names, or all. A
/// rule with a second input picks over those that this lacks.
struct Sifting {
  std::vector<std::shared_ptr<const Pick>> picks;  ///< `compute` gets their values in this order
  std::string units = {};                          ///< of the result; "" where nobody knows
};

/// Errors: as those of `prepare`.
using Sift = std::function<Sifting(const operators::Rule&)>;

}  // namespace pileus
