#pragma once
// Elements of a field that are picked along some of its dimensions, by their indices, which rise.

#include <string>
#include <vector>

#include "pileus/operator.hpp"

namespace pileus::operators {

class Selection {
 public:
  explicit Selection(Quantity field) : result_(std::move(field)), picked_(result_.dimensions.size()) {}

  /// REQUIRES: the indices rise and are there, if sizes are known. `name`: of the new dimension.
  void pick(std::size_t axis, std::vector<Index> indices, const std::string& name);
  /// The rule that makes the selection. Where indices are as far from each other everywhere, model ranks may
  /// hand these over alone.
  Prepared prepared() const;

 private:
  struct Along {
    bool is_picked = false;
    std::vector<Index> indices;
  };
  Region region(const Region& field) const;
  bool is_even() const;
  void copy(const Part& field, const ResultPart& result) const;

  Quantity result_;
  std::vector<Along> picked_;  ///< by dimension
};

/// Those of a list that are as near to coordinates as others or nearer.
Index nearest_index(const std::vector<double>& coordinates, double wanted);

}  // namespace pileus::operators
