// Reductions: which one each rank makes of its part, and which one all ranks make of these.

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "config/namespaces.h"
#include "core/suggest.h"
#include "expression/bin_edges.h"
#include "terms/lowering.h"

namespace pileus::planning {
namespace {

/// The sum of counts counts, and so on.
bool is_merged_alike(Reduction made, Reduction asked) { return declaration_of(made).of_results == asked; }

}  // namespace

std::optional<TermIndex> Lowering::lower_localreduce(const Node& node) {
  if (declaration_of(node.reduction).is_weighted || !node.edges.empty()) return lower_weighted(node);
  if (declaration_of(node.reduction).takes_pairs) return lower_covariance(node);
  const Use& use = node.inputs.front();
  TermIndex input = *values_[use.node];
  if (const auto near = node.is_of_expression ? places_.numbers_near(input) : std::nullopt) input = *near;
  auto axes = reduced_axes(node, use, terms_[input]);
  if (!axes) return {};
  const bool is_whole = node.dimensions.empty();
  if (terms_[input].spread == Spread::rooted || terms_[input].spread == Spread::same) {
    return terms_.reduce_in_place(node.reduction, as_numbers(input), std::move(*axes));
  }
  if (terms_[input].kind == TermKind::localreduce && terms_[input].spread == Spread::own &&
      terms_[input].reduction == node.reduction && declaration_of(node.reduction).is_that_of_parts &&
      !terms_[input].bins) {
    return terms_.localreduce(node.reduction, terms_[input].operands.front(),
                              joined_axes(terms_[input], *axes), is_whole);
  }
  if (terms_[input].form == Form::partials) input = rounded_locally(node, use, input, "is reduced once more");
  return terms_.localreduce(node.reduction, input, std::move(*axes), is_whole);
}

std::optional<TermIndex> Lowering::lower_covariance(const Node& node) {
  std::array<const Use*, 2> uses = {&node.inputs[0], &node.inputs[1]};
  const auto widest = widest_of(node);
  const TermIndex first = value_of(node, *uses[0], widest), second = value_of(node, *uses[1], widest);
  // Where one goes to all ranks the other comes first, so that it does in every layout.
  const bool is_second_wider = !has_widest(*uses[0], widest) && has_widest(*uses[1], widest);
  if (comes_first(second, first) || (!comes_first(first, second) && is_second_wider))
    std::swap(uses[0], uses[1]);
  std::vector<TermIndex> inputs, leaves;
  for (const Use* use : uses) inputs.push_back(numbers_of(node, *use, widest, leaves));
  if (lacks_dimension(inputs[0], inputs[1]) && !terms_[inputs[0]].is_unknown_shape) {
    return wrong(node, uses[1]->where,
                 described(graph_, uses[0]->node) + " and " + described(graph_, uses[1]->node) +
                     " each have a dimension that the other lacks");
  }
  return lower_tuples(node, *uses[0], *uses[1], std::move(inputs), leaves);
}

std::optional<TermIndex> Lowering::lower_weighted(const Node& node) {
  const auto widest = widest_of(node);
  std::vector<TermIndex> inputs, leaves;
  for (const Use& use : node.inputs) inputs.push_back(numbers_of(node, use, widest, leaves));
  const Use* narrower = &node.inputs.back();
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    const Use& use = node.inputs[i];
    if (lacks_dimension(inputs[0], inputs[i]) && !terms_[inputs[0]].is_unknown_shape) {
      return wrong(node, use.where,
                   described(graph_, use.node) + " has a dimension that " +
                       described(graph_, node.inputs[0].node) +
                       " lacks: a value has all dimensions of its weights and of what its bins are by");
    }
    if (terms_[inputs[i]].spread == Spread::distributed) narrower = &use;
  }
  return lower_tuples(node, node.inputs[0], *narrower, std::move(inputs), leaves);
}

/// An operand of a reduction of several, as numbers.
TermIndex Lowering::numbers_of(const Node& node, const Use& use, std::optional<TermIndex> widest,
                               std::vector<TermIndex>& leaves) {
  TermIndex input = value_of(node, use, widest);
  if (terms_[input].form == Form::partials && terms_[input].spread == Spread::own)
    warn_of_layout(node, use, "is reduced once more");
  if (terms_[input].form == Form::partials) input = terms_.rounded(input);
  const std::vector<TermIndex> more = terms_.leaves(input);
  leaves.insert(leaves.end(), more.begin(), more.end());
  return input;
}

/// `first`: that of the first input; `other`: that of another, if one is distributed of that.
std::optional<TermIndex> Lowering::lower_tuples(const Node& node, const Use& first, const Use& other,
                                                std::vector<TermIndex> inputs,
                                                const std::vector<TermIndex>& leaves) {
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    if (terms_[inputs[0]].spread != Spread::same || terms_[inputs[i]].spread != Spread::distributed) continue;
    const bool is_wider = lacks_dimension(inputs[i], inputs[0]);
    if (is_wider && spreads_[first.node] == Spread::same) {
      return wrong(node, first.where,
                   described(graph_, first.node) + " is whole on every model rank and has a dimension that " +
                       described(graph_, other.node) +
                       " lacks, of which each holds a part: every rank would count it; declare the one "
                       "collective=\"true\", or reduce that dimension first");
    }
    inputs[0] = is_wider ? terms_.select(terms_.constant(1), inputs[0], inputs[i])
                         : whole_beside(inputs[i], inputs[0]);
  }
  if (!check_cadences(node) || !check_shapes(node, leaves)) return {};
  if (node.kind != NodeKind::localreduce)
    return terms_.reduce_tuples(node.reduction, std::move(inputs), {}, false, nullptr);
  auto axes = reduced_axes(node, first, terms_[inputs[0]]);
  if (!axes) return {};
  const auto bins = node.edges.empty() ? nullptr : bins_of(node);
  if (bins && !check_bins(node, terms_[inputs[0]], *axes, *bins)) return {};
  const auto is_in_one_place = [&](TermIndex term) {
    return terms_[term].spread == Spread::rooted || terms_[term].spread == Spread::same;
  };
  if (std::ranges::all_of(inputs, is_in_one_place))
    return terms_.reduce_tuples_in_place(node.reduction, std::move(inputs), std::move(*axes), bins);
  return terms_.reduce_tuples(node.reduction, std::move(inputs), std::move(*axes), node.dimensions.empty(),
                              bins);
}

/// The bins are a dimension more, of a result that one server can hold.
bool Lowering::check_bins(const Node& node, const Term& reduced, const std::vector<int>& axes,
                          const Bins& bins) {
  constexpr Index kMostBinned = 262144;
  Index size = static_cast<Index>(bins.edges.size()) - 1;
  for (std::size_t d = 0; d < reduced.dimensions.size(); ++d) {
    if (std::ranges::count(axes, static_cast<int>(d)) > 0) continue;
    if (reduced.dimensions[d].index == bins.dimension.index) {
      wrong(node, node.where, quoted(node.name) + " has bins by the same edges already: reduce these first");
      return false;
    }
    const Index extent = shapes_.dimensions[reduced.dimensions[d].index].size;
    size = shapes_.is_imagined || extent == 0 || size > kMostBinned ? size : size * extent;
  }
  if (size <= kMostBinned) return true;
  wrong(node, node.where,
        quoted(node.name) + " makes more than " + std::to_string(kMostBinned) +
            " values, with bins for all that is left of each dimension: reduce more of them, or take fewer "
            "bins");
  return false;
}

/// Their dimension is named after what they are by and how many there are. Equal bins share it.
std::shared_ptr<const Bins> Lowering::bins_of(const Node& node) {
  const Node& by = graph_.nodes[node.inputs.back().node];
  const bool has_name = by.is_field() || by.kind == NodeKind::given ||
                        std::ranges::count(graph_.results, node.inputs.back().node) > 0;
  const std::string count = "_bin_" + std::to_string(node.edges.size() - 1);
  PlannedDimension made{(has_name ? std::string(last_name(by.name)) : "computed") + count, 0, {}, {}};
  for (std::size_t i = 0; i + 1 < node.edges.size(); ++i) {
    made.coordinates.push_back(middle_of_bin(node.edges, i));
    made.bounds.insert(made.bounds.end(), {node.edges[i], node.edges[i + 1]});
  }
  made.size = static_cast<Index>(made.coordinates.size());
  if (by.is_field()) {
    const Metadata& metadata = by.field->metadata;
    made.units = metadata.units.value;
    made.standard_name = metadata.standard_name.value;
    made.long_name = metadata.long_name.value;
  } else if (by.kind == NodeKind::given && !by.clock) {
    const auto& said = shapes_.dimensions[terms_[*values_[node.inputs.back().node]].dimensions[0].index];
    made.units = said.units;
    made.standard_name = said.standard_name;
    made.long_name = said.long_name;
  }
  const std::string name = made.name;
  for (std::size_t number = 2;; ++number) {
    const auto known = std::ranges::find(shapes_.dimensions, made.name, &PlannedDimension::name);
    if (known == shapes_.dimensions.end()) shapes_.dimensions.push_back(made);
    const auto at = std::ranges::find(shapes_.dimensions, made.name, &PlannedDimension::name);
    const bool is_same = at->bounds == made.bounds && at->units == made.units &&
                         at->standard_name == made.standard_name && at->long_name == made.long_name;
    if (is_same)
      return std::make_shared<Bins>(
          Bins{DimensionId(static_cast<std::size_t>(at - shapes_.dimensions.begin())), node.edges});
    made.name = name + "_" + std::to_string(number);
  }
}

/// What has no known shape, which only `pileus check` meets, may have all dimensions.
bool Lowering::comes_first(TermIndex term, TermIndex other) const {
  if (terms_[other].is_unknown_shape) return false;
  if (terms_[term].is_unknown_shape) return true;
  if (lacks_dimension(term, other)) return false;
  // Which pairs a rank makes follows from the first.
  return lacks_dimension(other, term) ||
         (terms_[term].spread == Spread::distributed && terms_[other].spread == Spread::same);
}

bool Lowering::lacks_dimension(TermIndex term, TermIndex other) const {
  return std::ranges::any_of(terms_[other].dimensions,
                             [&](DimensionId id) { return !has_dimension(terms_[term], id); });
}

std::vector<int> Lowering::joined_axes(const Term& inner, const std::vector<int>& outer) const {
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

std::optional<std::vector<int>> Lowering::reduced_axes(const Node& node, const Use& use, const Term& input) {
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
      const Node& reduced = graph_.nodes[use.node];
      const bool is_undeclared =
          reduced.is_field() && !reduced.field->has_size && !reduced.field->is_collective;
      wrong(node, dimension.where,
            what + reason +
                (is_undeclared
                     ? "; a field that the ranks hold parts of needs a size, \"z,y,x\" for example, and "
                       "collective=\"true\""
                     : did_you_mean(dimension.value, known)));
      return {};
    }
    const int axis = static_cast<int>(found - known.begin());
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) axes.push_back(axis);
  }
  std::sort(axes.begin(), axes.end());
  return axes;
}

bool Lowering::is_all_of(NodeIndex field, const std::vector<Text>& dimensions) const {
  std::set<std::string> asked, known;
  for (const Text& dimension : dimensions) asked.insert(dimension.value);
  for (DimensionId id : shapes_.fields[field].own_dimensions) known.insert(shapes_.dimensions[id.index].name);
  return asked == known;
}

std::optional<TermIndex> Lowering::lower_reduction(const Node& node) {
  const Use& use = node.inputs.front();
  TermIndex input = *values_[use.node];
  if (node.is_of_expression && terms_[input].spread != Spread::own) return input;
  const Reduction made_before = terms_[input].reduction;
  const bool is_weighted = terms_[input].form == Form::partials && declaration_of(made_before).is_weighted;
  if (is_weighted && node.inputs.size() == 1 &&
      (made_before == node.reduction || declaration_of(node.reduction).with_weights == made_before))
    return communicated(node, input, made_before, {});
  if (is_weighted && declaration_of(node.reduction).is_weighted)
    return wrong(node, use.where, described(graph_, use.node) + " has weights already: leave \"weight\" out");
  if (declaration_of(node.reduction).operands() > 1) return lower_reduced_covariance(node);
  const std::string asked = word_of(node.reduction);
  if (terms_[input].form == Form::partials && is_merged_alike(terms_[input].reduction, node.reduction))
    return communicated(node, input, terms_[input].reduction, {});
  if (terms_[input].form == Form::partials && terms_[input].reduction != node.reduction) {
    const std::string made = word_of(terms_[input].reduction);
    if (terms_[input].reduction == Reduction::sum && node.reduction == Reduction::mean) {
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

TermIndex Lowering::communicated(const Node& node, TermIndex input, Reduction reduction,
                                 std::vector<DimensionId> dimensions) {
  const TermIndex reduced = terms_.communicate(reduction, input, std::move(dimensions));
  return node.goes_to_all ? terms_.broadcast(reduced) : reduced;
}

std::optional<TermIndex> Lowering::lower_reduced_covariance(const Node& node) {
  const Use& use = node.inputs.front();
  const Term& input = terms_[*values_[use.node]];
  const bool is_made = input.form == Form::partials && input.reduction == node.reduction;
  if (is_made && node.inputs.size() == 1) return communicated(node, *values_[use.node], node.reduction, {});
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
  const auto pairs =
      declaration_of(node.reduction).is_weighted ? lower_weighted(node) : lower_covariance(node);
  if (!pairs) return {};
  return communicated(node, *pairs, node.reduction, {});
}

}  // namespace pileus::planning
