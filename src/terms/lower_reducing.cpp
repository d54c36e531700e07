// Operators that reduce dimensions of which they need all values, such as quantiles.

#include <algorithm>

#include "terms/application.h"
#include "terms/lowering.h"

namespace pileus::planning {

/// The only element, which one rank has.
TermIndex Lowering::the_only_one(TermIndex operand) {
  const Spread spread = terms_[operand].spread;
  if (spread == Spread::rooted || spread == Spread::same)
    return terms_.reduce_in_place(Reduction::max, operand, {0});
  return terms_.communicate(Reduction::max, terms_.localreduce(Reduction::max, operand, {0}, false), {});
}

/// Of distributed values all ranks have the result, or parts of it, as of any operator.
std::optional<TermIndex> Lowering::lower_reducing(const Node& node, std::optional<TermIndex> made) {
  if (!made || node.declaration->unit.empty()) return made;
  const std::vector<DimensionId>& left = terms_[*made].dimensions;
  if (left.size() == 1 && shapes_.dimensions[left.front().index].name == node.declaration->unit)
    made = the_only_one(*made);
  if (terms_[*made].spread == Spread::rooted && spreads_[node.inputs.front().node] == Spread::distributed)
    made = terms_.broadcast(*made);
  const Node& field = graph_.nodes[node.inputs.front().node];
  const std::vector<DimensionId> along = dimensions_along(node);
  if (!node.declaration->keeps_units)
    terms_[*made].units = along.empty() ? "" : shapes_.dimensions[along.front().index].units;
  else if (field.is_field())
    terms_[*made].units = field.field->metadata.units.value;
  return made;
}

bool Lowering::is_counted(const Node& node, TermIndex operand) const {
  const auto& counting = node.declaration->counting;
  if (!counting) return false;
  const auto asked = node.rule->parameters.find(counting->asked_by);
  const std::string way = asked == node.rule->parameters.end() ? "" : asked->second.value;
  if (way == "counts" || way == "exact") return way == "counts";
  Index values = shapes_.is_imagined ? 0 : 1;
  for (const DimensionId one : dimensions_along(node))
    values *= has_dimension(terms_[operand], one) ? shapes_.dimensions[one.index].size : 1;
  return values > counting->most;
}

/// Each element of what is left has counts of its own.
bool Lowering::check_counts(const Node& node, TermIndex counts) {
  constexpr Index kMostCounts = Index{1} << 25;
  const std::vector<DimensionId> along = dimensions_along(node);
  Index size = 1;
  for (const DimensionId one : terms_[counts].dimensions) {
    if (std::ranges::count(along, one) > 0) continue;  // these are added up
    const Index extent = std::max<Index>(shapes_.dimensions[one.index].size, 1);
    if (shapes_.is_imagined || size > kMostCounts) break;
    size *= extent;
  }
  if (size <= kMostCounts) return true;
  wrong(node, node.where,
        quoted(node.name) + " would keep more than " + std::to_string(kMostCounts) +
            " counts, some 65 thousand for each element of its result: take method=exact, or reduce more "
            "dimensions");
  return false;
}

std::optional<TermIndex> Lowering::lower_counted(const Node& node) {
  const Counting& counting = *node.declaration->counting;
  const Use& use = node.inputs.front();
  warn_of_partials(node, "this operator rounds it before it is reduced");
  const TermIndex operand = as_numbers(*values_[use.node]);
  const bool is_distributed = terms_[operand].spread == Spread::distributed;
  Node count = node, finish = node;
  count.declaration = &counting.count;
  finish.declaration = &counting.finish;
  // What is in one place is counted there at once.
  RuleConfig& rule = graph_.made_rules.emplace_back(*node.rule);
  rule.parameters[counting.asked_by].value = is_distributed ? "counts" : "whole";
  count.rule = &rule;
  auto made = apply_operator(graph_, count, {operand}, shapes_, terms_, findings_, {}, is_distributed);
  if (!made || !check_counts(node, *made)) return {};
  if (is_distributed && !terms_[*made].is_unknown_shape) {
    const std::vector<DimensionId> along = dimensions_along(node);
    std::vector<int> axes;
    for (std::size_t d = 0; d < terms_[*made].dimensions.size(); ++d)
      if (std::ranges::count(along, terms_[*made].dimensions[d]) > 0) axes.push_back(static_cast<int>(d));
    const TermIndex local = terms_.localreduce(Reduction::sum, *made, std::move(axes), false);
    made = terms_.rounded(terms_.communicate(Reduction::sum, local, {}));
  }
  made = lower_reducing(node, apply_operator(graph_, finish, {*made}, shapes_, terms_, findings_, {}));
  if (made) terms_[*made].note = counting.note;
  return made;
}

}  // namespace pileus::planning
