// Whether what a rule combines comes in the same steps and lies on the same parts; names for nameless shapes.

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "config/namespaces.h"
#include "terms/lowering.h"
#include "terms/made_regions.h"

namespace pileus::planning {
namespace {

std::string shape_text(const Region& region) {
  std::string out;
  for (Index n : region.count) out += (out.empty() ? "" : " x ") + std::to_string(n);
  return out;
}

std::string free_name(const Shapes& shapes, std::string name) {
  const auto is_it = [&](const PlannedDimension& dimension) { return dimension.name == name; };
  while (std::any_of(shapes.dimensions.begin(), shapes.dimensions.end(), is_it)) name += "_";
  return name;
}

}  // namespace

bool Lowering::check_cadences(const Node& node) {
  Cadence cadence;
  bool at_end = true;
  for (const Use& use : node.inputs) {
    const Term& input = terms_[*values_[use.node]];
    const auto common = common_cadence(cadence, input.cadence);
    at_end = at_end && input.at_end;
    if (!common || (common->is_final_only() && !at_end)) {
      wrong(node, use.where,
            "no step has values of all the fields of this rule; look at frequency and send_on_terminate of "
            "their data-definitions");
      return false;
    }
    cadence = *common;
  }
  return true;
}

bool Lowering::check_shapes(const Node& node, const std::vector<TermIndex>& leaves) {
  const Term* first_nameless = nullptr;
  for (TermIndex leaf : leaves) {
    const Term& term = terms_[leaf];
    if (!term.nameless_like) continue;
    if (!first_nameless) first_nameless = &term;
    if (!check_nameless(node, *first_nameless, term)) return false;
  }
  // What lies as the first that has a dimension lies as all of them.
  std::map<DimensionId, TermIndex> first_with;
  if (!check_rank(node, leaves)) return false;
  for (const TermIndex leaf : leaves) {
    const Term& term = terms_[leaf];
    if (first_nameless && !term.dimensions.empty()) {
      wrong(node, node.where,
            quoted(first_nameless->name) +
                " has no names for its dimensions, so that it cannot be "
                "combined with " +
                quoted(term.name));
      return false;
    }
    if (term.spread == Spread::same) continue;
    std::set<TermIndex> others;
    for (const DimensionId id : term.dimensions) {
      const auto [first, is_new] = first_with.try_emplace(id, leaf);
      if (!is_new) others.insert(first->second);
    }
    for (const TermIndex other : others) {
      if (!check_parts(node, terms_[other], term)) return false;
    }
  }
  return true;
}

bool Lowering::check_rank(const Node& node, const std::vector<TermIndex>& leaves) {
  std::set<DimensionId> all;
  for (const TermIndex leaf : leaves)
    all.insert(terms_[leaf].dimensions.begin(), terms_[leaf].dimensions.end());
  if (all.size() <= static_cast<std::size_t>(kMaxRank)) return true;
  wrong(node, node.where,
        "what it is made of has " + std::to_string(all.size()) + " dimensions together; at most " +
            std::to_string(kMaxRank) + " are possible");
  return false;
}

bool Lowering::check_nameless(const Node& node, const Term& first, const Term& other) {
  for (std::size_t rank = 0; rank < shapes_.regions.size(); ++rank) {
    const Region a = shapes_.regions[rank][*first.nameless_like];
    const Region b = shapes_.regions[rank][*other.nameless_like];
    if (a.count == b.count) continue;
    wrong(node, node.where,
          quoted(first.name) + " and " + quoted(other.name) + " have different shapes (" + shape_text(a) +
              " and " + shape_text(b) + ") on model rank " + std::to_string(rank));
    return false;
  }
  return true;
}

bool Lowering::check_parts(const Node& node, const Term& a, const Term& b) {
  if (shapes_.is_imagined) return true;  // a slice at index 3 lies nowhere where dimensions have two elements
  for (std::size_t d = 0; d < b.dimensions.size(); ++d) {
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
                std::to_string(rank) + "; the model has to spread both alike over its ranks");
      return false;
    }
  }
  return true;
}

bool Lowering::check_pairs(const Node& node) {
  const auto widest = widest_of(node);
  if (!widest || terms_[*widest].is_unknown_shape) return true;
  for (const Use& use : node.inputs) {
    for (TermIndex leaf : distributed_leaves(use)) {
      if (!lacks_dimension(*widest, leaf)) continue;
      const auto odd = [&](TermIndex one, TermIndex other) {
        const auto found = std::ranges::find_if(
            terms_[one].dimensions, [&](DimensionId id) { return !has_dimension(terms_[other], id); });
        return quoted(shapes_.dimensions[found->index].name);
      };
      wrong(node, use.where,
            quoted(terms_[*widest].name) + " has the dimension " + odd(*widest, leaf) + ", which " +
                quoted(terms_[leaf].name) + " lacks, and that has " + odd(leaf, *widest) +
                ": both are distributed over the model ranks, and no rank has all pairs of their elements. "
                "Bring one to the other's grid first, in the model or by an operator, or reduce it over its "
                "dimension");
      return false;
    }
  }
  return true;
}

bool Lowering::name_shape(const Node& node, const Use& use, NodeIndex field,
                          std::vector<DimensionId>& dimensions) {
  const Extents count = shapes_.regions.front()[field].count;
  const std::string& name = graph_.nodes[field].name;
  for (std::size_t rank = 1; rank < shapes_.regions.size(); ++rank) {
    const Extents other = shapes_.regions[rank][field].count;
    if (other == count) continue;
    wrong(node, use.where,
          "field " + quoted(name) + " cannot be reduced element by element: it has " +
              shape_text({{}, count}) + " elements on model rank 0, but " + shape_text({{}, other}) +
              " on model rank " + std::to_string(rank) + "; localreduce it first");
    return false;
  }
  dimensions = declared_dimensions(node, count);
  if (!dimensions.empty()) return true;
  std::vector<DimensionId>& known = invented_[field];
  for (std::size_t d = known.size(); d < count.size(); ++d) {
    known.push_back(DimensionId(shapes_.dimensions.size()));
    const std::string invented = std::string(last_name(name)) + "_" + std::to_string(d + 1);
    shapes_.dimensions.push_back({free_name(shapes_, invented), count[d], {}, ""});
  }
  dimensions = known;
  return true;
}

std::vector<DimensionId> Lowering::declared_dimensions(const Node& node,
                                                       const std::vector<Index>& count) const {
  const std::vector<Text>& size = graph_.diagnostic_of(node).size;
  if (size.size() != count.size()) return {};
  std::vector<DimensionId> dimensions;
  for (std::size_t d = 0; d < count.size(); ++d) {
    const auto found = std::ranges::find(shapes_.dimensions, size[d].value, &PlannedDimension::name);
    if (found == shapes_.dimensions.end() || found->size != count[d]) return {};
    const DimensionId id(static_cast<std::size_t>(found - shapes_.dimensions.begin()));
    if (std::ranges::find(dimensions, id) != dimensions.end()) return {};
    dimensions.push_back(id);
  }
  return dimensions;
}

}  // namespace pileus::planning
