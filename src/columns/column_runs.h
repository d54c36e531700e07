#pragma once
// The loops of the operators that go along columns: they search runs of neighbouring columns and make their
// values. Used by columns.cpp alone.

#include <vector>

#include "columns/column_search.h"

namespace pileus::operators {

class ColumnRuns {
 public:
  /// One dimension across the columns.
  struct Dimension {
    Index count = 1;
    Index field = 0, of = 0, result = 0;  ///< strides, in elements
  };
  struct Source {
    Part part;
    Index first = 0;     ///< the first node of the first column
    Index step = 0;      ///< from node to node
    double missing = 0;  ///< NaN: none
  };
  struct Target {
    double* first = nullptr;
    Index step = 0;  ///< from place to place
  };

  /// REQUIRES: the search outlives this object.
  ColumnRuns(const ColumnSearch& search, Index nodes, std::vector<Dimension> across);

  void fill(const Source& field, const Source& of, const Target& result);

  /// The brackets of all places of all columns, one column after the other. REQUIRES: no dimension of `of`
  /// has the stride 0.
  std::vector<Bracket> find(const Source& of);
  /// fill() with what find() found.
  void fill(const Source& field, const std::vector<Bracket>& found, const Target& result);

 private:
  /// Calls use() with the first column of each run.
  template <class Use>
  void for_each_run(Source field, Source of, Target result, const Use& use) const;
  void fill_run(const Source& field, const Source& of, const Target& result);
  void fill_columns(const Source& field, const Source& of, const Target& result);
  void fill_alike(const Source& field, const Source& of, const Target& result);

  const ColumnSearch& search_;
  Index nodes_;
  Dimension run_;  ///< the fastest dimension across columns
  std::vector<Dimension> others_;
  std::vector<Bracket> brackets_;  ///< of all places in one column
  Index searched_ = -1;            ///< where that column begins
};

}  // namespace pileus::operators
