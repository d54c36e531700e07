#include "terms/made_regions.h"

#include <map>
#include <utility>

#include "core/halo.h"
#include "plan/points.h"

namespace pileus::planning {
namespace {

/// What a rank holds of a term. What was made for all of its dimensions is asked once: in a chain of
/// operators each would otherwise ask the one before it as often as there are dimensions.
Region region_of(TermIndex index, std::size_t rank, const Shapes& shapes, const TermTable& terms) {
  const Term& term = terms[index];
  Region region;
  std::map<TermIndex, Region> made;
  for (std::size_t d = 0; d < term.dimensions.size(); ++d) {
    const Part& part = term.parts[d];
    auto extent = std::pair<Index, Index>{};
    if (part.applied) {
      auto known = made.find(*part.applied);
      if (known == made.end())
        known = made.emplace(*part.applied, made_region(*part.applied, rank, shapes, terms)).first;
      const auto axis = static_cast<std::size_t>(part.axis);
      extent = {known->second.start[axis], known->second.count[axis]};
    } else {
      extent = extent_of(part, term.dimensions[d], rank, shapes, terms);
    }
    region.start.push_back(extent.first);
    region.count.push_back(extent.second);
  }
  return region;
}

/// What is beside an operand's part comes with it.
Region haloed_region(const Term& term, std::size_t rank, const Shapes& shapes, const TermTable& terms) {
  Extents sizes;
  for (const DimensionId id : term.dimensions) sizes.push_back(shapes.dimensions[id.index].size);
  const Regridding& how = *term.regridding;
  return with_halo(region_of(term.operands.front(), rank, shapes, terms), how.axes, how.halo, sizes);
}

Region regridded_region(const Term& term, std::size_t rank, const Shapes& shapes) {
  Region region;
  const std::size_t slowest = slowest_of_points(*term.regridding);
  for (std::size_t d = 0; d < term.dimensions.size(); ++d) {
    const Index size = shapes.dimensions[term.dimensions[d].index].size;
    const IndexSet::Range part =
        d == slowest ? dealt_part(size, rank, shapes.regions.size()) : IndexSet::Range{0, size};
    region.add(IndexSet(part.first, part.count));
  }
  return region;
}

}  // namespace

Region made_region(TermIndex index, std::size_t rank, const Shapes& shapes, const TermTable& terms) {
  const Term& term = terms[index];
  if (term.kind == TermKind::regrid && !term.regridding->halo.empty())
    return haloed_region(term, rank, shapes, terms);
  if (term.kind == TermKind::regrid) return regridded_region(term, rank, shapes);
  if (term.prepared->region) {
    std::vector<operators::Region> inputs;
    for (TermIndex operand : term.operands) {
      const Region region = region_of(operand, rank, shapes, terms);
      inputs.push_back({region.start, region.count});
    }
    const operators::Region made = term.prepared->region(inputs);
    return {made.start, made.count};
  }
  return region_of(index, rank, shapes, terms);
}

std::pair<Index, Index> extent_of(const Part& part, DimensionId dimension, std::size_t rank,
                                  const Shapes& shapes, const TermTable& terms) {
  const auto axis = static_cast<std::size_t>(part.axis);
  if (part.applied) {
    const Region region = made_region(*part.applied, rank, shapes, terms);
    return {region.start[axis], region.count[axis]};
  }
  if (!part.field) return {0, shapes.dimensions[dimension.index].size};
  const Region region = shapes.regions[rank][*part.field];
  return {region.start[axis], region.count[axis]};
}

}  // namespace pileus::planning
