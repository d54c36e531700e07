#pragma once
// Where results lie: on one server, or on the model ranks that hold all that was reduced for their parts. The
// bits are the same in both places, so that this alone may follow from how the ranks are spread.

#include <map>
#include <optional>
#include <vector>

#include "terms/terms.h"

namespace pileus::planning {

/// Of reduced values with more elements an exact sum is not kept from step to step: they are rounded once a
/// step, wherever they lie, and so they may lie on the model ranks.
inline constexpr Index kMostExactElements = 16384;

class Places {
 public:
  Places(const Shapes& shapes, TermTable& terms) : shapes_(shapes), terms_(terms) {}

  /// The value of a rooted term as the model ranks can have it of themselves: distributed, because each holds
  /// all that was reduced for its part of the result. Nothing where they cannot.
  std::optional<TermIndex> near(TermIndex term);
  /// The same, rounded.
  std::optional<TermIndex> numbers_near(TermIndex term);
  /// Where a rooted value of a file lies best: many elements stay near, if they can, rounded or exact.
  TermIndex best(TermIndex term, bool is_exact);
  /// Whether averages of a file's value are made of exact sums: what may be asked for, and where nobody says
  /// follows from the size of the whole alone.
  bool is_averaged_exactly(TermIndex term, bool is_asked_for) const;
  bool has_varying_denominators(TermIndex term) const;
  /// Whether each rank's part of a distributed term is that of `widest`, in the dimensions that it has.
  bool lies_within(TermIndex term, TermIndex widest) const;
  /// Elements of the whole; 0 where nobody knows.
  Index size_of(TermIndex term) const;

  /// Whether every model rank that makes a part of what these axes leave holds all of them. A rank that holds
  /// nothing of the term may still make such a part: of nothing.
  bool is_undivided(const Term& term, const std::vector<int>& axes) const;

 private:
  std::optional<TermIndex> made_near(TermIndex index);
  std::optional<TermIndex> reduced_near(TermIndex index);
  std::optional<TermIndex> computed_near(TermIndex index);
  std::optional<TermIndex> brought(TermIndex operand, TermIndex user);
  /// Whether one distributed term lies as all of these together do.
  bool lie_together(const std::vector<TermIndex>& operands) const;

  const Shapes& shapes_;
  TermTable& terms_;
  std::map<TermIndex, std::optional<TermIndex>> known_;
};

}  // namespace pileus::planning
