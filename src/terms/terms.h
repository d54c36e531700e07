#pragma once
// Everything that is computed, as terms over fields: equal terms are one term, whatever they are called and
// whichever diagnostic they stand in. The Plan's values are the terms that are worth keeping.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rules/graph.h"
#include "rules/model_shapes.h"

namespace pileus::planning {

using TermIndex = std::uint32_t;

enum class TermKind : std::uint8_t {
  field,
  constant,
  operation,  ///< of arithmetic, on numbers: inputs that are Partials are rounded
  rounded,    ///< a Partial as numbers
  localreduce,
  communicate,
  scale,      ///< a Partial by constants
  broadcast,  ///< a rooted value, on all servers
  sift,       ///< Partials of what a rank picks out of its part
  apply,      ///< an operator as it is declared
  regrid,     ///< of elements that lie on any model ranks
  given,      ///< coordinates of its dimension, or what the clock says
  lag         ///< what a field or the clock was some hand-overs before
};

/// Which region tells what a rank holds of a dimension: that of a registered field, or of the result of an
/// operator; neither: all of it.
struct Part {
  std::optional<NodeIndex> field;
  std::optional<TermIndex> applied;
  int axis = 0;
  friend bool operator==(const Part&, const Part&) = default;
};

/// Into which bins a reduction puts its values, by its last operand.
struct Bins {
  DimensionId dimension;
  std::vector<double> edges;
};

/// What gives an operation its dimensions, each behind the term that says where it stands in their order.
using ShapeLeaves = std::vector<std::pair<TermIndex, TermIndex>>;

struct Term {
  TermKind kind = TermKind::field;
  NodeIndex field = 0;                        ///< of a field
  Operation operation = Operation::constant;  ///< of an operation
  double constant = 0;                        ///< of a constant
  std::optional<ClockValue> clock;            ///< of given; empty: coordinates
  std::int64_t back = 0;                      ///< of lag: how many hand-overs
  Reduction reduction = Reduction::sum;  ///< of localreduce and communicate; of a scale: that of the Partial
  std::vector<int> axes;                 ///< of localreduce and sift
  std::shared_ptr<const Bins> bins;      ///< of localreduce
  bool is_in_place = false;              ///< a localreduce that is whole where its operand lies
  std::vector<double> multiply, divide;  ///< of scale, sorted by bits
  std::uint32_t application = 0;         ///< of apply and sift: what is done, equal texts have one number
  std::string application_text;          ///< of apply: the operator and its parameters
  std::shared_ptr<const operators::Prepared> prepared;  ///< of apply, where shapes are known
  std::shared_ptr<const Regridding> regridding;         ///< of regrid, likewise
  std::shared_ptr<const Pick> pick;                     ///< of sift
  std::vector<TermIndex> operands;  ///< smaller than the term's own index; of select the condition is last
  /// Of an operation: its fields and the like, ascending. What is made of it and constants shares them.
  std::shared_ptr<const std::vector<TermIndex>> leaves;
  /// Of an operation: what gives it its dimensions, shared likewise.
  std::shared_ptr<const ShapeLeaves> shape_leaves;

  // What follows from the above.
  Spread spread = Spread::same;
  Form form = Form::numbers;
  ElementType type = ElementType::float64;
  std::vector<DimensionId> dimensions;
  std::vector<Part> parts;                 ///< by dimension
  std::optional<NodeIndex> nameless_like;  ///< the field that has the shape of this nameless one
  bool is_unknown_shape = false;           ///< only without a model
  bool is_of_distributed = false;          ///< a field behind it is spread over the model ranks
  bool is_static = false;                  ///< it never changes; a field says so
  bool presence_varies = false;            ///< which elements are missing or count, with which weight, is not
                                           ///< the same in each step; of holes among points it is
  bool is_truth = false;                   ///< 0 or 1: a comparison, or "and", "or" and "not" of such
  Cadence cadence;                         ///< of none: at the end only
  bool at_end = true;                      ///< it has a value in the final step, whatever its index

  std::optional<double> missing;  ///< see Value
  std::string units;              ///< of what a rule makes that declares them; else ""
  std::string note;               ///< what files say about it, or ""

  // For messages, from the first rule that makes it.
  std::string name;
  std::string rule_name;
  Location where;
  DiagnosticIndex diagnostic = 0;
  NodeIndex node = 0;  ///< of a rule

  /// Whether it is computed from numbers wherever those are.
  bool is_computed() const { return is_arithmetic() || kind == TermKind::apply; }
  bool is_arithmetic() const { return kind == TermKind::operation || kind == TermKind::rounded; }
};

/// Where terms are made. Every function returns the term, known or new; facts follow from the operands.
class TermTable {
 public:
  const Term& operator[](TermIndex index) const { return terms_[index]; }
  Term& operator[](TermIndex index) { return terms_[index]; }
  std::size_t size() const { return terms_.size(); }

  TermIndex field(NodeIndex node, const FieldShape& shape, Spread spread, const Cadence& cadence, bool at_end,
                  std::optional<double> missing = {});
  TermIndex constant(double value);
  TermIndex coordinates(DimensionId dimension);
  TermIndex clock(ClockValue value);
  /// REQUIRES: the operand is a field that changes, or of the clock. `cadence`, `at_end`: of its hand-overs.
  TermIndex lag(TermIndex operand, std::int64_t back, const Cadence& cadence, bool at_end);
  /// `right` is ignored by operations on one operand. REQUIRES: not select.
  TermIndex operation(Operation operation, TermIndex left, TermIndex right = 0);
  /// `where_true` where `condition` is not 0, otherwise `where_false`.
  TermIndex select(TermIndex condition, TermIndex where_true, TermIndex where_false);
  TermIndex rounded(TermIndex partial);
  /// REQUIRES: axes are positions in the operand's dimensions, ascending.
  /// `is_whole`: over all dimensions, however many there are.
  TermIndex localreduce(Reduction reduction, TermIndex operand, std::vector<int> axes, bool is_whole);
  /// Over dimensions of which every place that holds some of the operand holds all: the result lies as the
  /// operand does. REQUIRES: the operand is not own.
  TermIndex reduce_in_place(Reduction reduction, TermIndex operand, std::vector<int> axes);
  /// Of several operands: a value, of pairs the other, then the weights. REQUIRES: the first has all
  /// dimensions of the others.
  /// `bins`: null where there are none.
  TermIndex reduce_tuples(Reduction reduction, std::vector<TermIndex> operands, std::vector<int> axes,
                          bool is_whole, std::shared_ptr<const Bins> bins);
  /// Of values that are on one server or the same everywhere.
  TermIndex reduce_tuples_in_place(Reduction reduction, std::vector<TermIndex> operands,
                                   std::vector<int> axes, std::shared_ptr<const Bins> bins);
  /// `dimensions` are those of the result where the operand has a nameless shape.
  TermIndex communicate(Reduction reduction, TermIndex operand, std::vector<DimensionId> dimensions);
  TermIndex broadcast(TermIndex rooted);
  /// `near` is what takes the place of `usual` in this layout: a reduced value as the model ranks make it of
  /// themselves, or a distributed one that all of them get whole. Nothing that is said of values may show
  /// which of the two it was. Returns `near`.
  TermIndex stands_for(TermIndex near, TermIndex usual);
  /// What a term stands for, if it does.
  std::optional<TermIndex> stood_for(TermIndex index) const;
  /// Of a field, and of what its elements are compared with, if anything. REQUIRES: axes are positions in the
  /// field's dimensions, ascending; a second operand has the others.
  TermIndex sift(std::shared_ptr<const Pick> pick, std::vector<TermIndex> operands, std::vector<int> axes);
  /// A scale of a scale is one scale; without factors it is the operand itself.
  TermIndex scale(TermIndex partial, std::vector<double> multiply, std::vector<double> divide);

  /// Where an operator is applied: the term that is known already, or empty.
  std::optional<TermIndex> applied(const std::string& identity, const std::vector<TermIndex>& operands) const;
  /// `identity`: the operator and its parameters. `type`, `dimensions`: those of the result.
  /// Of a whole value, the first of the operands, the part that lies where the other does.
  TermIndex part_of_whole(TermIndex whole, TermIndex other,
                          std::shared_ptr<const operators::Prepared> prepared, ElementType type,
                          std::vector<DimensionId> dimensions);
  TermIndex apply(const std::string& identity, std::vector<TermIndex> operands,
                  std::shared_ptr<const operators::Prepared> prepared, ElementType type,
                  std::vector<DimensionId> dimensions);

  /// `how`: null where shapes are not known. `dimensions`: those of the result.
  /// `places`: latitude and longitude of the points, which are to be those of the weights, or none.
  TermIndex regrid(const std::string& identity, TermIndex operand, std::shared_ptr<const Regridding> how,
                   std::vector<DimensionId> dimensions, std::vector<TermIndex> places = {});

  /// The constant that a term is, if it is one.
  std::optional<double> constant_value(TermIndex index) const;
  /// The fields, reductions and so on that an equation's term is made of, ascending.
  std::vector<TermIndex> leaves(TermIndex index) const;
  /// Of one equation, with those of what it is made of. One more is kept, so that it is seen.
  static constexpr std::size_t kMostLeaves = 1000;

 private:
  TermIndex intern(Term term);
  bool may_vary(const Term& term) const;
  TermIndex arithmetic(Operation operation, std::vector<TermIndex> operands);
  void infer_arithmetic(Term& term) const;
  void infer_from_leaves(Term& term) const;
  std::shared_ptr<const std::vector<TermIndex>> leaves_of(const std::vector<TermIndex>& operands) const;
  std::shared_ptr<const ShapeLeaves> shape_leaves_of(const std::vector<TermIndex>& operands) const;
  bool is_truth(const Term& operation) const;
  Term tuples_reduced(Reduction reduction, std::vector<TermIndex> operands, std::vector<int> axes,
                      bool is_whole, std::shared_ptr<const Bins> bins) const;
  std::uint32_t number_of(const std::string& application);
  Part part_of_operands(const Term& term, DimensionId dimension) const;
  void lie_in_place(Term& term) const;
  /// What is reduced over `axes` of the operand on each rank, but for its kind.
  Term reduced_locally(Reduction reduction, TermIndex operand, std::vector<int> axes) const;

  std::vector<Term> terms_;
  std::map<std::vector<std::uint64_t>, TermIndex> known_;
  std::map<std::string, std::uint32_t> applications_;  ///< by identity
  std::map<TermIndex, TermIndex> stood_for_;           ///< by the term that stands for it
};

/// Who holds what is made of values that are held in these ways.
Spread combined(Spread a, Spread b);

/// What the nodes' values are.
struct Lowered {
  /// The term of each node's value, by node; only those of live rules that are not off. Off: rules whose
  /// shapes do not fit. The same in every layout of the ranks, but for what is computed on the way to it.
  std::vector<std::optional<TermIndex>> values;
  /// By entry of the graph: the same value where it lies best.
  std::vector<std::optional<TermIndex>> written;
  std::vector<bool> is_exact;  ///< by entry: its averages are made of exact sums
};
Lowered lower_rules(Graph& graph, const std::vector<Spread>& spreads, Shapes& shapes, TermTable& terms,
                    Findings& findings);

}  // namespace pileus::planning
