#include "sweeps/sweep.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "math/extremum.h"
#include "sweeps/sweep_cell.h"

namespace pileus {
namespace {

using detail::ColumnRange;
using detail::kColumnRanges;
using detail::SweepTile;
using detail::ValueRange;

constexpr std::size_t kMostParts = detail::kMostSweepFolds + 1;

ValueRange range_of(const SweepNode& node, ValueRange left, ValueRange right) {
  switch (node.operation) {
    case Operation::constant:
      return std::isnan(node.constant)
                 ? ValueRange::unknown()
                 : ValueRange::of(std::fabs(node.constant), std::nextafter(std::fabs(node.constant), 0));
    case Operation::multiply: return product_range(left, right);
    case Operation::add:
    case Operation::subtract: return sum_range(left, right);
    default: return left;  // negated
  }
}

bool has_nan(double nans) { return std::bit_cast<std::uint64_t>(nans) != 0; }

/// One column's range takes in another's.
void widen(ColumnRange kind, double& range, double other) {
  const auto bits = std::bit_cast<std::uint64_t>(range), more = std::bit_cast<std::uint64_t>(other);
  switch (kind) {
    case ColumnRange::least:
    case ColumnRange::below_smallest: range = other < range ? other : range; return;
    case ColumnRange::most:
    case ColumnRange::largest: range = other > range ? other : range; return;
    case ColumnRange::all_signs: range = std::bit_cast<double>(bits & more); return;
    case ColumnRange::some_signs:
    case ColumnRange::nans: range = std::bit_cast<double>(bits | more); return;
  }
}

}  // namespace

std::vector<PartialArray> Sweep::run(const std::vector<const SweptResult*>& results,
                                     const std::vector<Sample>& values) {
  prepare(results, values);
  for (const Band& band : shape_.bands()) {  // its second pass finds it in a cache, unless it is long
    find_field_ranges(band);
    find_node_ranges(band);
    choose_folds(band);
    begin_moments(band);
    if (!program_.steps.empty()) sweep_tiles(band);
  }
  add_wide_sums();
  std::vector<PartialArray> made;
  for (const SweptResult* result : results) {
    switch (keeps_of(result->reduction)) {
      case Keeps::sum: made.push_back(sums(*result)); break;
      case Keeps::moments: made.push_back(moments(*result)); break;
      default: made.push_back(extremes(*result)); break;
    }
  }
  return made;
}

void Sweep::prepare(const std::vector<const SweptResult*>& results, const std::vector<Sample>& values) {
  loops_ = &detail::sweep_loops();
  std::vector<SweepDemand> demands;
  for (const SweptResult* result : results) {
    const Keeps keeps = keeps_of(result->reduction);
    demands.push_back({result->node, keeps == Keeps::sum, keeps == Keeps::extreme, keeps == Keeps::moments});
  }
  if (demands != demands_) {
    program_ = make_sweep_program(nodes_, demands);
    demands_ = std::move(demands);
    sum_of_node_.assign(nodes_.size(), 0);
    range_of_node_.assign(nodes_.size(), 0);
    for (std::size_t s = 0; s < program_.sums.size(); ++s)
      sum_of_node_[program_.sums[s]] = static_cast<std::uint32_t>(s);
    for (std::size_t r = 0; r < program_.ranges.size(); ++r)
      range_of_node_[program_.ranges[r]] = static_cast<std::uint32_t>(r);
    moments_of_node_.assign(nodes_.size(), 0);
    moments_.clear();
    for (const NodeIndex node : program_.moments) {
      moments_of_node_[node] = static_cast<std::uint32_t>(moments_.size());
      moments_.emplace_back(shape_, nodes_[node].left == nodes_[node].right);
    }
    const std::size_t cells = as_size(shape_.cells);
    ranges_.resize(nodes_.size() * cells);
    running_.resize(program_.sums.size() * kMostParts * columns());
    parts_.resize(program_.sums.size() * kMostParts * cells);
    band_ranges_.resize(program_.ranges.size() * kColumnRanges * columns());
    cell_ranges_.resize(program_.ranges.size() * kColumnRanges * cells);
    registers_.assign(program_.registers * register_size(), 0);
    for (const auto& [place, constant] : program_.constants)
      std::fill_n(registers_.begin() + static_cast<std::ptrdiff_t>(place * register_size()), register_size(),
                  constant);
  }
  fields_.take(program_.fields, values, register_size());
  most_folds_.assign(program_.sums.size(), 1);
  wide_.clear();  // with its memory, of which one step with a NaN takes much
  wide_.resize(program_.sums.size());
}

/// Registers a power of two apart would lie in the same few places of the first cache.
std::size_t Sweep::register_size() const { return as_size(shape_.tile_elements()) + 72; }

void Sweep::find_field_ranges(const Band& band) {
  for (std::size_t r = 0; r < fields_.size(); ++r) start_ranges(r);
  shape_.for_each_tile(band, [&](Index first, Index elements) {
    for (std::size_t r = 0; r < fields_.size(); ++r)
      add_ranges(r, fields_.read(r, first, elements), elements);
  });
  for (std::size_t r = 0; r < fields_.size(); ++r) end_ranges(r, band);
}

void Sweep::start_ranges(std::size_t range) {
  loops_->start_ranges(&band_ranges_[range * kColumnRanges * columns()], columns(), columns());
}

void Sweep::add_ranges(std::size_t range, const double* values, Index elements) {
  double* const state = &band_ranges_[range * kColumnRanges * columns()];
  const bool has_extremes = range >= fields_.size() || program_.have_extremes[range];
  shape_.for_each_piece(elements, [&](std::size_t offset, SweepTile tile) {
    (has_extremes ? loops_->add_ranges : loops_->add_magnitudes)(values + offset, tile, state, columns());
  });
}

void Sweep::end_ranges(std::size_t range, const Band& band) {
  const std::size_t cells = as_size(shape_.cells), first = as_size(band.first_cell);
  for (std::size_t kind = 0; kind < kColumnRanges; ++kind) {
    const double* const from = &band_ranges_[(range * kColumnRanges + kind) * columns()];
    double* const to = &cell_ranges_[(range * kColumnRanges + kind) * cells + first];
    if (shape_.are_cells_side_by_side) {
      std::copy_n(from, columns(), to);
      continue;
    }
    *to = from[0];
    for (std::size_t lane = 1; lane < columns(); ++lane)
      widen(static_cast<ColumnRange>(kind), *to, from[lane]);
  }
}

double Sweep::cell_range(std::size_t range, ColumnRange kind, std::size_t cell) const {
  return cell_ranges_[(range * kColumnRanges + static_cast<std::size_t>(kind)) * as_size(shape_.cells) +
                      cell];
}

void Sweep::find_node_ranges(const Band& band) {
  const std::size_t cells = as_size(shape_.cells);
  const std::size_t begin = as_size(band.first_cell), end = begin + as_size(band.cells);
  for (std::size_t f = 0; f < program_.field_nodes.size(); ++f) {
    for (std::size_t c = begin; c < end; ++c) {
      ranges_[program_.field_nodes[f] * cells + c] =
          has_nan(cell_range(f, ColumnRange::nans, c))
              ? ValueRange::unknown()
              : ValueRange::of(cell_range(f, ColumnRange::largest, c),
                               cell_range(f, ColumnRange::below_smallest, c), fields_.digits(f));
    }
  }
  for (const NodeIndex n : program_.nodes) {
    const SweepNode& node = nodes_[n];
    if (node.operation == Operation::input) continue;
    for (std::size_t c = begin; c < end; ++c)
      ranges_[n * cells + c] =
          range_of(node, ranges_[node.left * cells + c], ranges_[node.right * cells + c]);
  }
}

void Sweep::choose_folds(const Band& band) {
  const std::size_t cells = as_size(shape_.cells);
  const std::size_t begin = as_size(band.first_cell), end = begin + as_size(band.cells);
  const int headroom = detail::headroom_for(shape_.length);
  folds_.assign(program_.sums.size(), 1);
  for (std::size_t s = 0; s < program_.sums.size(); ++s) {
    for (std::size_t c = begin; c < end; ++c) {
      const int folds = detail::folds_for(ranges_[program_.sums[s] * cells + c], headroom);
      if (folds > detail::kMostSweepFolds) {
        wide_[s].emplace_back(c, ExactSum());
      } else {
        folds_[s] = std::max(folds_[s], folds);
      }
    }
    most_folds_[s] = std::max(most_folds_[s], folds_[s]);
  }
}

void Sweep::begin_moments(const Band& band) {
  const std::size_t cells = as_size(shape_.cells);
  for (std::size_t m = 0; m < moments_.size(); ++m) {
    const SweepNode& product = nodes_[program_.moments[m]];
    const auto ranges = [&](NodeIndex node) {
      return std::span<const ValueRange>(ranges_).subspan(node * cells, cells);
    };
    moments_[m].begin(band, ranges(product.left), ranges(product.right));
  }
}

double Sweep::base(std::size_t sum, int fold, std::size_t cell) const {
  const ValueRange& range = ranges_[program_.sums[sum] * as_size(shape_.cells) + cell];
  return detail::base_of_fold(range.is_known() ? range : ValueRange::zero(),
                              detail::headroom_for(shape_.length), fold);
}

void Sweep::start_sums(const Band& band) {
  for (std::size_t s = 0; s < folds_.size(); ++s) {
    double* part = &running_[s * kMostParts * columns()];
    for (int fold = 0; fold < folds_[s]; ++fold, part += columns()) {
      if (shape_.are_cells_side_by_side) {
        for (std::size_t c = 0; c < columns(); ++c) part[c] = base(s, fold, c);
      } else {
        std::fill_n(part, columns(), base(s, fold, as_size(band.first_cell)));
      }
    }
    std::fill_n(part, columns(), 0.0);
  }
}

void Sweep::end_sums(const Band& band) {
  const std::size_t cells = as_size(shape_.cells), first = as_size(band.first_cell);
  for (std::size_t s = 0; s < folds_.size(); ++s) {
    for (std::size_t p = as_size(folds_[s]) + 1; p < kMostParts; ++p)
      std::fill_n(&parts_[(s * kMostParts + p) * cells + first], band.cells, 0.0);
    for (int fold = 0; fold <= folds_[s]; ++fold) {
      const std::size_t p = s * kMostParts + static_cast<std::size_t>(fold);
      const double* const running = &running_[p * columns()];
      double* const parts = &parts_[p * cells + first];
      const auto started_at = [&](std::size_t c) { return fold < folds_[s] ? base(s, fold, c) : 0.0; };
      if (shape_.are_cells_side_by_side) {
        for (std::size_t c = 0; c < cells; ++c) parts[c] = running[c] - started_at(c);
        continue;
      }
      // There is headroom for what all lanes took.
      *parts = 0;
      for (std::size_t lane = 0; lane < columns(); ++lane) *parts += running[lane] - started_at(first);
    }
  }
}

void Sweep::sweep_tiles(const Band& band) {
  for (std::size_t r = fields_.size(); r < program_.ranges.size(); ++r) start_ranges(r);
  start_sums(band);
  shape_.for_each_tile(band, [&](Index first, Index elements) {
    for (const SweepStep& step : program_.steps) run_step(step, first, elements);
  });
  end_sums(band);
  for (SweepMoments& moments : moments_) moments.end();
  for (std::size_t r = fields_.size(); r < program_.ranges.size(); ++r) end_ranges(r, band);
}

const double* Sweep::numbers_at(SweepPlace place, Index first_element, Index elements) {
  if (place.is_field) return fields_.read(place.index, first_element, elements);
  return &registers_[place.index * register_size()];
}

void Sweep::run_step(const SweepStep& step, Index first_element, Index elements) {
  const Operation operation = nodes_[step.node].operation;
  const double* a = numbers_at(step.left, first_element, elements);
  const double* b =
      operation == Operation::multiply ? numbers_at(step.right, first_element, elements) : nullptr;
  double* kept = step.register_of_result ? &registers_[*step.register_of_result * register_size()] : nullptr;
  double* const result = kept;
  if (step.moments) moments_[*step.moments].add(a, b, elements);
  if (operand_count(operation) > 0 && b == nullptr) {
    compute_node(operation, a, numbers_at(step.right, first_element, elements), kept, as_size(elements));
    a = std::exchange(kept, nullptr);
  }
  if (step.sum || kept != nullptr) {
    const int folds = step.sum ? folds_[*step.sum] : 0;
    double* const state = step.sum ? &running_[*step.sum * kMostParts * columns()] : nullptr;
    shape_.for_each_piece(elements, [&](std::size_t offset, SweepTile tile) {
      loops_->add_sums(a + offset, b ? b + offset : nullptr, kept ? kept + offset : nullptr, tile, folds,
                       state, columns());
    });
  }
  if (step.range) add_ranges(*step.range, result, elements);
}

/// Those sums of cells that the tiles cannot hold, the exact way.
void Sweep::add_wide_sums() {
  for (std::size_t s = 0; s < wide_.size(); ++s) {
    if (wide_[s].empty()) continue;
    SweepCell numbers(nodes_, program_, fields_, shape_, program_.sums[s]);
    for (auto& [cell, sum] : wide_[s]) {
      numbers.pass(static_cast<Index>(cell), [&, &sum = sum] { sum.add(numbers.numbers(program_.sums[s])); });
      for (std::size_t p = 0; p < kMostParts; ++p)
        parts_[(s * kMostParts + p) * as_size(shape_.cells) + cell] = 0;
    }
  }
}

PartialArray Sweep::sums(const SweptResult& result) const {
  const std::size_t s = sum_of_node_[result.node], cells = as_size(shape_.cells);
  const std::size_t part_count = as_size(most_folds_[s]) + 1;
  const auto part = [&](std::size_t p) {
    return std::span(parts_).subspan((s * kMostParts + p) * cells, cells);
  };
  const Index per_target = shape_.size() / Region{{}, result.extents}.size();
  std::vector<std::pair<std::size_t, ExactSum>> wide;
  SumColumns columns(as_size(Region{{}, result.extents}.size()));
  const auto set = [&](std::size_t target, const ExactSum& sum) {
    if (!columns.set(target, sum)) wide.emplace_back(target, sum);
  };
  if (result.target_of_cell.empty()) {
    columns.set_parts(std::vector<double>(part(0).begin(), part(0).end()));
    for (std::size_t p = 1; p < part_count; ++p) {
      std::vector<double> addends(part(p).begin(), part(p).end());
      columns.add(addends);  // as few parts as these always fit
    }
    for (const auto& [cell, sum] : wide_[s]) set(cell, sum);
  } else {
    std::vector<ExactSum> targets(columns.size());
    for (std::size_t p = 0; p < part_count; ++p) {
      for (std::size_t c = 0; c < cells; ++c) targets[result.target_of_cell[c]].add(part(p)[c]);
    }
    for (const auto& [cell, sum] : wide_[s]) targets[result.target_of_cell[cell]].merge(sum);
    for (std::size_t target = 0; target < targets.size(); ++target) set(target, targets[target]);
  }
  return {result.extents, std::make_shared<Partials>(Partials::of_sums(result.reduction, per_target,
                                                                       std::move(columns), std::move(wide)))};
}

PartialArray Sweep::extremes(const SweptResult& result) const {
  const auto size = as_size(Region{{}, result.extents}.size());
  std::vector<double> smallest(size, std::numeric_limits<double>::infinity());
  for (std::size_t c = 0; c < as_size(shape_.cells); ++c) {
    double& target = smallest[result.target_of_cell.empty() ? c : result.target_of_cell[c]];
    target = detail::smaller(target, smallest_of_cell(range_of_node_[result.node], c, result.reduction));
  }
  const Index per_target = shape_.size() / static_cast<Index>(size);
  return {result.extents, std::make_shared<Partials>(
                              Partials::of_extrema(result.reduction, per_target, std::move(smallest)))};
}

PartialArray Sweep::moments(const SweptResult& result) const {
  const SweepNode& product = nodes_[result.node];
  const SweepMoments& found = moments_[moments_of_node_[result.node]];
  const bool is_reversed = product.left != result.first;
  std::optional<SweepCell> numbers;
  const auto of_cell = [&](std::size_t cell) {
    if (found.holds(cell)) return found.of_cell(cell, result.reduction, is_reversed);
    if (!numbers) numbers.emplace(nodes_, program_, fields_, shape_, result.node);
    Partial partial(result.reduction);
    numbers->pass(static_cast<Index>(cell), [&] {
      const auto first = numbers->numbers(result.first);
      const auto second = numbers->numbers(is_reversed ? product.left : product.right);
      declaration_of(result.reduction).takes_pairs ? partial.add_pairs({first}, {second})
                                                   : partial.add(first);
    });
    return partial;
  };
  std::vector<Partial> partials(as_size(Region{{}, result.extents}.size()), Partial(result.reduction));
  for (std::size_t c = 0; c < as_size(shape_.cells); ++c) {
    if (result.target_of_cell.empty()) {
      partials[c] = of_cell(c);
    } else {
      partials[result.target_of_cell[c]].merge(of_cell(c));
    }
  }
  return {result.extents, std::make_shared<Partials>(result.reduction, partials)};
}

/// Of maxima: of the negatives.
double Sweep::smallest_of_cell(std::size_t range, std::size_t cell, Reduction reduction) const {
  if (has_nan(cell_range(range, ColumnRange::nans, cell))) return std::numeric_limits<double>::quiet_NaN();
  const bool is_max = reduction == Reduction::max;
  const double smallest =
      is_max ? -cell_range(range, ColumnRange::most, cell) : cell_range(range, ColumnRange::least, cell);
  if (smallest != 0) return smallest;
  // A zero is the least: no value but -0 has a sign, or of the negatives, none but +0 lacks one.
  const bool has_negative_zero = is_max ? !std::signbit(cell_range(range, ColumnRange::all_signs, cell))
                                        : std::signbit(cell_range(range, ColumnRange::some_signs, cell));
  return has_negative_zero ? -0.0 : 0.0;
}

}  // namespace pileus
