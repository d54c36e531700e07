#pragma once
// From rules to terms: the one class behind lower_rules().

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "terms/places.h"

namespace pileus::planning {

/// Turns each rule of the configuration into a term, in dependency order, and checks that shapes fit.
class Lowering {
 public:
  Lowering(Graph& graph, const std::vector<Spread>& spreads, Shapes& shapes, TermTable& terms,
           Findings& findings)
      : graph_(graph),
        spreads_(spreads),
        shapes_(shapes),
        terms_(terms),
        findings_(findings),
        values_(graph.nodes.size()),
        places_(shapes, terms) {}

  Lowered lower();

 private:
  void lower_field(NodeIndex index);
  void lower_rule(NodeIndex index);
  /// What a localreduce makes of distributed values, and a file holds, is the same as a reduction of it.
  void bring_together(NodeIndex index);
  void place(const Entry& entry, Lowered& lowered);
  /// Texts can only be written.
  bool uses_text(const Node& node);
  /// Says which rule made a term first.
  void sign(Term& term, const Node& node) const;
  void sign_from(std::size_t first_new, const Node& node);
  std::optional<TermIndex> wrong(const Node& node, const Location& where, const std::string& what);
  void warn(const Node& node, const Location& where, const std::string& what);
  /// A Partial of each rank as numbers: from here on the result is another if the ranks are others.
  TermIndex rounded_locally(const Node& node, const Use& use, TermIndex partial, const std::string& why);
  void warn_of_layout(const Node& node, const Use& use, const std::string& why);
  void warn_of_partials(const Node& node, const std::string& why);
  TermIndex as_numbers(TermIndex term);

  // Where values meet: all of them come to where the widest of the distributed ones is.
  /// The value as this use of it wants it: where it is, or on the model ranks; all of it on each of them
  /// where its parts would not lie on those of the distributed values that it meets.
  TermIndex value_of(const Node& node, const Use& use, std::optional<TermIndex> widest);
  /// Those of an equation or an operator, in the order of its inputs.
  std::vector<TermIndex> values_of_inputs(const Node& node);
  /// What is distributed among that which a use's value is made of, in every layout.
  std::vector<TermIndex> distributed_leaves(const Use& use) const;
  /// The one with the most dimensions of all that a rule's inputs are made of, a field rather than what an
  /// operator takes of one; nothing where none is distributed.
  std::optional<TermIndex> widest_of(const Node& node) const;
  bool has_widest(const Use& use, std::optional<TermIndex> widest) const;
  /// More for what is wider.
  std::pair<std::size_t, bool> rank_in_width(TermIndex term) const;
  /// Whether an operator says which part of it a rank has, as a slicer does.
  bool is_taken_out(TermIndex term) const;
  /// Whether all ranks get the whole of a leaf, as its parts are not those of the widest.
  bool goes_to_all_ranks(TermIndex leaf, TermIndex widest) const;
  /// A distributed value with the whole of its leaves instead of their parts, where these have to go to all.
  TermIndex beside(TermIndex widest, TermIndex value);
  TermIndex made_beside(TermIndex widest, TermIndex value);
  TermIndex whole_on_all_ranks(TermIndex distributed);
  /// Operands of an operator that takes its inputs part by part, with the same part of each.
  std::optional<std::vector<TermIndex>> lying_together(const Node& node, std::vector<TermIndex> operands);
  TermIndex part_beside(TermIndex widest, TermIndex operand);
  bool is_of_integers_along(const Node& node, TermIndex operand) const;
  /// Operands of an operator along dimensions: where ranks have parts of these, they are brought together.
  std::vector<TermIndex> with_whole_columns(const Node& node, std::vector<TermIndex> operands);
  std::vector<DimensionId> dimensions_along(const Node& node) const;
  TermIndex brought_together(TermIndex operand, const std::vector<DimensionId>& along);
  /// Of a value that all ranks have whole the part that lies where `other` does, which has its dimensions.
  TermIndex part_of(TermIndex whole, const Term& term, TermIndex widest);
  TermIndex whole_beside(TermIndex other, TermIndex whole);

  TermIndex lower_given(const Node& node);
  std::optional<TermIndex> lower_lag(const Node& node);
  std::optional<TermIndex> lower_application(const Node& node);
  bool may_follow(const Node& node, TermIndex applied);
  /// An operator that reduces its dimensions: on values that are brought together, or on counts of them.
  std::optional<TermIndex> lower_reducing(const Node& node, std::optional<TermIndex> made);
  TermIndex the_only_one(TermIndex operand);
  bool is_counted(const Node& node, TermIndex operand) const;
  std::optional<TermIndex> lower_counted(const Node& node);
  bool check_counts(const Node& node, TermIndex counts);
  std::optional<TermIndex> lower_sifted(const Node& node);
  std::optional<TermIndex> lower_regridded(const Node& node);
  std::optional<std::vector<int>> sifted_axes(const Node& node, const std::vector<TermIndex>& operands);
  static bool has_dimension(const Term& term, DimensionId dimension);

  // Reductions: which one each rank makes of its part, and which one all ranks make of these.
  std::optional<TermIndex> lower_localreduce(const Node& node);
  /// The first of both has all dimensions; what it is taken with counts again where it lacks some.
  std::optional<TermIndex> lower_covariance(const Node& node);
  /// The first input has all dimensions of the others, the last of which are weights.
  std::optional<TermIndex> lower_weighted(const Node& node);
  std::optional<TermIndex> lower_tuples(const Node& node, const Use& first, const Use& other,
                                        std::vector<TermIndex> inputs, const std::vector<TermIndex>& leaves);
  std::shared_ptr<const Bins> bins_of(const Node& node);
  bool check_bins(const Node& node, const Term& reduced, const std::vector<int>& axes, const Bins& bins);
  TermIndex numbers_of(const Node& node, const Use& use, std::optional<TermIndex> widest,
                       std::vector<TermIndex>& leaves);
  bool comes_first(TermIndex term, TermIndex other) const;
  bool lacks_dimension(TermIndex term, TermIndex other) const;
  /// A reduction of an equal reduction is one over the dimensions of both.
  std::vector<int> joined_axes(const Term& inner, const std::vector<int>& outer) const;
  std::optional<std::vector<int>> reduced_axes(const Node& node, const Use& use, const Term& input);
  /// Whether these are the names that the model gives to all dimensions of a field whose parts have shapes of
  /// their own.
  bool is_all_of(NodeIndex field, const std::vector<Text>& dimensions) const;
  std::optional<TermIndex> lower_reduction(const Node& node);
  TermIndex communicated(const Node& node, TermIndex input, Reduction reduction,
                         std::vector<DimensionId> dimensions);
  /// Of covariances that a localreduce made, or of the pairs that the model ranks have.
  std::optional<TermIndex> lower_reduced_covariance(const Node& node);

  // Equations and filters, and what of them is done to Partials before these are rounded.
  std::optional<TermIndex> lower_arithmetic(const Node& node);
  /// The equation on numbers; a filter keeps the last of the inputs where it holds.
  TermIndex as_terms(const Node& node, const std::vector<TermIndex>& inputs);
  /// The equation as a constant factor of one Partial, if it is nothing else.
  std::optional<TermIndex> as_scale(TermIndex result);
  /// Whether a sum that is divided by these is the mean of what was summed up, as listings 1 to 3 of Brown et
  /// al. (2018) have it: their rules and those of mean[y,x](vwp) are the same then.
  bool is_mean(const Term& partial, const std::vector<double>& divide) const;

  // Whether what a rule combines comes in the same steps and lies on the same parts.
  bool check_cadences(const Node& node);
  /// On each rank the parts of a dimension that two inputs hold have to be the same part.
  bool check_shapes(const Node& node, const std::vector<TermIndex>& leaves);
  /// Whether all dimensions of these together are not too many.
  bool check_rank(const Node& node, const std::vector<TermIndex>& leaves);
  bool check_nameless(const Node& node, const Term& first, const Term& other);
  bool check_parts(const Node& node, const Term& a, const Term& b);
  /// Of distributed values one has to have all dimensions of the others: the result lies as it does.
  /// Otherwise each rank would only make the pairs of its own parts.
  bool check_pairs(const Node& node);
  /// The dimensions that the diagnostic declares, if they are as long as `count` says; otherwise none.
  std::vector<DimensionId> declared_dimensions(const Node& node, const std::vector<Index>& count) const;
  /// Finds dimensions for a nameless shape that is reduced element by element: those that its diagnostic
  /// declares, if they fit, or else invented ones.
  bool name_shape(const Node& node, const Use& use, NodeIndex field, std::vector<DimensionId>& dimensions);

  Graph& graph_;
  const std::vector<Spread>& spreads_;
  Shapes& shapes_;
  TermTable& terms_;
  Findings& findings_;
  std::vector<std::optional<TermIndex>> values_;
  Places places_;
  std::map<NodeIndex, std::vector<DimensionId>> invented_;  ///< for nameless fields
  /// By the widest and a value that meets it: what beside() makes of that.
  std::map<std::pair<TermIndex, TermIndex>, TermIndex> beside_;
};

}  // namespace pileus::planning
