// Where values meet: which of them says where the result lies, and how the others come to it.

#include <algorithm>
#include <set>

#include "core/missing.h"
#include "terms/lowering.h"
#include "terms/part_of_whole.h"

namespace pileus::planning {

std::vector<TermIndex> Lowering::distributed_leaves(const Use& use) const {
  if (spreads_[use.node] != Spread::distributed) return {};
  std::vector<TermIndex> leaves = terms_.leaves(*values_[use.node]);
  std::erase_if(leaves, [&](TermIndex leaf) { return terms_[leaf].spread != Spread::distributed; });
  return leaves;
}

bool Lowering::is_taken_out(TermIndex term) const {
  return std::ranges::any_of(terms_[term].parts, [](const Part& part) { return part.applied.has_value(); });
}

std::pair<std::size_t, bool> Lowering::rank_in_width(TermIndex term) const {
  return {terms_[term].dimensions.size(), !is_taken_out(term)};
}

std::optional<TermIndex> Lowering::widest_of(const Node& node) const {
  std::optional<TermIndex> widest;
  for (const Use& use : node.inputs) {
    for (TermIndex leaf : distributed_leaves(use)) {
      if (terms_[leaf].is_unknown_shape) return leaf;
      // In another layout it is not distributed.
      if (terms_.stood_for(leaf)) continue;
      if (!widest || rank_in_width(leaf) > rank_in_width(*widest)) widest = leaf;
    }
  }
  return widest;
}

bool Lowering::has_widest(const Use& use, std::optional<TermIndex> widest) const {
  return widest && std::ranges::count(distributed_leaves(use), *widest) > 0;
}

TermIndex Lowering::value_of(const Node& node, const Use& use, std::optional<TermIndex> widest) {
  const TermIndex value = *values_[use.node];
  if (spreads_[use.node] == Spread::distributed && node.kind != NodeKind::apply)
    return widest && !terms_[*widest].is_unknown_shape ? beside(*widest, value) : value;
  if (terms_[value].spread != Spread::rooted || !use.is_spread) return value;
  // An operator gets all of a reduced value, wherever that lies.
  if (node.kind == NodeKind::apply) return terms_.broadcast(value);
  const auto near = widest ? places_.numbers_near(value) : std::nullopt;
  return near && places_.lies_within(*near, *widest) ? *near : terms_.broadcast(value);
}

std::vector<TermIndex> Lowering::values_of_inputs(const Node& node) {
  const auto widest = widest_of(node);
  std::vector<TermIndex> values;
  for (const Use& use : node.inputs) values.push_back(value_of(node, use, widest));
  return values;
}

/// What is as wide as the widest stays, unless it was taken out of something: two fields that the model lays
/// out in two ways are refused.
bool Lowering::goes_to_all_ranks(TermIndex leaf, TermIndex widest) const {
  if (leaf == widest || lacks_dimension(widest, leaf) || terms_[leaf].is_unknown_shape) return false;
  const bool has_slices = is_taken_out(leaf) || is_taken_out(widest);
  const bool is_narrower = terms_[leaf].dimensions.size() < terms_[widest].dimensions.size();
  // Where no rank holds some part of a field, the result has no value, wherever the slice lies.
  if (shapes_.has_holes && is_narrower) return has_slices;
  return (has_slices || is_narrower) && !places_.lies_within(leaf, widest);
}

TermIndex Lowering::beside(TermIndex widest, TermIndex value) {
  const auto stays = [&](TermIndex leaf) {
    return terms_[leaf].spread != Spread::distributed || !goes_to_all_ranks(leaf, widest);
  };
  if (std::ranges::all_of(terms_.leaves(value), stays)) return value;
  std::set<TermIndex> needed = {value};
  for (auto term = needed.rbegin(); term != needed.rend(); ++term) {
    if (terms_[*term].kind == TermKind::operation && !beside_.contains({widest, *term}))
      needed.insert(terms_[*term].operands.begin(), terms_[*term].operands.end());
  }
  for (TermIndex term : needed) {
    if (!beside_.contains({widest, term})) beside_[{widest, term}] = made_beside(widest, term);
  }
  return beside_.at({widest, value});
}

/// REQUIRES: beside_ has the operands of an operation.
TermIndex Lowering::made_beside(TermIndex widest, TermIndex value) {
  const Term& term = terms_[value];
  if (term.kind == TermKind::constant || term.spread != Spread::distributed) return value;
  // What ranks reduced for themselves comes from where it is reduced otherwise.
  if (const auto rooted = terms_.stood_for(value))
    return places_.lies_within(value, widest) ? value : terms_.broadcast(*rooted);
  if (term.kind != TermKind::operation)
    return goes_to_all_ranks(value, widest) ? whole_on_all_ranks(value) : value;
  std::vector<TermIndex> operands;
  for (TermIndex operand : term.operands) operands.push_back(beside_.at({widest, operand}));
  if (term.operation == Operation::select) return terms_.select(operands[2], operands[0], operands[1]);
  return terms_.operation(term.operation, operands.front(), operands.back());
}

/// Each element has one rank, so that the least of what all ranks have is its value.
TermIndex Lowering::whole_on_all_ranks(TermIndex distributed) {
  const TermIndex parts = terms_.localreduce(Reduction::min, distributed, {}, false);
  const TermIndex whole = terms_.communicate(Reduction::min, parts, {});
  if (shapes_.has_holes) terms_[whole].missing = kMissing;
  return terms_.stands_for(terms_.broadcast(whole), distributed);
}

std::optional<std::vector<TermIndex>> Lowering::lying_together(const Node& node,
                                                               std::vector<TermIndex> operands) {
  const auto is_distributed = [&](TermIndex term) {
    return terms_[term].spread == Spread::distributed && !terms_.stood_for(term);
  };
  std::optional<TermIndex> widest;
  for (const TermIndex operand : operands) {
    if (is_distributed(operand) && (!widest || rank_in_width(operand) > rank_in_width(*widest)))
      widest = operand;
  }
  for (TermIndex& operand : operands) {
    if (!is_distributed(operand)) continue;
    // Double precision does not have all of int64, and an operator may not know missing values.
    const bool can_go = terms_[operand].type != ElementType::int64 && !shapes_.has_holes;
    if (can_go && goes_to_all_ranks(operand, *widest)) {
      operand = part_beside(*widest, operand);
    } else if (!check_parts(node, terms_[*widest], terms_[operand])) {
      return {};
    }
  }
  return operands;
}

/// The operator shall see no other type and no other missing value than in other layouts.
TermIndex Lowering::part_beside(TermIndex widest, TermIndex operand) {
  const TermIndex whole = whole_on_all_ranks(operand);
  return part_of(whole, terms_[operand], widest);
}

TermIndex Lowering::whole_beside(TermIndex other, TermIndex whole) {
  // As doubles, whatever it was.
  const TermIndex numbers = terms_.select(terms_.constant(1), whole, whole);
  return part_of(numbers, terms_[numbers], other);
}

TermIndex Lowering::part_of(TermIndex whole, const Term& term, TermIndex widest) {
  const ElementType type = term.type;
  std::vector<DimensionId> dimensions = term.dimensions;
  operators::Quantity result{"", static_cast<operators::Type>(type), {}, term.missing};
  std::vector<int> axes;
  for (const DimensionId id : dimensions) {
    const auto& others = terms_[widest].dimensions;
    axes.push_back(static_cast<int>(std::ranges::find(others, id) - others.begin()));
  }
  return terms_.part_of_whole(whole, widest, part_of_whole(std::move(result), std::move(axes)), type,
                              std::move(dimensions));
}

}  // namespace pileus::planning
