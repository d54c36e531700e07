#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "core/suggest.h"
#include "plan/application.h"

namespace pileus::planning {
namespace {

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
        values_(graph.nodes.size()) {}

  std::vector<std::optional<TermIndex>> lower() {
    for (NodeIndex node = 0; node < graph_.field_count; ++node) lower_field(node);
    for (NodeIndex node : graph_.order) lower_rule(node);
    return std::move(values_);
  }

 private:
  void lower_field(NodeIndex index) {
    const Node& node = graph_.nodes[index];
    if (node.is_off || !node.is_live) return;
    const DataGroupConfig& group = graph_.config->data_groups[node.group];
    const bool at_end = group.frequency < 2 || group.send_on_terminate;
    const TermIndex term = terms_.field(index, shapes_.fields[index], spreads_[index], group.frequency,
                                        at_end, node.field->missing_value);
    terms_[term].name = node.name;
    terms_[term].where = node.where;
    values_[index] = term;
  }

  void lower_rule(NodeIndex index) {
    Node& node = graph_.nodes[index];
    for (const Use& use : node.inputs) node.is_off = node.is_off || graph_.nodes[use.node].is_off;
    if (node.is_off || !node.is_live) return;
    if (uses_text(node)) {
      node.is_off = true;
      return;
    }
    const std::size_t first_new = terms_.size();
    switch (node.kind) {
      case NodeKind::localreduce: values_[index] = lower_localreduce(node); break;
      case NodeKind::reduction: values_[index] = lower_reduction(node); break;
      case NodeKind::arithmetic: values_[index] = lower_arithmetic(node); break;
      case NodeKind::broadcast: values_[index] = terms_.broadcast(*values_[node.inputs.front().node]); break;
      case NodeKind::location: values_[index] = lower_location(node); break;
      case NodeKind::apply: values_[index] = lower_application(node); break;
      case NodeKind::field: break;
    }
    if (!values_[index]) node.is_off = true;
    for (std::size_t term = first_new; term < terms_.size(); ++term)
      sign(terms_[static_cast<TermIndex>(term)], node);
    if (values_[index] && *values_[index] >= first_new) terms_[*values_[index]].name = node.name;
  }

  /// Texts can only be written.
  bool uses_text(const Node& node) {
    for (const Use& use : node.inputs) {
      if (is_number(terms_[*values_[use.node]].type)) continue;
      wrong(node, use.where,
            described(graph_, use.node) + " is a text, which can be written but not computed with");
      return true;
    }
    return false;
  }

  /// Says which rule made a term first.
  void sign(Term& term, const Node& node) const {
    term.diagnostic = node.diagnostic;
    term.where = node.where;
    term.name = "part of " + node.name;
    term.rule_name = node.rule->name.value + " " + quoted(node.name) + " of diagnostic " +
                     quoted(graph_.diagnostic_of(node).field.value);
  }

  std::optional<TermIndex> wrong(const Node& node, const Location& where, const std::string& what) {
    report(findings_, where, "diagnostic " + quoted(graph_.diagnostic_of(node).field.value) + ": " + what);
    return {};
  }

  void warn(const Node& node, const Location& where, const std::string& what) {
    findings_.warning(where, "diagnostic " + quoted(graph_.diagnostic_of(node).field.value) + ": " + what);
  }

  /// A Partial of each rank as numbers: from here on the result is another if the ranks are others.
  TermIndex rounded_locally(const Node& node, const Use& use, TermIndex partial, const std::string& why) {
    warn_of_layout(node, use, why);
    return terms_.rounded(partial);
  }

  void warn_of_layout(const Node& node, const Use& use, const std::string& why) {
    warn(node, use.where,
         described(graph_, use.node) + " is one model rank's part of a reduction, and " + why +
             ": the result depends on how the model is spread over its ranks");
  }

  std::optional<TermIndex> lower_localreduce(const Node& node) {
    if (node.reduction == kCovariance) return lower_covariance(node);
    const Use& use = node.inputs.front();
    TermIndex input = *values_[use.node];
    if (const auto near = node.is_of_expression ? on_ranks(use.node) : std::nullopt) input = *near;
    auto axes = reduced_axes(node, use, terms_[input]);
    if (!axes) return {};
    const bool is_whole = node.dimensions.empty();
    if (terms_[input].spread == Spread::rooted || terms_[input].spread == Spread::same) {
      return terms_.reduce_in_place(node.reduction, as_numbers(input), std::move(*axes));
    }
    if (terms_[input].kind == TermKind::localreduce && terms_[input].spread == Spread::own &&
        terms_[input].reduction == node.reduction && is_of_parts(node.reduction)) {
      return terms_.localreduce(node.reduction, terms_[input].operands.front(),
                                joined_axes(terms_[input], *axes), is_whole);
    }
    if (terms_[input].form == Form::partials)
      input = rounded_locally(node, use, input, "is reduced once more");
    return terms_.localreduce(node.reduction, input, std::move(*axes), is_whole);
  }

  TermIndex as_numbers(TermIndex term) {
    return terms_[term].form == Form::partials ? terms_.rounded(term) : term;
  }

  /// The value as this use of it wants it: where it is, or on the model ranks.
  TermIndex value_of(const Use& use) {
    const TermIndex value = *values_[use.node];
    if (terms_[value].spread != Spread::rooted || !use.is_spread) return value;
    if (const auto near = on_ranks(use.node)) return *near;
    return terms_.broadcast(value);
  }

  /// What an expression has reduced to one server, as the model ranks can have it of themselves: distributed,
  /// because each holds all that was reduced for its part of the result. Nothing where they cannot.
  std::optional<TermIndex> on_ranks(NodeIndex index) {
    const Node& node = graph_.nodes[index];
    const TermIndex value = *values_[index];
    if (terms_[value].spread == Spread::distributed || terms_[value].spread == Spread::same) return value;
    if (!node.is_of_expression || terms_[value].spread != Spread::rooted) return {};
    if (node.kind == NodeKind::reduction) return reduced_on_ranks(graph_.nodes[node.inputs.front().node]);
    if (node.kind != NodeKind::arithmetic) return {};
    std::vector<TermIndex> inputs;
    bool is_distributed = false;
    for (const Use& use : node.inputs) {
      const auto input = on_ranks(use.node);
      if (!input) return {};
      is_distributed = is_distributed || terms_[*input].spread == Spread::distributed;
      inputs.push_back(*input);
    }
    if (!is_distributed) return {};
    return as_terms(node, inputs);
  }

  std::optional<TermIndex> reduced_on_ranks(const Node& local) {
    const Use& use = local.inputs.front();
    const auto input = on_ranks(use.node);
    if (!input || terms_[*input].spread != Spread::distributed) return {};
    const auto axes = reduced_axes(local, use, terms_[*input]);
    if (!axes || axes->size() >= terms_[*input].dimensions.size()) return {};
    for (int axis : *axes) {
      if (!is_undivided(terms_[*input], static_cast<std::size_t>(axis))) return {};
    }
    return terms_.rounded(terms_.reduce_in_place(local.reduction, as_numbers(*input), *axes));
  }

  /// Whether every model rank that holds a part of the term holds all of this dimension.
  bool is_undivided(const Term& term, std::size_t axis) const {
    for (std::size_t rank = 0; rank < shapes_.regions.size(); ++rank) {
      bool holds_some = true;
      for (std::size_t d = 0; d < term.dimensions.size(); ++d) {
        holds_some =
            holds_some && extent_of(term.parts[d], term.dimensions[d], rank, shapes_, terms_).second > 0;
      }
      const auto [first, count] = extent_of(term.parts[axis], term.dimensions[axis], rank, shapes_, terms_);
      const Index size = shapes_.dimensions[term.dimensions[axis].index].size;
      if (holds_some && (first != 0 || count != size)) return false;
    }
    return true;
  }

  /// Whether that of the whole is that of what it gives for parts; a mean counts its values.
  static bool is_of_parts(std::uint8_t reduction) {
    return reduction != kVariance && reduction != kStandardDeviation && reduction != kCount;
  }

  /// The first of both has all dimensions; what it is taken with counts again where it lacks some.
  std::optional<TermIndex> lower_covariance(const Node& node) {
    std::array<const Use*, 2> uses = {&node.inputs[0], &node.inputs[1]};
    const TermIndex first = value_of(*uses[0]), second = value_of(*uses[1]);
    if (lacks_dimension(first, second) && !lacks_dimension(second, first)) std::swap(uses[0], uses[1]);
    std::array<TermIndex, 2> inputs{};
    std::vector<TermIndex> leaves;
    for (std::size_t i = 0; i < uses.size(); ++i) {
      inputs[i] = value_of(*uses[i]);
      if (terms_[inputs[i]].form == Form::partials && terms_[inputs[i]].spread == Spread::own)
        warn_of_layout(node, *uses[i], "is reduced once more");
      if (terms_[inputs[i]].form == Form::partials) inputs[i] = terms_.rounded(inputs[i]);
      const std::vector<TermIndex> more = terms_.leaves(inputs[i]);
      leaves.insert(leaves.end(), more.begin(), more.end());
    }
    if (lacks_dimension(inputs[0], inputs[1])) {
      return wrong(node, uses[1]->where,
                   described(graph_, uses[0]->node) + " and " + described(graph_, uses[1]->node) +
                       " each have a dimension that the other lacks");
    }
    if (!check_cadences(node) || !check_shapes(node, leaves)) return {};
    if (node.kind != NodeKind::localreduce) return terms_.covariance(inputs[0], inputs[1], {}, false);
    auto axes = reduced_axes(node, *uses[0], terms_[inputs[0]]);
    if (!axes) return {};
    const auto is_in_one_place = [&](TermIndex term) {
      return terms_[term].spread == Spread::rooted || terms_[term].spread == Spread::same;
    };
    if (is_in_one_place(inputs[0]) && is_in_one_place(inputs[1]))
      return terms_.covariance_in_place(inputs[0], inputs[1], std::move(*axes));
    return terms_.covariance(inputs[0], inputs[1], std::move(*axes), node.dimensions.empty());
  }

  bool lacks_dimension(TermIndex term, TermIndex other) const {
    return std::ranges::any_of(terms_[other].dimensions,
                               [&](DimensionId id) { return !has_dimension(terms_[term], id); });
  }

  /// A reduction of an equal reduction is one over the dimensions of both.
  std::vector<int> joined_axes(const Term& inner, const std::vector<int>& outer) const {
    std::vector<int> axes = inner.axes;
    const int rank = static_cast<int>(terms_[inner.operands.front()].dimensions.size());
    int position = 0;
    for (int axis = 0; axis < rank; ++axis) {
      if (std::find(inner.axes.begin(), inner.axes.end(), axis) != inner.axes.end()) continue;
      if (std::find(outer.begin(), outer.end(), position++) != outer.end()) axes.push_back(axis);
    }
    std::sort(axes.begin(), axes.end());
    return axes;
  }

  std::optional<std::vector<int>> reduced_axes(const Node& node, const Use& use, const Term& input) {
    std::vector<int> axes;
    if (node.dimensions.empty()) {
      for (std::size_t d = 0; d < input.dimensions.size(); ++d) axes.push_back(static_cast<int>(d));
      return axes;
    }
    std::vector<std::string> known;
    for (DimensionId id : input.dimensions) known.push_back(shapes_.dimensions[id.index].name);
    for (const Text& dimension : node.dimensions) {
      if (input.is_unknown_shape || dimension.value.find('{') != std::string::npos) continue;
      const auto found = std::find(known.begin(), known.end(), dimension.value);
      const std::string what = described(graph_, use.node);
      if (input.nameless_like && is_all_of(*input.nameless_like, node.dimensions)) return axes;
      if (found == known.end()) {
        const std::string reason = input.nameless_like
                                       ? " has no names for its dimensions; leave dimensions out"
                                       : " has no dimension " + quoted(dimension.value);
        wrong(node, dimension.where, what + reason + did_you_mean(dimension.value, known));
        return {};
      }
      const int axis = static_cast<int>(found - known.begin());
      if (std::find(axes.begin(), axes.end(), axis) == axes.end()) axes.push_back(axis);
    }
    std::sort(axes.begin(), axes.end());
    return axes;
  }

  /// Whether these are the names that the model gives to all dimensions of a field whose parts have shapes of
  /// their own.
  bool is_all_of(NodeIndex field, const std::vector<Text>& dimensions) const {
    std::set<std::string> asked, known;
    for (const Text& dimension : dimensions) asked.insert(dimension.value);
    for (DimensionId id : shapes_.fields[field].own_dimensions)
      known.insert(shapes_.dimensions[id.index].name);
    return asked == known;
  }

  std::optional<TermIndex> lower_reduction(const Node& node) {
    const Use& use = node.inputs.front();
    TermIndex input = *values_[use.node];
    if (node.is_of_expression && terms_[input].spread != Spread::own) return input;
    if (node.reduction == kCovariance) return lower_reduced_covariance(node);
    const std::string asked = kReductionWords[node.reduction];
    if (terms_[input].form == Form::partials && is_merged_alike(terms_[input].reduction, node.reduction))
      return communicated(node, input, terms_[input].reduction, {});
    if (terms_[input].form == Form::partials && terms_[input].reduction != node.reduction) {
      const std::string made = kReductionWords[terms_[input].reduction];
      if (terms_[input].reduction == kSum && node.reduction == kMean) {
        warn(node, use.where,
             "the mean of " + described(graph_, use.node) +
                 ", which is a local sum, is the sum over "
                 "all model ranks divided by the number of values that they added");
      } else {
        input = rounded_locally(node, use, input, "the " + asked + " is taken of its " + made);
      }
    }
    std::vector<DimensionId> dimensions;
    if (terms_[input].nameless_like && !name_shape(node, use, *terms_[input].nameless_like, dimensions))
      return {};
    return communicated(node, input, node.reduction, std::move(dimensions));
  }

  TermIndex communicated(const Node& node, TermIndex input, std::uint8_t reduction,
                         std::vector<DimensionId> dimensions) {
    const TermIndex reduced = terms_.communicate(reduction, input, std::move(dimensions));
    return node.goes_to_all ? terms_.broadcast(reduced) : reduced;
  }

  /// The sum of counts counts, and so on.
  static bool is_merged_alike(std::uint8_t made, std::uint8_t asked) {
    return (made == kCount && asked == kSum) || (made == kAny && asked == kMax) ||
           (made == kAll && asked == kMin);
  }

  /// Of covariances that a localreduce made, or of the pairs that the model ranks have.
  std::optional<TermIndex> lower_reduced_covariance(const Node& node) {
    const Use& use = node.inputs.front();
    const Term& input = terms_[*values_[use.node]];
    const bool is_made = input.form == Form::partials && input.reduction == kCovariance;
    if (is_made && node.inputs.size() == 1) return communicated(node, *values_[use.node], kCovariance, {});
    if (node.inputs.size() == 1) {
      return wrong(node, use.where,
                   described(graph_, use.node) +
                       " is no covariance that a localreduce has made: say with which field it is taken "
                       "(with=\"...\")");
    }
    if (is_made) {
      return wrong(node, node.inputs[1].where,
                   described(graph_, use.node) + " is a covariance already: leave \"with\" out");
    }
    if (input.nameless_like) {
      return wrong(node, use.where,
                   described(graph_, use.node) +
                       " has no names for its dimensions: declare its size, or localreduce the covariance");
    }
    const auto pairs = lower_covariance(node);
    if (!pairs) return {};
    return communicated(node, *pairs, kCovariance, {});
  }

  /// Invents dimensions for a nameless shape that is reduced element by element.
  bool name_shape(const Node& node, const Use& use, NodeIndex field, std::vector<DimensionId>& dimensions) {
    const std::vector<Index>& count = shapes_.regions.front()[field].count;
    const std::string& name = graph_.nodes[field].name;
    for (std::size_t rank = 1; rank < shapes_.regions.size(); ++rank) {
      const std::vector<Index>& other = shapes_.regions[rank][field].count;
      if (other == count) continue;
      wrong(node, use.where,
            "field " + quoted(name) + " cannot be reduced element by element: it has " + text({{}, count}) +
                " elements on model rank 0, but " + text({{}, other}) + " on model rank " +
                std::to_string(rank) + "; localreduce it first");
      return false;
    }
    std::vector<DimensionId>& known = invented_[field];
    for (std::size_t d = known.size(); d < count.size(); ++d) {
      known.push_back(DimensionId(shapes_.dimensions.size()));
      shapes_.dimensions.push_back({free_name(name + "_" + std::to_string(d + 1)), count[d], {}, ""});
    }
    dimensions = known;
    return true;
  }

  std::string free_name(std::string name) const {
    const auto is_it = [&](const PlannedDimension& dimension) { return dimension.name == name; };
    while (std::any_of(shapes_.dimensions.begin(), shapes_.dimensions.end(), is_it)) name += "_";
    return name;
  }

  static std::string text(const Region& region) {
    std::string out;
    for (Index n : region.count) out += (out.empty() ? "" : " x ") + std::to_string(n);
    return out;
  }

  std::optional<TermIndex> lower_arithmetic(const Node& node) {
    std::vector<TermIndex> inputs;
    for (const Use& use : node.inputs) inputs.push_back(value_of(use));
    const TermIndex result = as_terms(node, inputs);
    if (node.is_filter && terms_.leaves(terms_[result].operands.back()).empty())
      return wrong(node, node.where, "the condition is a constant");
    const std::vector<TermIndex> leaves = terms_.leaves(result);
    if (leaves.empty()) {
      return wrong(
          node, node.where,
          node.is_of_expression ? quoted(node.name) + " is a constant" : "the equation is a constant");
    }
    if (!check_cadences(node) || !check_shapes(node, leaves)) return {};
    if (const auto scaled = as_scale(result)) return scaled;
    warn_of_partials(node, "this equation rounds it before it is reduced");
    return result;
  }

  std::optional<TermIndex> lower_application(const Node& node) {
    if (!check_cadences(node)) return {};
    std::vector<TermIndex> operands;
    for (const Use& use : node.inputs) operands.push_back(value_of(use));
    warn_of_partials(node, "this operator rounds it before it is reduced");
    return apply_operator(graph_, node, operands, shapes_, terms_, findings_);
  }

  /// The value goes to all ranks, each finds it in its part, the lowest index of all is taken.
  std::optional<TermIndex> lower_location(const Node& node) {
    if (!check_cadences(node)) return {};
    const TermIndex field = *values_[node.inputs[0].node];
    TermIndex value = *values_[node.inputs[1].node];
    std::vector<int> axes;
    for (std::size_t d = 0; d < terms_[field].dimensions.size(); ++d) {
      if (!has_dimension(terms_[value], terms_[field].dimensions[d])) axes.push_back(static_cast<int>(d));
    }
    for (DimensionId dimension : terms_[value].dimensions) {
      if (has_dimension(terms_[field], dimension) || terms_[field].is_unknown_shape) continue;
      return wrong(node, node.inputs[1].where,
                   described(graph_, node.inputs[1].node) + " has the dimension " +
                       quoted(shapes_.dimensions[dimension.index].name) + ", which " +
                       described(graph_, node.inputs[0].node) + " lacks");
    }
    if (terms_[value].spread == Spread::rooted) value = terms_.broadcast(value);
    const TermIndex found = terms_.locate(field, value, std::move(axes));
    const TermIndex first = terms_.communicate(kMin, found, {});
    return apply_operator_to(first, graph_, node, {field, *values_[node.inputs[1].node]}, shapes_, terms_,
                             findings_);
  }

  static bool has_dimension(const Term& term, DimensionId dimension) {
    return std::find(term.dimensions.begin(), term.dimensions.end(), dimension) != term.dimensions.end();
  }

  void warn_of_partials(const Node& node, const std::string& why) {
    for (const Use& use : node.inputs) {
      const Term& input = terms_[*values_[use.node]];
      if (input.form == Form::partials && input.spread == Spread::own) warn_of_layout(node, use, why);
    }
  }

  /// The equation on numbers; a filter keeps the last of the inputs where it holds.
  TermIndex as_terms(const Node& node, const std::vector<TermIndex>& inputs) {
    std::vector<TermIndex> made;
    for (const Instruction& one : node.expression.program.instructions) {
      switch (one.operation) {
        case Operation::constant: made.push_back(terms_.constant(one.constant)); break;
        case Operation::input: made.push_back(inputs[one.left]); break;
        case Operation::select:
          made.push_back(terms_.select(made[one.condition], made[one.left], made[one.right]));
          break;
        default: made.push_back(terms_.operation(one.operation, made[one.left], made[one.right]));
      }
    }
    return node.is_filter ? terms_.operation(Operation::keep, inputs.back(), made.back()) : made.back();
  }

  /// The equation as a constant factor of one Partial, if it is nothing else.
  std::optional<TermIndex> as_scale(TermIndex result) {
    std::vector<double> multiply, divide;
    TermIndex at = result;
    while (terms_[at].kind == TermKind::operation) {
      const Term& term = terms_[at];
      const std::size_t last = term.operands.size() - 1;
      const auto left = terms_.constant_value(term.operands[0]),
                 right = terms_.constant_value(term.operands[last]);
      if (term.operation == Operation::negate) {
        multiply.push_back(-1);
        at = term.operands[0];
      } else if (term.operation == Operation::multiply && (left || right)) {
        multiply.push_back(left ? *left : *right);
        at = term.operands[left ? 1 : 0];
      } else if (term.operation == Operation::divide && right) {
        divide.push_back(*right);
        at = term.operands[0];
      } else {
        return {};
      }
    }
    const Term& partial = terms_[at];
    if (partial.form != Form::partials) return {};
    if (multiply.empty() && is_mean(partial, divide)) {
      const Term& local = terms_[partial.operands.front()];
      const std::vector<DimensionId> dimensions = partial.dimensions;
      const TermIndex mean = terms_.localreduce(kMean, local.operands.front(), local.axes, true);
      return terms_.communicate(kMean, mean, dimensions);
    }
    bool is_negative = false;
    for (double factor : multiply) is_negative = is_negative != std::signbit(factor);
    for (double factor : divide) is_negative = is_negative != std::signbit(factor);
    // The smallest of the negative local minima is not the negative smallest local minimum.
    const bool is_extremum = partial.reduction == kMin || partial.reduction == kMax;
    // Nor is a scaled truth one.
    const bool is_truth = partial.reduction == kAny || partial.reduction == kAll;
    if (((is_negative && is_extremum) || is_truth) && partial.spread == Spread::own) return {};
    return terms_.scale(at, std::move(multiply), std::move(divide));
  }

  /// Whether a sum that is divided by these is the mean of what was summed up, as listings 1 to 3 of Brown et
  /// al. (2018) have it: their rules and those of mean[y,x](vwp) are the same then.
  bool is_mean(const Term& partial, const std::vector<double>& divide) const {
    if (partial.kind != TermKind::communicate || partial.reduction != kSum || shapes_.is_imagined)
      return false;
    const Term& local = terms_[partial.operands.front()];
    if (local.kind != TermKind::localreduce || local.reduction != kSum || local.missing) return false;
    const Term& input = terms_[local.operands.front()];
    double count = input.spread == Spread::distributed && !shapes_.has_holes ? 1 : 0;
    for (int axis : local.axes) {
      const DimensionId id = input.dimensions[static_cast<std::size_t>(axis)];
      count *= static_cast<double>(shapes_.dimensions[id.index].size);
    }
    if (input.nameless_like && input.kind == TermKind::field) {
      for (const std::vector<Region>& rank : shapes_.regions)
        count += static_cast<double>(rank[*input.nameless_like].size());
    }
    double product = 1;
    for (double factor : divide) product *= factor;
    return count > 0 && count < 0x1p53 && product == count;
  }

  bool check_cadences(const Node& node) {
    std::int64_t cadence = 1;
    bool at_end = true;
    for (const Use& use : node.inputs) {
      const Term& input = terms_[*values_[use.node]];
      const auto common = common_cadence(cadence, input.cadence);
      at_end = at_end && input.at_end;
      if (!common || (*common == 0 && !at_end)) {
        wrong(node, use.where,
              "no step has values of all the fields of this rule; look at frequency and send_on_terminate of "
              "their data-definitions");
        return false;
      }
      cadence = *common;
    }
    return true;
  }

  /// On each rank the parts of a dimension that two inputs hold have to be the same part.
  bool check_shapes(const Node& node, const std::vector<TermIndex>& leaves) {
    const Term* first_nameless = nullptr;
    for (TermIndex leaf : leaves) {
      const Term& term = terms_[leaf];
      if (!term.nameless_like) continue;
      if (!first_nameless) first_nameless = &term;
      if (!check_nameless(node, *first_nameless, term)) return false;
    }
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      const Term& term = terms_[leaves[i]];
      if (first_nameless && !term.dimensions.empty()) {
        wrong(node, node.where,
              quoted(first_nameless->name) +
                  " has no names for its dimensions, so that it cannot be "
                  "combined with " +
                  quoted(term.name));
        return false;
      }
      for (std::size_t j = 0; j < i; ++j) {
        if (!check_parts(node, terms_[leaves[j]], term)) return false;
      }
    }
    return true;
  }

  bool check_nameless(const Node& node, const Term& first, const Term& other) {
    for (std::size_t rank = 0; rank < shapes_.regions.size(); ++rank) {
      const Region& a = shapes_.regions[rank][*first.nameless_like];
      const Region& b = shapes_.regions[rank][*other.nameless_like];
      if (a.count == b.count) continue;
      wrong(node, node.where,
            quoted(first.name) + " and " + quoted(other.name) + " have different shapes (" + text(a) +
                " and " + text(b) + ") on model rank " + std::to_string(rank));
      return false;
    }
    return true;
  }

  bool check_parts(const Node& node, const Term& a, const Term& b) {
    const bool is_whole_somewhere = a.spread == Spread::same || b.spread == Spread::same;
    for (std::size_t d = 0; d < b.dimensions.size() && !is_whole_somewhere; ++d) {
      const auto known = std::find(a.dimensions.begin(), a.dimensions.end(), b.dimensions[d]);
      if (known == a.dimensions.end()) continue;
      const Part& part = a.parts[static_cast<std::size_t>(known - a.dimensions.begin())];
      if (part == b.parts[d]) continue;
      for (std::size_t rank = 0; rank < shapes_.regions.size(); ++rank) {
        const auto one = extent_of(part, b.dimensions[d], rank, shapes_, terms_),
                   other = extent_of(b.parts[d], b.dimensions[d], rank, shapes_, terms_);
        if (one == other) continue;
        wrong(node, node.where,
              quoted(a.name) + " and " + quoted(b.name) + " lie on different parts of dimension " +
                  quoted(shapes_.dimensions[b.dimensions[d].index].name) + " on model rank " +
                  std::to_string(rank));
        return false;
      }
    }
    return true;
  }

  Graph& graph_;
  const std::vector<Spread>& spreads_;
  Shapes& shapes_;
  TermTable& terms_;
  Findings& findings_;
  std::vector<std::optional<TermIndex>> values_;
  std::map<NodeIndex, std::vector<DimensionId>> invented_;  ///< for nameless fields
};

}  // namespace

std::vector<std::optional<TermIndex>> lower_rules(Graph& graph, const std::vector<Spread>& spreads,
                                                  Shapes& shapes, TermTable& terms, Findings& findings) {
  return Lowering(graph, spreads, shapes, terms, findings).lower();
}

}  // namespace pileus::planning
