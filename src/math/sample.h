#pragma once
// A value at one step on one server: numbers, Partials, or known to be absent.

#include <map>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "core/array.h"
#include "math/partials.h"

namespace pileus {

/// Partials of a reduction in the order of memory of the reduced array.
struct PartialArray {
  Extents extents;  ///< fastest first
  std::shared_ptr<const Partials> values;
};

/// Tells whether nobody shares them any more, and nobody's reading of them can come after this. Then they may
/// be changed in place. REQUIRES: no other thread can copy this pointer.
bool is_sole_owner(const std::shared_ptr<const Partials>& values);

struct Absent {};

using Sample = std::variant<Absent, Array, PartialArray>;

inline bool is_absent(const Sample& sample) { return std::holds_alternative<Absent>(sample); }

/// The values of several reductions at one step that go side by side (Bundle in plan/plan.h).
struct BundleValues {
  std::optional<Partials> together;  ///< of all members, one after the other
  std::vector<Sample> apart;         ///< where they cannot be that: by member; empty: all are absent
};

/// Those of one step, by bundle of the plan.
using StepBundles = std::map<std::size_t, BundleValues>;

/// The sample's numbers in double precision; Partials are rounded here, once. Where `missing` is given it
/// stands for what is of nothing but a sum or count, which is 0.
/// REQUIRES: not absent.
std::vector<double> to_doubles(const Sample& sample, std::optional<double> missing = {});
Extents extents(const Sample& sample);

}  // namespace pileus
