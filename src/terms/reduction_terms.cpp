// The terms of reductions: what a rank keeps of its part, what all ranks make of that, and constants that go
// into Partials.

#include <algorithm>
#include <bit>

#include "core/missing.h"
#include "terms/terms.h"

namespace pileus::planning {
namespace {

void sort_by_bits(std::vector<double>& values) {
  std::sort(values.begin(), values.end(), [](double a, double b) {
    return std::bit_cast<std::uint64_t>(a) < std::bit_cast<std::uint64_t>(b);
  });
}

}  // namespace

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
  if (term.bins) term.parts.emplace_back();
}

TermIndex TermTable::reduce_tuples(Reduction reduction, std::vector<TermIndex> operands,
                                   std::vector<int> axes, bool is_whole, std::shared_ptr<const Bins> bins) {
  return intern(tuples_reduced(reduction, std::move(operands), std::move(axes), is_whole, std::move(bins)));
}

TermIndex TermTable::reduce_tuples_in_place(Reduction reduction, std::vector<TermIndex> operands,
                                            std::vector<int> axes, std::shared_ptr<const Bins> bins) {
  Term term = tuples_reduced(reduction, std::move(operands), std::move(axes), false, std::move(bins));
  lie_in_place(term);
  term.spread = terms_[term.operands.front()].spread;
  for (const TermIndex operand : term.operands) term.spread = combined(term.spread, terms_[operand].spread);
  return intern(std::move(term));
}

Term TermTable::tuples_reduced(Reduction reduction, std::vector<TermIndex> operands, std::vector<int> axes,
                               bool is_whole, std::shared_ptr<const Bins> bins) const {
  const Term &first = terms_[operands[0]], &second = terms_[operands[1]];
  const bool is_alike = second.dimensions == first.dimensions && second.spread == first.spread;
  if (declaration_of(reduction).takes_pairs && operands[1] < operands[0] && is_alike)
    std::swap(operands[0], operands[1]);
  Term term = reduced_locally(reduction, operands[0], std::move(axes));
  term.kind = TermKind::localreduce;
  const auto is_missing = [&](TermIndex operand) { return terms_[operand].missing.has_value(); };
  const auto is_unknown = [&](TermIndex operand) { return terms_[operand].is_unknown_shape; };
  for (const TermIndex operand : operands) {
    term.cadence = common_cadence(term.cadence, terms_[operand].cadence).value_or(term.cadence);
    term.at_end = term.at_end && terms_[operand].at_end;
  }
  const bool may_miss = std::ranges::any_of(operands, is_missing);
  const ReductionDeclaration& declared = declaration_of(reduction);
  // All weights may be 0, and a bin empty.
  const bool may_be_of_nothing = (declared.is_weighted || bins) && !declared.is_of_nothing_0;
  if (may_miss || may_be_of_nothing) term.missing = kMissing;
  term.is_unknown_shape = std::ranges::any_of(operands, is_unknown) && !is_whole;
  term.operands = std::move(operands);
  if (bins) {
    term.dimensions.push_back(bins->dimension);
    term.parts.emplace_back();
  }
  term.bins = std::move(bins);
  return term;
}

TermIndex TermTable::sift(std::shared_ptr<const Pick> pick, std::vector<TermIndex> operands,
                          std::vector<int> axes) {
  Term term = reduced_locally(pick->reduction, operands.front(), std::move(axes));
  term.kind = TermKind::sift;
  term.operands = std::move(operands);
  term.application = number_of(pick->what);
  term.pick = std::move(pick);
  for (TermIndex operand : term.operands) {
    term.cadence = common_cadence(term.cadence, terms_[operand].cadence).value_or(term.cadence);
    term.at_end = term.at_end && terms_[operand].at_end;
    term.is_unknown_shape = term.is_unknown_shape || terms_[operand].is_unknown_shape;
  }
  term.missing = kMissing;  // a rank may pick nothing, and perhaps no rank picks anything
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
  term.bins = nullptr;
  term.is_in_place = false;
  term.operands = {partial};
  term.multiply = std::move(multiply);
  term.divide = std::move(divide);
  return intern(std::move(term));
}

}  // namespace pileus::planning
