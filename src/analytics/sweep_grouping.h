#pragma once
// Finds, once, which rules of a place a sweep can compute, and how its domain lies in memory.

#include <algorithm>
#include <compare>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "analytics/rule_runner.h"
#include "sweeps/sweep.h"

namespace pileus {

/// What a local reduction reduces, where that is made of fields that lie alike.
struct SweptDomain {
  std::vector<DimensionId> dimensions;
  Region region;
  friend std::strong_ordering operator<=>(const SweptDomain& a, const SweptDomain& b) {
    const auto compared = [](const Extents& x, const Extents& y) {
      return std::lexicographical_compare_three_way(x.begin(), x.end(), y.begin(), y.end());
    };
    if (const auto order = a.dimensions <=> b.dimensions; order != 0) return order;
    if (const auto order = compared(a.region.start, b.region.start); order != 0) return order;
    return compared(a.region.count, b.region.count);
  }
  friend bool operator==(const SweptDomain&, const SweptDomain&) = default;
};

/// How a sweep over the domain passes when these axes of it are reduced; nullopt where it cannot.
std::optional<SweepShape> sweep_shape(const std::vector<Index>& extents,
                                      const std::vector<int>& reduced_axes);

/// Which element of a result that is reduced over `reduced_axes` the cells of one that is reduced over
/// `cell_axes` add to. REQUIRES: reduced_axes has all of cell_axes.
std::vector<std::uint32_t> targets_of_cells(const std::vector<Index>& extents,
                                            const std::vector<int>& cell_axes,
                                            const std::vector<int>& reduced_axes);

class SweptValues {
 public:
  /// REQUIRES: the plan outlives it.
  SweptValues(const Plan& plan, const RuleRunner& runner);

  /// Of a local reduction that a sweep can compute; nullopt of anything else.
  std::optional<SweptDomain> domain_of(const Rule& rule) const;
  /// What it reduces, without extents and targets. REQUIRES: it has a domain.
  SweptResult add(SweepNodes& nodes, const Rule& rule) const;
  /// The fields whose absence makes its result absent, those included that cancel in it, and the results of
  /// equations on the way from them. REQUIRES: it has a domain.
  std::vector<ValueId> values_behind(const Rule& rule) const;
  std::vector<ValueId> fields_behind(const Rule& rule) const;
  /// Whether it reduces a field, and nothing that is computed or paired.
  bool is_of_field_alone(const Rule& rule) const;

 private:
  bool lies_alike(ValueId value, const SweptDomain& domain) const;
  int depth_of(const Rule& rule, const Program& program, const SweptDomain& domain) const;
  std::optional<bool> is_sum(const Rule& rule, const Program& program) const;
  NodeIndex add_value(SweepNodes& nodes, ValueId value) const;
  NodeIndex add_program(SweepNodes& nodes, const Rule& rule, const Program& program) const;

  static constexpr int kNotSwept = 0;

  const Plan& plan_;
  std::vector<Region> regions_;
  std::vector<int> depths_;   ///< by value: how many equations lie behind it, and the field; or kNotSwept
  std::vector<bool> is_sum_;  ///< by value: whether numbers were added or subtracted for it
};

/// By rule: whether it computes numbers that only rules of sweeps, or other such rules, take.
std::vector<bool> rules_within_sweeps(const Plan& plan, const std::vector<RuleId>& rules,
                                      const std::vector<bool>& is_swept);

}  // namespace pileus
