#include "terms/halos.h"

#include <algorithm>
#include <numeric>
#include <ranges>
#include <string>
#include <utility>

#include "core/halo.h"
#include "terms/made_regions.h"

namespace pileus::planning {
namespace {

/// What `compute` wants of one input.
struct WantedInput {
  std::vector<int> in_result;  ///< by dimension: its position in the result, or -1
  std::vector<Halo> halos;     ///< likewise
  Extents sizes;               ///< likewise

  Region region(const Region& held, const Region& result) const {
    Region wanted = held;
    std::vector<int> axes(halos.size());
    std::iota(axes.begin(), axes.end(), 0);
    for (std::size_t d = 0; d < halos.size(); ++d) {
      if (in_result[d] < 0) continue;
      wanted.start[d] = result.start[static_cast<std::size_t>(in_result[d])];
      wanted.count[d] = result.count[static_cast<std::size_t>(in_result[d])];
    }
    return with_halo(wanted, axes, halos, sizes);
  }
};

Region region_of(const operators::Region& region) { return {region.start, region.count}; }

/// Copies a part as double precision; along a dimension that goes on at its other end also from there.
std::unique_ptr<double[]> copied(const operators::Part& part, const Region& wanted, const Extents& sizes) {
  std::vector<std::vector<Index>> offsets;  // by dimension, in elements
  Index stride = 1;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    std::vector<Index>& along = offsets.emplace_back();
    for (Index i = wanted.start[d]; i < wanted.start[d] + wanted.count[d]; ++i)
      along.push_back(((i % sizes[d] + sizes[d]) % sizes[d] - part.region.start[d]) * stride);
    stride *= part.region.count[d];
  }
  auto to = std::make_unique<double[]>(static_cast<std::size_t>(wanted.size()));
  std::vector<std::size_t> at(sizes.size(), 0);
  for (std::size_t i = 0; i < static_cast<std::size_t>(wanted.size());) {
    Index row = 0;
    for (std::size_t d = 1; d < at.size(); ++d) row += offsets[d][at[d]];
    for (const Index one : offsets.front()) to[i++] = part.number(row + one);
    for (std::size_t d = 1; d < at.size() && ++at[d] == offsets[d].size(); ++d) at[d] = 0;
  }
  return to;
}

std::shared_ptr<const operators::Prepared> completing(std::shared_ptr<const operators::Prepared> prepared,
                                                      std::vector<WantedInput> wanted) {
  auto completing = std::make_shared<operators::Prepared>(*prepared);
  completing->compute = [prepared = std::move(prepared), wanted = std::move(wanted)](
                            const std::vector<operators::Part>& inputs, const operators::ResultPart& result) {
    std::vector<operators::Part> parts = inputs;
    std::vector<std::unique_ptr<double[]>> kept;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (wanted[i].halos.empty()) continue;
      const Region held = region_of(inputs[i].region);
      const Region region = wanted[i].region(held, region_of(result.region));
      if (region == held && inputs[i].type == operators::Type::float64) continue;
      kept.push_back(copied(inputs[i], region, wanted[i].sizes));
      parts[i] = {operators::Type::float64, kept.back().get(), {region.start, region.count}};
    }
    prepared->compute(parts, result);
  };
  return completing;
}

/// Numbers layouts: those of two values are the same if each rank has the same parts of both.
std::size_t number_of(std::vector<Region> held, Shapes& shapes) {
  const auto known = std::ranges::find(shapes.haloed, held);
  const auto number = static_cast<std::size_t>(known - shapes.haloed.begin());
  if (known == shapes.haloed.end()) shapes.haloed.push_back(std::move(held));
  return number;
}

class Haloed {
 public:
  Haloed(TermIndex operand, Shapes& shapes, TermTable& terms)
      : operand_(operand), shapes_(shapes), terms_(terms) {
    const Term& term = terms_[operand];
    for (const DimensionId id : term.dimensions) sizes_.push_back(shapes_.dimensions[id.index].size);
    is_cut_.assign(sizes_.size(), false);
    for (std::size_t rank = 0; rank < shapes_.regions.size(); ++rank) {
      Region& region = held_.emplace_back();
      for (std::size_t d = 0; d < sizes_.size(); ++d) {
        const auto [first, count] = extent_of(term.parts[d], term.dimensions[d], rank, shapes_, terms_);
        region.add(IndexSet(first, count));
      }
      for (std::size_t d = 0; d < sizes_.size() && region.size() > 0; ++d)
        if (region.count[d] != sizes_[d]) is_cut_[d] = true;
    }
  }

  TermIndex with(const std::vector<Halo>& halos) {
    const bool travels = std::ranges::any_of(std::views::iota(std::size_t{0}, halos.size()),
                                             [&](std::size_t d) { return is_cut_[d] && halos[d] != Halo(); });
    if (!travels) return operand_;
    auto how = std::make_shared<Regridding>();
    how->sum = LinkSum::copy;
    how->source_size = how->target_size = 1;
    std::string text = "halo";
    for (std::size_t d = 0; d < sizes_.size(); ++d) {
      const Halo& halo = halos[d];
      if (!is_cut_[d] && halo == Halo()) continue;
      how->axes.push_back(static_cast<int>(d));
      how->halo.push_back(halo);
      how->source_size *= sizes_[d];
      how->target_size *= sizes_[d];
      text += " " + shapes_.dimensions[terms_[operand_].dimensions[d].index].name + ":" +
              std::to_string(halo.before) + ":" + std::to_string(halo.after) + (halo.is_periodic ? ":p" : "");
    }
    how->links_name = text + " of " + std::to_string(number_of(along(how->axes), shapes_));
    how->has_holes = shapes_.has_holes;
    return terms_.regrid(text, operand_, std::move(how), {});
  }

 private:
  std::vector<Region> along(const std::vector<int>& axes) const {
    std::vector<Region> regions;
    for (const Region& held : held_) {
      Region& region = regions.emplace_back();
      for (const int axis : axes)
        region.add(held.size() > 0 ? held.along(static_cast<std::size_t>(axis)) : IndexSet());
    }
    return regions;
  }

  TermIndex operand_;
  Shapes& shapes_;
  TermTable& terms_;
  Extents sizes_;
  std::vector<Region> held_;  ///< by rank
  std::vector<bool> is_cut_;  ///< by dimension
};

}  // namespace

std::string problem_of_halos(const operators::Prepared& prepared, const std::vector<TermIndex>& operands,
                             const Shapes& shapes, const TermTable& terms) {
  if (!prepared.halos.empty() && (prepared.region || prepared.picks || prepared.shared))
    return "it has halos, and says itself which part it makes or picks or shares";
  for (std::size_t i = 0; i < prepared.halos.size(); ++i) {
    const std::vector<Halo>& halos = prepared.halos[i];
    const auto rank = i < operands.size() ? terms[operands[i]].dimensions.size() : 0;
    if (!halos.empty() && halos.size() != rank) {
      return "it has halos of " + std::to_string(halos.size()) + " dimensions of input " + std::to_string(i) +
             ", which has " + std::to_string(rank);
    }
    for (std::size_t d = 0; d < halos.size() && !shapes.is_imagined; ++d) {
      const PlannedDimension& one = shapes.dimensions[terms[operands[i]].dimensions[d].index];
      const auto [least, most] = std::minmax(halos[d].before, halos[d].after);
      if (least < 0 || most > one.size) return "it has a halo longer than dimension \"" + one.name + "\"";
    }
  }
  return "";
}

std::vector<TermIndex> with_halos(std::vector<TermIndex> operands,
                                  std::shared_ptr<const operators::Prepared>& prepared,
                                  const std::vector<DimensionId>& dimensions, Shapes& shapes,
                                  TermTable& terms) {
  std::vector<WantedInput> wanted(operands.size());
  for (std::size_t i = 0; i < operands.size() && i < prepared->halos.size(); ++i) {
    if (prepared->halos[i].empty()) continue;
    wanted[i].halos = prepared->halos[i];
    for (const DimensionId id : terms[operands[i]].dimensions) {
      const auto found = std::ranges::find(dimensions, id);
      wanted[i].in_result.push_back(found == dimensions.end() ? -1
                                                              : static_cast<int>(found - dimensions.begin()));
      wanted[i].sizes.push_back(shapes.dimensions[id.index].size);
    }
    if (terms[operands[i]].spread == Spread::distributed)
      operands[i] = Haloed(operands[i], shapes, terms).with(prepared->halos[i]);
  }
  prepared = completing(std::move(prepared), std::move(wanted));
  return operands;
}

}  // namespace pileus::planning
