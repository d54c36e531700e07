#include "rules/terms.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "core/missing.h"
#include "expression/program_builder.h"

namespace pileus::planning {
namespace {

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

void sort_by_bits(std::vector<double>& values) {
  std::sort(values.begin(), values.end(), [](double a, double b) { return bits(a) < bits(b); });
}

/// Everything that distinguishes a term from another.
std::vector<std::uint64_t> identity(const Term& term) {
  std::vector<std::uint64_t> key = {static_cast<std::uint64_t>(term.kind),
                                    term.field,
                                    static_cast<std::uint64_t>(term.operation),
                                    bits(term.constant),
                                    static_cast<std::uint64_t>(term.reduction),
                                    term.axes.size(),
                                    term.multiply.size(),
                                    term.divide.size(),
                                    term.application,
                                    term.is_in_place,
                                    term.is_unknown_shape};
  for (int axis : term.axes) key.push_back(static_cast<std::uint64_t>(axis));
  for (double factor : term.multiply) key.push_back(bits(factor));
  for (double factor : term.divide) key.push_back(bits(factor));
  key.insert(key.end(), term.operands.begin(), term.operands.end());
  // Diagnostics may declare different names for one nameless shape.
  if (term.kind == TermKind::communicate)
    for (const DimensionId id : term.dimensions) key.push_back(id.index);
  return key;
}

Spread combined(Spread a, Spread b) {
  for (Spread spread : {Spread::distributed, Spread::rooted, Spread::own}) {
    if (a == spread || b == spread) return spread;
  }
  return Spread::same;
}

}  // namespace

std::optional<std::int64_t> common_cadence(std::int64_t a, std::int64_t b) {
  if (a == 0 || b == 0) return 0;
  const std::int64_t factor = b / std::gcd(a, b);
  if (a > std::numeric_limits<std::int64_t>::max() / factor) return {};
  return a * factor;
}

TermIndex TermTable::intern(Term term) {
  term.is_of_distributed =
      (term.kind == TermKind::field && term.spread == Spread::distributed) ||
      std::ranges::any_of(term.operands, [&](TermIndex one) { return terms_[one].is_of_distributed; });
  const auto [known, is_new] = known_.try_emplace(identity(term), static_cast<TermIndex>(terms_.size()));
  if (is_new) terms_.push_back(std::move(term));
  return known->second;
}

TermIndex TermTable::field(NodeIndex node, const FieldShape& shape, Spread spread, std::int64_t cadence,
                           bool at_end, std::optional<double> missing) {
  Term term;
  term.field = node;
  term.spread = spread;
  term.type = shape.wire_type;
  term.dimensions = shape.dimensions;
  for (std::size_t d = 0; d < shape.dimensions.size(); ++d) {
    term.parts.push_back(spread == Spread::distributed ? Part{node, {}, static_cast<int>(d)} : Part{});
  }
  if (shape.has_nameless_shape) term.nameless_like = node;
  term.is_unknown_shape = shape.is_unknown;
  term.cadence = cadence;
  term.at_end = at_end;
  term.missing = missing;
  return intern(std::move(term));
}

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

Term TermTable::reduced_locally(Reduction reduction, TermIndex operand, std::vector<int> axes) const {
  const Term& input = terms_[operand];
  Term term;
  term.reduction = reduction;
  term.operands = {operand};
  term.spread = Spread::own;
  term.form = Form::partials;
  term.cadence = input.cadence;
  term.at_end = input.at_end;
  for (std::size_t d = 0; d < input.dimensions.size(); ++d) {
    if (std::find(axes.begin(), axes.end(), static_cast<int>(d)) == axes.end()) {
      term.dimensions.push_back(input.dimensions[d]);
    }
  }
  term.parts.resize(term.dimensions.size());  // a Partial of nothing stands where a rank holds nothing
  term.axes = std::move(axes);
  return term;
}

TermIndex TermTable::localreduce(Reduction reduction, TermIndex operand, std::vector<int> axes,
                                 bool is_whole) {
  Term term = reduced_locally(reduction, operand, std::move(axes));
  term.kind = TermKind::localreduce;
  if (terms_[operand].missing) term.missing = kMissing;
  term.is_unknown_shape = terms_[operand].is_unknown_shape && !is_whole;
  return intern(std::move(term));
}

TermIndex TermTable::reduce_in_place(Reduction reduction, TermIndex operand, std::vector<int> axes) {
  Term term = reduced_locally(reduction, operand, std::move(axes));
  const Term& input = terms_[operand];
  term.kind = TermKind::localreduce;
  term.spread = input.spread;
  if (input.missing) term.missing = kMissing;
  term.is_unknown_shape = input.is_unknown_shape;
  lie_in_place(term);
  return intern(std::move(term));
}

/// Its parts are those of what it reduces.
void TermTable::lie_in_place(Term& term) const {
  const Term& input = terms_[term.operands.front()];
  term.is_in_place = true;
  term.parts.clear();
  for (std::size_t d = 0; d < input.parts.size(); ++d) {
    if (std::ranges::find(term.axes, static_cast<int>(d)) == term.axes.end())
      term.parts.push_back(input.parts[d]);
  }
}

TermIndex TermTable::covariance(TermIndex operand, TermIndex with, std::vector<int> axes, bool is_whole) {
  return intern(pairs_reduced(operand, with, std::move(axes), is_whole));
}

TermIndex TermTable::covariance_in_place(TermIndex operand, TermIndex with, std::vector<int> axes) {
  Term term = pairs_reduced(operand, with, std::move(axes), false);
  lie_in_place(term);
  term.spread = combined(terms_[operand].spread, terms_[with].spread);
  return intern(std::move(term));
}

Term TermTable::pairs_reduced(TermIndex operand, TermIndex with, std::vector<int> axes, bool is_whole) const {
  const bool is_alike =
      terms_[with].dimensions == terms_[operand].dimensions && terms_[with].spread == terms_[operand].spread;
  if (with < operand && is_alike) std::swap(operand, with);
  Term term = reduced_locally(Reduction::covariance, operand, std::move(axes));
  term.kind = TermKind::localreduce;
  term.operands.push_back(with);
  const Term& other = terms_[with];
  term.cadence = common_cadence(term.cadence, other.cadence).value_or(term.cadence);
  term.at_end = term.at_end && other.at_end;
  if (terms_[operand].missing || other.missing) term.missing = kMissing;
  term.is_unknown_shape = (terms_[operand].is_unknown_shape || other.is_unknown_shape) && !is_whole;
  return term;
}

TermIndex TermTable::locate(TermIndex field, TermIndex value, std::vector<int> axes) {
  Term term = reduced_locally(Reduction::min, field, std::move(axes));
  term.kind = TermKind::locate;
  term.operands.push_back(value);
  term.cadence = common_cadence(term.cadence, terms_[value].cadence).value_or(term.cadence);
  term.at_end = term.at_end && terms_[value].at_end;
  term.is_unknown_shape = terms_[field].is_unknown_shape || terms_[value].is_unknown_shape;
  term.missing = kMissing;  // a rank may not have it, and where there is no value no rank has
  return intern(std::move(term));
}

TermIndex TermTable::communicate(Reduction reduction, TermIndex operand,
                                 std::vector<DimensionId> dimensions) {
  const Term& input = terms_[operand];
  Term term;
  term.kind = TermKind::communicate;
  term.reduction = reduction;
  term.operands = {operand};
  term.spread = Spread::rooted;
  term.form = Form::partials;
  term.cadence = input.cadence;
  term.at_end = input.at_end;
  if (input.missing) term.missing = kMissing;
  term.is_unknown_shape = input.is_unknown_shape;
  term.dimensions = input.nameless_like ? std::move(dimensions) : input.dimensions;
  term.parts.resize(term.dimensions.size());
  return intern(std::move(term));
}

TermIndex TermTable::broadcast(TermIndex rooted) {
  Term term = terms_[rooted];
  term.kind = TermKind::broadcast;
  term.spread = Spread::same;
  term.axes.clear();
  term.is_in_place = false;
  term.multiply.clear();
  term.divide.clear();
  term.leaves = nullptr;
  term.shape_leaves = nullptr;
  term.is_truth = false;
  term.application = 0;
  term.prepared = nullptr;
  term.operands = {rooted};
  return intern(std::move(term));
}

TermIndex TermTable::stands_for(TermIndex near, TermIndex usual) {
  stood_for_[near] = usual;
  const std::vector<DimensionId>& order = terms_[usual].dimensions;
  Term& term = terms_[near];
  if (!term.is_arithmetic() || !std::ranges::is_permutation(term.dimensions, order)) return near;
  std::vector<Part> parts;
  for (DimensionId id : order) {
    const auto at = std::ranges::find(term.dimensions, id) - term.dimensions.begin();
    parts.push_back(term.parts[static_cast<std::size_t>(at)]);
  }
  term.dimensions = order;
  term.parts = std::move(parts);
  return near;
}

std::optional<TermIndex> TermTable::stood_for(TermIndex index) const {
  const auto found = stood_for_.find(index);
  return found == stood_for_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<TermIndex> TermTable::applied(const std::string& what,
                                            const std::vector<TermIndex>& operands) const {
  const auto application = applications_.find(what);
  if (application == applications_.end()) return {};
  Term term;
  term.kind = TermKind::apply;
  term.application = application->second;
  term.operands = operands;
  for (bool is_unknown : {false, true}) {
    term.is_unknown_shape = is_unknown;
    if (const auto known = known_.find(identity(term)); known != known_.end()) return known->second;
  }
  return {};
}

TermIndex TermTable::apply(const std::string& what, std::vector<TermIndex> operands,
                           std::shared_ptr<const operators::Prepared> prepared, ElementType type,
                           std::vector<DimensionId> dimensions) {
  Term term;
  term.kind = TermKind::apply;
  term.application =
      applications_.try_emplace(what, static_cast<std::uint32_t>(applications_.size())).first->second;
  term.application_text = what;
  term.is_unknown_shape = !prepared;
  term.prepared = std::move(prepared);
  if (term.prepared) term.missing = term.prepared->result.missing;
  term.operands = std::move(operands);
  term.type = type;
  term.dimensions = std::move(dimensions);
  for (TermIndex operand : term.operands) {
    term.spread = combined(term.spread, terms_[operand].spread);
    term.cadence = common_cadence(term.cadence, terms_[operand].cadence).value_or(term.cadence);
    term.at_end = term.at_end && terms_[operand].at_end;
    if (!term.prepared && terms_[operand].missing) term.missing = terms_[operand].missing;
  }
  const bool is_whole = term.spread != Spread::distributed || term.is_unknown_shape;
  const bool says_itself = !is_whole && term.prepared->region;
  for (std::size_t d = 0; d < term.dimensions.size(); ++d) {
    term.parts.push_back(is_whole      ? Part{}
                         : says_itself ? Part{{}, static_cast<TermIndex>(terms_.size()), static_cast<int>(d)}
                                       : part_of_operands(term, term.dimensions[d]));
  }
  return intern(std::move(term));
}

/// Where an operator does not say which part of its result follows from parts of its operands.
Part TermTable::part_of_operands(const Term& term, DimensionId dimension) const {
  for (TermIndex operand : term.operands) {
    const Term& input = terms_[operand];
    const auto found = std::ranges::find(input.dimensions, dimension);
    if (found != input.dimensions.end() && input.spread != Spread::same)
      return input.parts[static_cast<std::size_t>(found - input.dimensions.begin())];
  }
  return {};
}

TermIndex TermTable::scale(TermIndex partial, std::vector<double> multiply, std::vector<double> divide) {
  if (terms_[partial].kind == TermKind::scale) {
    const Term& inner = terms_[partial];
    multiply.insert(multiply.end(), inner.multiply.begin(), inner.multiply.end());
    divide.insert(divide.end(), inner.divide.begin(), inner.divide.end());
    partial = inner.operands.front();
  }
  if (multiply.empty() && divide.empty()) return partial;
  sort_by_bits(multiply);
  sort_by_bits(divide);
  Term term = terms_[partial];
  term.kind = TermKind::scale;
  term.is_truth = false;
  term.axes.clear();
  term.is_in_place = false;
  term.operands = {partial};
  term.multiply = std::move(multiply);
  term.divide = std::move(divide);
  return intern(std::move(term));
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
