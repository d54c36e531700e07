#pragma once
// Sums and extremes of many fields, and of what equations make of them, over one domain: everything passes
// once, tile by tile, while it is in the cache. Results are those of localreduce, whose exact sums take what
// the running sums of a tile cannot hold. Used by LocalSweeps.

#include <memory>
#include <span>
#include <vector>

#include "core/region.h"
#include "loops/sweep_loops.h"
#include "loops/value_ranges.h"
#include "math/sample.h"
#include "sweeps/sweep_fields.h"
#include "sweeps/sweep_moments.h"
#include "sweeps/sweep_program.h"
#include "sweeps/sweep_shape.h"

namespace pileus {

/// One result: a reduction of a node.
struct SweptResult {
  NodeIndex node = 0;   ///< of second moments: the product of both operands, or of one with itself
  NodeIndex first = 0;  ///< of second moments: the first operand
  Reduction reduction = Reduction::sum;  ///< of what keeps sums, extremes or moments
  std::vector<Index> extents;
  std::vector<std::uint32_t> target_of_cell;  ///< which element of the result a cell adds to; empty: its own
};

class Sweep {
 public:
  /// REQUIRES: `nodes` outlives it.
  Sweep(const SweepNodes& nodes, SweepShape shape) : nodes_(nodes), shape_(shape) {}

  /// All results, in their order. `values`: by ValueId; fields are arrays of shape.size() doubles or floats.
  std::vector<PartialArray> run(const std::vector<const SweptResult*>& results,
                                const std::vector<Sample>& values);

 private:
  using Band = SweepShape::Band;
  using WideSum = Partials::WideSum;

  void prepare(const std::vector<const SweptResult*>& results, const std::vector<Sample>& values);
  std::size_t columns() const { return shape_.columns(); }
  std::size_t register_size() const;

  void find_field_ranges(const Band& band);
  void start_ranges(std::size_t range);
  void add_ranges(std::size_t range, const double* values, Index elements);
  void end_ranges(std::size_t range, const Band& band);
  double cell_range(std::size_t range, detail::ColumnRange kind, std::size_t cell) const;
  void find_node_ranges(const Band& band);
  void choose_folds(const Band& band);
  void begin_moments(const Band& band);

  double base(std::size_t sum, int fold, std::size_t cell) const;
  void start_sums(const Band& band);
  void end_sums(const Band& band);
  void sweep_tiles(const Band& band);
  void run_step(const SweepStep& step, Index first_element, Index elements);
  const double* numbers_at(SweepPlace place, Index first_element, Index elements);

  void add_wide_sums();
  PartialArray sums(const SweptResult& result) const;
  PartialArray extremes(const SweptResult& result) const;
  PartialArray moments(const SweptResult& result) const;
  double smallest_of_cell(std::size_t range, std::size_t cell, Reduction reduction) const;

  const SweepNodes& nodes_;
  SweepShape shape_;
  const detail::SweepLoops* loops_ = nullptr;
  std::vector<SweepDemand> demands_;  ///< that program_ is for
  SweepProgram program_;
  std::vector<std::uint32_t> sum_of_node_, range_of_node_, moments_of_node_;
  SweepFields fields_;  ///< as program_.fields
  std::vector<double> registers_;
  std::vector<detail::ValueRange> ranges_;  ///< by node and cell
  std::vector<int> folds_;                  ///< of a band: by sum
  std::vector<int> most_folds_;             ///< of all bands: by sum
  std::vector<double> running_;             ///< of a band: by sum, part and column
  std::vector<double> parts_;               ///< by sum, part and cell; as many parts as folds, and the rests
  std::vector<double> band_ranges_;         ///< of a band: by range, kind and column
  std::vector<double> cell_ranges_;         ///< by range, kind and cell
  std::vector<SweepMoments> moments_;       ///< as program_.moments
  std::vector<std::vector<WideSum>> wide_;  ///< by sum: of cells that do not fit
};

}  // namespace pileus
