// The terms of equations: which fields, reductions and so on an equation is made of, and what follows from
// these for its shape and its place.

#include <algorithm>

#include "core/missing.h"
#include "expression/program_builder.h"
#include "terms/terms.h"

namespace pileus::planning {

TermIndex TermTable::constant(double value) {
  Term term;
  term.kind = TermKind::constant;
  term.constant = value;
  return intern(std::move(term));
}

TermIndex TermTable::operation(Operation operation, TermIndex left, TermIndex right) {
  if (operand_count(operation) == 1) return arithmetic(operation, {left});
  if (is_commutative(operation) && right < left) std::swap(left, right);
  return arithmetic(operation, {left, right});
}

TermIndex TermTable::select(TermIndex condition, TermIndex where_true, TermIndex where_false) {
  return arithmetic(Operation::select, {where_true, where_false, condition});
}

TermIndex TermTable::arithmetic(Operation operation, std::vector<TermIndex> operands) {
  Term term;
  term.kind = TermKind::operation;
  term.operation = operation;
  term.operands = std::move(operands);
  term.leaves = leaves_of(term.operands);
  term.shape_leaves = shape_leaves_of(term.operands);
  term.is_truth = is_truth(term);
  infer_arithmetic(term);
  return intern(std::move(term));
}

TermIndex TermTable::rounded(TermIndex partial) {
  Term term;
  term.kind = TermKind::rounded;
  term.operands = {partial};
  term.leaves = std::make_shared<const std::vector<TermIndex>>(term.operands);
  term.shape_leaves = shape_leaves_of(term.operands);
  infer_arithmetic(term);
  return intern(std::move(term));
}

/// Those of the only operand that has some, or new ones. A reduced value is one leaf, with one place in the
/// order, whether it is sent to all or made near, and so is a distributed one that all ranks get whole.
std::shared_ptr<const ShapeLeaves> TermTable::shape_leaves_of(const std::vector<TermIndex>& operands) const {
  std::shared_ptr<const ShapeLeaves> shared;
  ShapeLeaves all;
  for (TermIndex operand : operands) {
    const Term& added = terms_[operand];
    if (added.kind == TermKind::constant) continue;
    const auto near = stood_for_.find(operand);
    const bool has_own = near == stood_for_.end() && added.is_arithmetic();
    if (has_own && (added.shape_leaves == shared || added.shape_leaves->empty())) continue;
    shared = all.empty() && has_own ? added.shape_leaves : nullptr;
    if (has_own) {
      all.insert(all.end(), added.shape_leaves->begin(), added.shape_leaves->end());
    } else if (near != stood_for_.end()) {
      all.emplace_back(near->second, operand);
    } else {
      all.emplace_back(added.kind == TermKind::broadcast ? added.operands.front() : operand, operand);
    }
  }
  if (shared) return shared;
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  all.resize(std::min(all.size(), kMostLeaves + 1));
  return std::make_shared<const ShapeLeaves>(std::move(all));
}

/// Those of the only operand that has some, or new ones.
std::shared_ptr<const std::vector<TermIndex>> TermTable::leaves_of(
    const std::vector<TermIndex>& operands) const {
  std::shared_ptr<const std::vector<TermIndex>> shared;
  std::vector<TermIndex> all;
  for (TermIndex operand : operands) {
    const Term& term = terms_[operand];
    if (term.is_arithmetic() && term.leaves == shared) continue;
    const std::vector<TermIndex> more = leaves(operand);
    if (more.empty()) continue;
    shared = all.empty() && term.is_arithmetic() ? term.leaves : nullptr;
    all.insert(all.end(), more.begin(), more.end());
  }
  if (shared) return shared;
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  all.resize(std::min(all.size(), kMostLeaves + 1));
  return std::make_shared<const std::vector<TermIndex>>(std::move(all));
}

bool TermTable::is_truth(const Term& operation) const {
  switch (operation.operation) {
    case Operation::less:
    case Operation::less_equal:
    case Operation::equal:
    case Operation::not_equal: return true;
    case Operation::multiply:
      return std::ranges::all_of(operation.operands,
                                 [&](TermIndex operand) { return terms_[operand].is_truth; });
    default: return false;
  }
}

void TermTable::infer_arithmetic(Term& term) const {
  if (term.operation == Operation::keep) term.missing = kMissing;
  for (TermIndex operand : term.operands) {
    if (terms_[operand].missing) term.missing = kMissing;
  }
  for (TermIndex operand : term.operands) {
    const Term& same = terms_[operand];
    if (!same.is_arithmetic() || same.leaves != term.leaves) continue;
    term.spread = same.spread;
    term.cadence = same.cadence;
    term.at_end = same.at_end;
    term.is_unknown_shape = same.is_unknown_shape;
    term.nameless_like = same.nameless_like;
    term.dimensions = same.dimensions;
    term.parts = same.parts;
    return;
  }
  infer_from_leaves(term);
}

/// Dimensions: those of the leaf that has most, then what the others add, leaf by leaf in the order of the
/// terms. The order in the equation plays no part, so that x*y and y*x are one term.
void TermTable::infer_from_leaves(Term& term) const {
  std::vector<TermIndex> order;
  for (const auto& [place, leaf] : *term.shape_leaves) order.push_back(leaf);
  std::stable_sort(order.begin(), order.end(), [&](TermIndex a, TermIndex b) {
    return terms_[a].dimensions.size() > terms_[b].dimensions.size();
  });
  for (TermIndex index : order) {
    const Term& leaf = terms_[index];
    term.spread = combined(term.spread, leaf.spread);
    term.cadence = common_cadence(term.cadence, leaf.cadence).value_or(term.cadence);
    term.at_end = term.at_end && leaf.at_end;
    term.is_unknown_shape = term.is_unknown_shape || leaf.is_unknown_shape;
    if (!term.nameless_like) term.nameless_like = leaf.nameless_like;
    for (std::size_t d = 0; d < leaf.dimensions.size(); ++d) {
      const auto known = std::find(term.dimensions.begin(), term.dimensions.end(), leaf.dimensions[d]);
      if (known == term.dimensions.end()) {
        term.dimensions.push_back(leaf.dimensions[d]);
        term.parts.push_back(leaf.parts[d]);
      } else if (Part& part = term.parts[static_cast<std::size_t>(known - term.dimensions.begin())];
                 !part.field && !part.applied) {
        part = leaf.parts[d];
      }
    }
  }
}

std::optional<double> TermTable::constant_value(TermIndex index) const {
  if (terms_[index].kind != TermKind::constant) return {};
  return terms_[index].constant;
}

std::vector<TermIndex> TermTable::leaves(TermIndex index) const {
  const Term& term = terms_[index];
  if (term.kind == TermKind::constant) return {};
  if (term.is_arithmetic()) return *term.leaves;
  return {index};
}

}  // namespace pileus::planning
