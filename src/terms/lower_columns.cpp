// Operators along a dimension take whole columns. Where model ranks have parts of them, servers bring these
// together as they do for regridding: each rank's stream then has all of its columns.

#include <algorithm>

#include "terms/lowering.h"

namespace pileus::planning {
namespace {

/// Each point is made of itself.
LinkRows same_points(Index first, Index count) {
  LinkRows rows;
  for (Index point = first; point < first + count; ++point) {
    rows.source.push_back(point);
    rows.begin.push_back(rows.source.size());
  }
  return rows;
}

}  // namespace

std::vector<TermIndex> Lowering::with_whole_columns(const Node& node, std::vector<TermIndex> operands) {
  const auto named = node.rule->parameters.find(node.declaration->along);
  if (node.declaration->along.empty() || named == node.rule->parameters.end() || shapes_.is_imagined)
    return operands;
  const auto found = std::ranges::find(shapes_.dimensions, named->second.value, &PlannedDimension::name);
  const DimensionId along(static_cast<std::size_t>(found - shapes_.dimensions.begin()));
  const auto may_be_cut = [&](TermIndex operand) {
    const Term& term = terms_[operand];
    return term.spread == Spread::distributed && has_dimension(term, along) && !term.is_unknown_shape &&
           term.type != ElementType::int64;
  };
  const auto is_cut = [&](TermIndex operand) {
    if (!may_be_cut(operand)) return false;
    const auto& dimensions = terms_[operand].dimensions;
    const auto axis = static_cast<int>(std::ranges::find(dimensions, along) - dimensions.begin());
    return !places_.is_undivided(terms_[operand], {axis});
  };
  if (std::ranges::none_of(operands, is_cut)) return operands;
  std::optional<TermIndex> widest;
  for (TermIndex& operand : operands) {
    if (!may_be_cut(operand) || terms_[operand].dimensions.size() < 2) continue;
    operand = brought_together(as_numbers(operand), along);
    if (!widest || rank_in_width(operand) > rank_in_width(*widest)) widest = operand;
  }
  for (TermIndex& operand : operands)
    if (widest && may_be_cut(operand) && terms_[operand].dimensions.size() == 1)
      operand = part_beside(*widest, operand);
  return operands;
}

TermIndex Lowering::brought_together(TermIndex operand, DimensionId along) {
  const std::vector<DimensionId> dimensions = terms_[operand].dimensions;
  auto how = std::make_shared<Regridding>();
  how->sum = LinkSum::copy;
  how->source_size = how->target_size = 1;
  how->links_name = "columns";
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    if (dimensions[d] == along) continue;
    how->axes.push_back(static_cast<int>(d));
    const Index size = shapes_.dimensions[dimensions[d].index].size;
    how->source_size *= size;
    how->target_size *= size;
    how->links_name += " " + std::to_string(size);
  }
  how->links = same_points;
  how->has_holes = shapes_.has_holes;
  return terms_.regrid("columns along " + shapes_.dimensions[along.index].name, operand, std::move(how),
                       dimensions);
}

}  // namespace pileus::planning
