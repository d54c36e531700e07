// coarsen: means over blocks of the whole domain, wherever its parts lie, so that where one model rank ends
// and the next begins makes no difference.

#include <algorithm>
#include <numeric>

#include "core/catalogue.h"

namespace pileus {
namespace operators {
Declaration coarsen();
}
namespace {

using operators::Dimension;
using operators::kUnknownSize;
using operators::ParameterError;
using operators::ParameterKind;
using operators::Quantity;

/// One dimension of the blocks.
struct Blocks {
  Index size = 0;    ///< of the fine dimension
  Index length = 1;  ///< of each block but the last, which may be shorter
  Index count() const { return size / length + (size % length > 0 ? 1 : 0); }
  IndexSet::Range of(Index block) const {
    const Index first = block * length;
    return {first, std::min(length, size - first)};
  }
};

/// "x_by_4", whose coordinates are the means of those of its blocks.
RegridDimension coarsened(const Dimension& fine, const Blocks& blocks) {
  RegridDimension coarse{blocks.length == 1 ? fine.name : fine.name + "_by_" + std::to_string(blocks.length),
                         kUnknownSize};
  coarse.units = fine.units;
  if (fine.size == kUnknownSize) return coarse;
  coarse.size = blocks.count();
  for (Index block = 0; block < coarse.size && !fine.coordinates.empty(); ++block) {
    const IndexSet::Range range = blocks.of(block);
    const auto first = fine.coordinates.begin() + range.first;
    coarse.coordinates.push_back(std::accumulate(first, first + range.count, 0.0) /
                                 static_cast<double>(range.count));
  }
  return coarse;
}

/// The points of each block, by their numbers.
LinkRows links_of(const std::vector<Blocks>& blocks, Index first, Index count) {
  LinkRows rows;
  for (Index block = first; block < first + count; ++block) {
    std::vector<Index> points = {0};
    Index rest = block, stride = 1;
    for (const Blocks& one : blocks) {
      const IndexSet::Range range = one.of(rest % one.count());
      rest /= one.count();
      std::vector<Index> more;
      for (Index i = range.first; i < range.end(); ++i)
        for (const Index point : points) more.push_back(point + i * stride);
      points = std::move(more);
      stride *= one.size;
    }
    rows.source.insert(rows.source.end(), points.begin(), points.end());
    rows.begin.push_back(rows.source.size());
  }
  return rows;
}

Regridding blocks_of(const operators::Rule& rule, const ReadGrid&) {
  const Quantity& field = rule.inputs.front();
  const std::vector<std::string> names = rule.list("dimensions");
  const std::vector<Index> lengths = rule.whole_numbers("by");
  if (names.empty()) throw ParameterError("dimensions", "which dimensions are to be coarsened?");
  if (names.size() != lengths.size()) {
    throw ParameterError("by", std::to_string(lengths.size()) + " lengths of blocks for " +
                                   std::to_string(names.size()) + " dimensions; each needs its own");
  }
  std::vector<std::pair<int, Index>> wanted;  // by axis
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (lengths[i] < 1) throw ParameterError("by", "a block has at least 1 element");
    if (std::ranges::count(names, names[i]) > 1)
      throw ParameterError("dimensions", "\"" + names[i] + "\" is there twice");
    wanted.emplace_back(rule.axis("dimensions", field, names[i]), lengths[i]);
  }
  std::ranges::sort(wanted);
  Regridding how;
  how.sum = LinkSum::mean;
  how.links_name = "coarsen";
  how.source_size = how.target_size = 1;
  std::vector<Blocks> blocks;
  for (const auto& [axis, length] : wanted) {
    const Dimension& fine = field.dimensions[static_cast<std::size_t>(axis)];
    blocks.push_back({std::max<Index>(fine.size, 1), length});
    how.axes.push_back(axis);
    how.dimensions.push_back(coarsened(fine, blocks.back()));
    how.dimensions.back().cut_from = axis;
    how.dimensions.back().block = length;
    how.source_size *= blocks.back().size;
    how.target_size *= blocks.back().count();
    how.links_name += " " + std::to_string(blocks.back().size) + ":" + std::to_string(length);
  }
  const bool is_adjacent = how.axes.back() - how.axes.front() + 1 == static_cast<int>(how.axes.size());
  if (!is_adjacent) {
    throw ParameterError("dimensions", "\"" + field.name + "\" has other dimensions between them");
  }
  how.links = [blocks](Index first, Index count) { return links_of(blocks, first, count); };
  return how;
}

}  // namespace

Declaration operators::coarsen() {
  Declaration declaration{
      "coarsen",
      "Means over blocks of some dimensions, across the borders of model ranks; the last block may be "
      "shorter. "
      "The new dimension is \"x_by_4\", its coordinates the means of those of the blocks.",
      {{"field", ParameterKind::name, true, "", {}, "the field or result that is coarsened"},
       {"dimensions", ParameterKind::names, true, "", {}, "the dimensions, for example \"y,x\""},
       {"by", ParameterKind::whole_numbers, true, "", {}, "how many elements a block has in each, \"4,4\""}},
      RuleKind::regrid};
  declaration.regrid = blocks_of;
  return declaration;
}

}  // namespace pileus
