#include "terms/places.h"

#include <algorithm>

#include "terms/made_regions.h"

namespace pileus::planning {

std::optional<TermIndex> Places::near(TermIndex index) {
  if (const auto known = known_.find(index); known != known_.end()) return known->second;
  const auto made = made_near(index);
  // What is rounded stands for the sum that it was made of.
  const bool is_other = made && *made != index && terms_[index].kind != TermKind::rounded;
  return known_[index] = is_other ? terms_.stands_for(*made, index) : made;
}

std::optional<TermIndex> Places::numbers_near(TermIndex index) {
  const auto made = near(index);
  if (!made || terms_[*made].form != Form::partials) return made;
  return terms_.stands_for(terms_.rounded(*made), index);
}

bool Places::is_averaged_exactly(TermIndex index, bool is_asked_for) const {
  if (has_varying_denominators(index)) return false;
  return is_asked_for ||
         (terms_[index].spread != Spread::distributed && size_of(index) <= kMostExactElements);
}

/// What is divided by another count or weight in each step: exact sums would keep one for each.
bool Places::has_varying_denominators(TermIndex index) const {
  const Term& term = terms_[index];
  if (term.form != Form::partials || declaration_of(term.reduction).is_root) return false;
  const Keeps keeps = keeps_of(term.reduction);
  const bool is_divided = term.reduction == Reduction::mean || keeps == Keeps::moments ||
                          (keeps == Keeps::weighted && term.reduction != Reduction::weighted_sum);
  return is_divided && term.presence_varies;
}

TermIndex Places::best(TermIndex index, bool is_exact) {
  // Nothing is reduced where no rank is; files have _FillValue there only of what lies on ranks.
  const bool is_candidate = terms_[index].spread == Spread::rooted && !shapes_.is_imagined &&
                            !shapes_.has_holes && size_of(index) > kMostExactElements;
  if (!is_candidate) return index;
  const auto made = is_exact ? near(index) : numbers_near(index);
  if (!made || terms_[*made].spread != Spread::distributed) return index;
  const Term &before = terms_[index], &after = terms_[*made];
  // Checkpoints name parts of it by its dimensions, and a run may go on where it is rooted.
  const bool is_alike =
      after.dimensions == before.dimensions && after.missing == before.missing && after.type == before.type;
  return is_alike ? *made : index;
}

std::optional<TermIndex> Places::made_near(TermIndex index) {
  const Term& term = terms_[index];
  if (term.spread == Spread::distributed || term.spread == Spread::same) return index;
  // Where no rank holds an element, no rank would make what comes of it.
  if (term.spread != Spread::rooted || shapes_.has_holes) return {};
  switch (term.kind) {
    case TermKind::localreduce: return term.is_in_place ? reduced_near(index) : std::nullopt;
    case TermKind::communicate: return reduced_near(index);
    case TermKind::operation: return computed_near(index);
    case TermKind::rounded: return numbers_near(term.operands.front());
    case TermKind::scale: {
      const auto inner = near(term.operands.front());
      // Copies, as the table may grow.
      const std::vector<double> multiply = terms_[index].multiply, divide = terms_[index].divide;
      if (!inner || terms_[*inner].form != Form::partials) return {};
      return terms_.scale(*inner, multiply, divide);
    }
    default: return {};
  }
}

/// Of what was reduced on each rank and then brought together, the first half is all.
std::optional<TermIndex> Places::reduced_near(TermIndex index) {
  const Term whole = terms_[index];
  const Term local = whole.is_in_place ? whole : terms_[whole.operands.front()];
  if (local.kind != TermKind::localreduce || local.reduction != whole.reduction || local.axes.empty() ||
      local.bins)
    return {};
  std::vector<TermIndex> operands;
  for (TermIndex operand : local.operands) {
    const auto made = numbers_near(operand);
    if (!made) return {};
    operands.push_back(*made);
  }
  const Term& reduced = terms_[operands.front()];
  if (reduced.spread != Spread::distributed || local.axes.size() >= reduced.dimensions.size()) return {};
  if (reduced.dimensions != terms_[local.operands.front()].dimensions) return {};
  if (!is_undivided(reduced, local.axes)) return {};
  if (operands.size() == 1) return terms_.reduce_in_place(whole.reduction, operands[0], local.axes);
  if (!lie_together(operands)) return {};
  return terms_.reduce_tuples_in_place(whole.reduction, std::move(operands), local.axes, nullptr);
}

std::optional<TermIndex> Places::computed_near(TermIndex index) {
  const Term term = terms_[index];
  std::vector<TermIndex> operands;
  for (TermIndex operand : term.operands) {
    const auto made = terms_[operand].kind == TermKind::constant ? operand : brought(operand, index);
    if (!made) return {};
    operands.push_back(*made);
  }
  if (!lie_together(operands)) return {};
  if (term.operation == Operation::select) return terms_.select(operands[2], operands[0], operands[1]);
  return terms_.operation(term.operation, operands.front(), operands.back());
}

/// What few numbers are is brought to where many are made of them.
std::optional<TermIndex> Places::brought(TermIndex operand, TermIndex user) {
  if (const auto made = numbers_near(operand)) return made;
  const bool is_worth_it = terms_[operand].spread == Spread::rooted && size_of(user) > kMostExactElements &&
                           size_of(operand) <= kMostExactElements;
  return is_worth_it ? std::optional(terms_.broadcast(operand)) : std::nullopt;
}

bool Places::lie_together(const std::vector<TermIndex>& operands) const {
  std::optional<TermIndex> widest;
  std::vector<TermIndex> all;
  for (TermIndex operand : operands) {
    for (TermIndex leaf : terms_.leaves(operand)) {
      if (terms_[leaf].spread != Spread::distributed) continue;
      all.push_back(leaf);
      if (!widest || terms_[leaf].dimensions.size() > terms_[*widest].dimensions.size()) widest = leaf;
    }
  }
  return widest && std::ranges::all_of(all, [&](TermIndex leaf) { return lies_within(leaf, *widest); });
}

bool Places::lies_within(TermIndex index, TermIndex widest) const {
  const Term &term = terms_[index], &other = terms_[widest];
  for (std::size_t d = 0; d < term.dimensions.size(); ++d) {
    const auto found = std::ranges::find(other.dimensions, term.dimensions[d]);
    if (found == other.dimensions.end()) return false;
    const Part& part = other.parts[static_cast<std::size_t>(found - other.dimensions.begin())];
    if (part == term.parts[d]) continue;
    for (std::size_t rank = 0; rank < shapes_.regions.size(); ++rank) {
      if (extent_of(part, term.dimensions[d], rank, shapes_, terms_) !=
          extent_of(term.parts[d], term.dimensions[d], rank, shapes_, terms_))
        return false;
    }
  }
  return true;
}

Index Places::size_of(TermIndex index) const {
  const Term& term = terms_[index];
  if (term.nameless_like || term.is_unknown_shape || shapes_.is_imagined) return 0;
  Index size = 1;
  for (DimensionId id : term.dimensions) size *= shapes_.dimensions[id.index].size;
  return size;
}

bool Places::is_undivided(const Term& term, const std::vector<int>& axes) const {
  for (std::size_t rank = 0; rank < shapes_.regions.size(); ++rank) {
    bool is_whole = true, makes_some = true;
    for (std::size_t d = 0; d < term.dimensions.size(); ++d) {
      const auto [first, count] = extent_of(term.parts[d], term.dimensions[d], rank, shapes_, terms_);
      if (std::ranges::find(axes, static_cast<int>(d)) == axes.end()) {
        makes_some = makes_some && count > 0;
      } else {
        is_whole = is_whole && first == 0 && count == shapes_.dimensions[term.dimensions[d].index].size;
      }
    }
    if (makes_some && !is_whole) return false;
  }
  return true;
}

}  // namespace pileus::planning
