#pragma once
// How the numbers of a variable become those of its file: their type and units, the order of dimensions, how
// far they are rounded, what stands for missing ones. Pure functions; workers and writer lanes call them.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "formats/format.h"
#include "plan/plan.h"
#include "time/record.h"

namespace pileus {

struct ValueLayout {
  ElementType type = ElementType::float64;
  std::vector<int> axes =
      {};                    ///< by dimension of the file, fastest first: the one in memory; empty: the same
  int significant_bits = 0;  ///< of the fraction; 0: all
  std::optional<double> missing_value = {};  ///< what the model writes where it has no value
  std::optional<ValueChange> change = {};    ///< to other units
  double step = 0;  ///< a power of two, to whose multiples numbers are rounded; 0: to none
  std::optional<double> fill_value = {};  ///< of floating-point numbers, in place of missing_value(type)

  bool is_reordered() const { return !axes.empty(); }
};

ValueLayout value_layout(const Plan& plan, const Variable& variable);
inline ValueLayout value_layout(const Plan& plan, VariableId variable) {
  return value_layout(plan, plan[variable]);
}

/// The region in the order of the file.
Region in_file(const Region& in_memory, const ValueLayout& layout);
/// The way back.
Region in_memory(const Region& in_file, const ValueLayout& layout);

/// Whether the part's bytes are those of the file as they are.
bool has_layout(const Record& part, const ValueLayout& layout);

/// Writes the elements `wanted` of the part densely, in the order of the file. A part without a value, and
/// the missing value, become fill_value or missing_value(type); NaN and infinities stay what they are.
/// REQUIRES: `wanted`, in the order of the file, lies inside the part; `out` has space for exactly these.
void convert(const Record& part, const ValueLayout& layout, const Region& wanted, std::span<std::byte> out);

}  // namespace pileus
