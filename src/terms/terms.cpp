#include "terms/terms.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "core/missing.h"

namespace pileus::planning {
namespace {

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

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
  key.push_back(term.bins ? 1 + term.bins->dimension.index : 0);  // which has its edges
  key.push_back(term.clock ? 1 + static_cast<std::uint64_t>(*term.clock) : 0);
  for (double factor : term.multiply) key.push_back(bits(factor));
  for (double factor : term.divide) key.push_back(bits(factor));
  key.insert(key.end(), term.operands.begin(), term.operands.end());
  // Diagnostics may declare different names for one nameless shape.
  if (term.kind == TermKind::communicate || term.kind == TermKind::given)
    for (const DimensionId id : term.dimensions) key.push_back(id.index);
  return key;
}

}  // namespace

Spread combined(Spread a, Spread b) {
  for (Spread spread : {Spread::distributed, Spread::rooted, Spread::own}) {
    if (a == spread || b == spread) return spread;
  }
  return Spread::same;
}

TermIndex TermTable::intern(Term term) {
  term.is_of_distributed =
      (term.kind == TermKind::field && term.spread == Spread::distributed) ||
      std::ranges::any_of(term.operands, [&](TermIndex one) { return terms_[one].is_of_distributed; });
  if (term.kind == TermKind::regrid) term.is_of_distributed = true;
  if (term.kind == TermKind::given) {
    term.is_static = !term.clock;
  } else if (term.kind != TermKind::field) {
    term.is_static = std::ranges::all_of(term.operands, [&](TermIndex one) { return terms_[one].is_static; });
    term.presence_varies = !term.is_static && may_vary(term);
  }
  const auto [known, is_new] = known_.try_emplace(identity(term), static_cast<TermIndex>(terms_.size()));
  if (is_new) terms_.push_back(std::move(term));
  return known->second;
}

/// Whether which elements count in a term that is no field may differ from step to step.
bool TermTable::may_vary(const Term& term) const {
  if (std::ranges::any_of(term.operands, [&](TermIndex one) { return terms_[one].presence_varies; }))
    return true;
  switch (term.kind) {
    case TermKind::operation:
      return term.operation == Operation::keep && !terms_[term.operands.back()].is_static;
    case TermKind::localreduce:
      // Weights and what bins are by.
      return std::any_of(term.operands.begin() + (declaration_of(term.reduction).takes_pairs ? 2 : 1),
                         term.operands.end(), [&](TermIndex one) { return !terms_[one].is_static; });
    case TermKind::apply:
    case TermKind::sift: return term.missing.has_value();
    default: return false;
  }
}

TermIndex TermTable::field(NodeIndex node, const FieldShape& shape, Spread spread, const Cadence& cadence,
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

TermIndex TermTable::coordinates(DimensionId dimension) {
  Term term;
  term.kind = TermKind::given;
  term.dimensions = {dimension};
  term.parts = {Part{}};
  return intern(std::move(term));
}

TermIndex TermTable::clock(ClockValue value) {
  Term term;
  term.kind = TermKind::given;
  term.clock = value;
  return intern(std::move(term));
}

TermIndex TermTable::lag(TermIndex operand, std::int64_t back, const Cadence& cadence, bool at_end) {
  Term term = terms_[operand];
  term.kind = TermKind::lag;
  term.clock.reset();
  term.field = 0;
  term.back = back;
  term.cadence = cadence;
  term.at_end = at_end;
  term.operands = {operand};
  term.application = number_of("lag by " + std::to_string(back) + " of what comes " + text(cadence) +
                               (at_end ? " and in the final step" : ""));
  return intern(std::move(term));
}

std::uint32_t TermTable::number_of(const std::string& application) {
  return applications_.try_emplace(application, static_cast<std::uint32_t>(applications_.size()))
      .first->second;
}

TermIndex TermTable::broadcast(TermIndex rooted) {
  Term term = terms_[rooted];
  term.kind = TermKind::broadcast;
  term.spread = Spread::same;
  term.axes.clear();
  term.bins = nullptr;
  term.is_in_place = false;
  term.multiply.clear();
  term.divide.clear();
  term.leaves = nullptr;
  term.shape_leaves = nullptr;
  term.is_truth = false;
  term.application = 0;
  term.prepared = nullptr;
  term.regridding = nullptr;
  term.pick = nullptr;
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

TermIndex TermTable::regrid(const std::string& what, TermIndex operand, std::shared_ptr<const Regridding> how,
                            std::vector<DimensionId> dimensions, std::vector<TermIndex> places) {
  const Term& input = terms_[operand];
  Term term;
  term.kind = TermKind::regrid;
  term.application = number_of(what);
  term.application_text = what;
  term.is_unknown_shape = !how;
  term.spread = Spread::distributed;
  term.cadence = input.cadence;
  term.at_end = input.at_end;
  term.operands = std::move(places);
  term.operands.insert(term.operands.begin(), operand);
  if (!how || how->has_holes || input.missing) term.missing = kMissing;
  if (how && how->sum == LinkSum::copy && input.missing) term.missing = as_stored(*input.missing, input.type);
  if (how && !how->halo.empty()) {  // but for the halo it lies where its operand does
    term.parts = input.parts;
    dimensions = input.dimensions;
  }
  const std::size_t slowest = how ? slowest_of_points(*how) : dimensions.size();
  for (std::size_t d = term.parts.size(); d < dimensions.size(); ++d) {
    term.parts.push_back(d == slowest ? Part{{}, static_cast<TermIndex>(terms_.size()), static_cast<int>(d)}
                                      : Part{});
  }
  term.dimensions = std::move(dimensions);
  term.regridding = std::move(how);
  return intern(std::move(term));
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

TermIndex TermTable::part_of_whole(TermIndex whole, TermIndex other,
                                   std::shared_ptr<const operators::Prepared> prepared, ElementType type,
                                   std::vector<DimensionId> dimensions) {
  const TermIndex made =
      apply("part of a whole", {whole, other}, std::move(prepared), type, std::move(dimensions));
  terms_[made].is_static = terms_[whole].is_static;
  terms_[made].presence_varies = terms_[whole].presence_varies;
  return made;
}

TermIndex TermTable::apply(const std::string& what, std::vector<TermIndex> operands,
                           std::shared_ptr<const operators::Prepared> prepared, ElementType type,
                           std::vector<DimensionId> dimensions) {
  Term term;
  term.kind = TermKind::apply;
  term.application = number_of(what);
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

}  // namespace pileus::planning
