// Operators along dimensions take whole columns or planes. Where model ranks have parts of them, servers
// bring these together as they do for regridding: each rank's stream then has all of its columns.

#include <algorithm>

#include "config/values.h"
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

/// The dimensions that the rule says it goes along; empty where it says none, or one that nothing has.
std::vector<DimensionId> Lowering::dimensions_along(const Node& node) const {
  const auto named = node.rule->parameters.find(node.declaration->along);
  std::vector<DimensionId> along;
  if (node.declaration->along.empty() || named == node.rule->parameters.end()) return along;
  for (const ListItem& item : split_list(named->second.value)) {
    const auto found = std::ranges::find(shapes_.dimensions, item.text, &PlannedDimension::name);
    if (found == shapes_.dimensions.end()) return {};
    along.emplace_back(static_cast<std::size_t>(found - shapes_.dimensions.begin()));
  }
  return along;
}

/// Whatever the layout is: where lines are whole on a rank by chance, they are not on the next machine.
bool Lowering::is_of_integers_along(const Node& node, TermIndex operand) const {
  const Term& term = terms_[operand];
  const std::vector<DimensionId> along = dimensions_along(node);
  return term.type == ElementType::int64 && term.spread == Spread::distributed &&
         std::ranges::any_of(along, [&](DimensionId one) { return has_dimension(term, one); });
}

std::vector<TermIndex> Lowering::with_whole_columns(const Node& node, std::vector<TermIndex> operands) {
  const std::vector<DimensionId> along = dimensions_along(node);
  if (along.empty() || shapes_.is_imagined) return operands;
  const auto may_be_cut = [&](TermIndex operand) {
    const Term& term = terms_[operand];
    const auto has = [&](DimensionId one) { return has_dimension(term, one); };
    return term.spread == Spread::distributed && std::ranges::all_of(along, has) && !term.is_unknown_shape &&
           term.type != ElementType::int64;
  };
  const auto is_cut = [&](TermIndex operand) {
    if (!may_be_cut(operand)) return false;
    const auto& dimensions = terms_[operand].dimensions;
    std::vector<int> axes;
    for (const DimensionId one : along)
      axes.push_back(static_cast<int>(std::ranges::find(dimensions, one) - dimensions.begin()));
    return !places_.is_undivided(terms_[operand], axes);
  };
  if (std::ranges::none_of(operands, is_cut)) return operands;
  const auto widest_of = [&] {
    std::optional<TermIndex> widest;
    for (const TermIndex operand : operands)
      if (may_be_cut(operand) && (!widest || rank_in_width(operand) > rank_in_width(*widest)))
        widest = operand;
    return *widest;
  };
  // What has no other dimensions lies beside the widest, where that has some.
  const bool is_of_one = terms_[widest_of()].dimensions.size() == along.size();
  const auto is_small = [&](TermIndex operand) {
    return !is_of_one && terms_[operand].dimensions.size() == along.size();
  };
  for (TermIndex& operand : operands)
    if (may_be_cut(operand) && !is_small(operand)) operand = brought_together(as_numbers(operand), along);
  const auto is_rooted = [&](TermIndex operand) { return terms_[operand].spread == Spread::rooted; };
  for (TermIndex& operand : operands)
    if (is_of_one && is_rooted(operand)) operand = terms_.broadcast(as_numbers(operand));
  const TermIndex widest = widest_of();
  for (TermIndex& operand : operands)
    if (may_be_cut(operand) && is_small(operand)) operand = part_beside(widest, operand);
  return operands;
}

TermIndex Lowering::brought_together(TermIndex operand, const std::vector<DimensionId>& along) {
  const std::vector<DimensionId> dimensions = terms_[operand].dimensions;
  auto how = std::make_shared<Regridding>();
  how->sum = LinkSum::copy;
  how->source_size = how->target_size = 1;
  how->links_name = "columns";
  how->is_on_one = dimensions.size() == along.size();
  std::string text = "columns along";
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    const PlannedDimension& dimension = shapes_.dimensions[dimensions[d].index];
    const bool is_along = std::ranges::find(along, dimensions[d]) != along.end();
    if (is_along) text += " " + dimension.name;
    if (is_along && !how->is_on_one) continue;
    how->axes.push_back(static_cast<int>(d));
    how->source_size *= dimension.size;
    how->target_size *= dimension.size;
    how->links_name += " " + std::to_string(dimension.size);
  }
  if (how->is_on_one) how->links_name += " on one rank";
  how->links = same_points;
  how->has_holes = shapes_.has_holes;
  return terms_.regrid(text, operand, std::move(how), dimensions);
}

}  // namespace pileus::planning
