#include "terms/application.h"

#include <algorithm>
#include <fstream>
#include <utility>

#include "config/values.h"
#include "core/suggest.h"
#include "plan/tiling.h"
#include "terms/brought_dimension.h"
#include "terms/grid_parameters.h"
#include "terms/halos.h"
#include "terms/made_regions.h"

namespace pileus::planning {
namespace {

using operators::kUnknownSize;

static_assert(static_cast<int>(operators::Type::float64) == static_cast<int>(ElementType::float64));
static_assert(static_cast<int>(operators::Type::float32) == static_cast<int>(ElementType::float32));
static_assert(static_cast<int>(operators::Type::int32) == static_cast<int>(ElementType::int32));
static_assert(static_cast<int>(operators::Type::int64) == static_cast<int>(ElementType::int64));
static_assert(static_cast<int>(operators::Type::boolean) == static_cast<int>(ElementType::boolean));

class Application {
 public:
  Application(const Graph& graph, const Node& node, Shapes& shapes, TermTable& terms, Findings& findings,
              bool has_gaps = false)
      : graph_(graph), node_(node), shapes_(shapes), terms_(terms), findings_(findings), gaps_(has_gaps) {}

  /// `inputs`: what it is computed from, usually the operands, which are brought together.
  std::optional<TermIndex> apply(const std::vector<TermIndex>& operands, std::vector<TermIndex> inputs,
                                 const BringTogether& bring) {
    const std::string identity = identity_of();
    if (const auto known = terms_.applied(identity, inputs)) return known;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (terms_[operands[i]].nameless_like) {
        return wrong(node_.inputs[i].where,
                     described(graph_, node_.inputs[i].node) + " has no names for its dimensions");
      }
    }
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (terms_[operands[i]].missing && !node_.declaration->knows_missing) {
        return wrong(node_.inputs[i].where, described(graph_, node_.inputs[i].node) +
                                                " has missing values, which " + node_.rule->name.value +
                                                " does not know");
      }
    }
    if (is_unknown(operands)) return terms_.apply(identity, inputs, nullptr, ElementType::float64, {});

    auto prepared = prepare(operands);
    if (!prepared || !check(*prepared) || !check_halos(*prepared, operands)) return {};
    std::vector<DimensionId> dimensions;
    for (const operators::Dimension& one : prepared->result.dimensions) {
      const std::size_t before = shapes_.dimensions.size();
      const auto known = dimension_of(one, operands);
      if (!known) return {};
      if (known->index >= before) describe_part(shapes_, *known, dimensions_of(operands, dimensions.size()));
      dimensions.push_back(*known);
    }
    if (!prepared->region && !check_pairs(operands, dimensions)) return {};
    if (!prepared->region && bring) {
      auto brought = bring(std::move(inputs));
      if (!brought) return {};
      inputs = std::move(*brought);
    }
    if (!prepared->halos.empty() && !shapes_.is_imagined)
      inputs = with_halos(std::move(inputs), prepared, dimensions, shapes_, terms_);
    const TermIndex term =
        terms_.apply(identity, inputs, prepared, static_cast<ElementType>(prepared->result.type), dimensions);
    try {
      if (!check_regions(term)) return {};
    } catch (const std::exception& error) {  // from the operator's own `region`
      return wrong(node_.where, node_.declaration->name + ": " + error.what());
    }
    return term;
  }

  /// What the operator's points are made of, wherever that lies.
  std::optional<TermIndex> regrid(TermIndex operand, std::vector<TermIndex> places) {
    std::string identity = identity_of();
    if (terms_[operand].nameless_like) {
      return wrong(node_.inputs.front().where,
                   described(graph_, node_.inputs.front().node) + " has no names for its dimensions");
    }
    if (is_unknown({operand})) return terms_.regrid(identity, operand, nullptr, {});
    std::shared_ptr<Regridding> how;
    declare({operand}, [&](const operators::Rule& rule) {
      how = std::make_shared<Regridding>(node_.declaration->regrid(rule, graph_.config->catalogue.read_grid));
    });
    if (!how) return {};
    // Words mean other grids in other namespaces.
    for (const auto& [parameter, value] : completed_parameters(graph_, node_))
      identity += '\0' + parameter + '\0' + value;
    std::string why;
    auto dimensions = regridded_dimensions(terms_[operand], *how, shapes_, why);
    if (!dimensions) return cannot_bring(why);
    if (!how->file.empty() && !std::ifstream(how->file)) {
      findings_.note(node_.where, "diagnostic " + quoted(graph_.diagnostic_of(node_).field.value) +
                                      ": there is no file " + quoted(how->file) +
                                      " of weights yet; \"pileus weights\" makes it");
    }
    how->has_holes = how->has_holes || shapes_.has_holes;
    if (is_any_turned(terms_, places, operand, *how)) {
      return wrong(node_.where, node_.declaration->name + ": " + quoted(node_.inputs.front().name) +
                                    " has the dimensions of its grid in another order than its latitude, by "
                                    "which weights are numbered");
    }
    if (!lie_on_points(terms_, places, operand, *how)) places.clear();
    return terms_.regrid(identity, operand, std::move(how), *std::move(dimensions), std::move(places));
  }

  /// Each rank picks, and one server applies the operator to what all of them picked.
  std::optional<TermIndex> sift(const std::vector<TermIndex>& operands, const std::vector<int>& axes) {
    (void)identity_of();  // finds the options that are open
    const auto sifting = is_unknown(operands) ? unknown_sifting() : declared_sifting(operands);
    if (!sifting) return {};
    std::vector<TermIndex> sifted = operands;
    if (sifted.size() > 1 && terms_[sifted[1]].spread == Spread::rooted)
      sifted[1] = terms_.broadcast(sifted[1]);
    std::vector<TermIndex> brought;
    for (const auto& pick : sifting->picks)
      brought.push_back(terms_.communicate(pick->reduction, terms_.sift(pick, sifted, axes), {}));
    const auto result = apply(operands, brought, {});
    if (result) terms_[*result].units = sifting->units;
    return result;
  }

 private:
  bool is_unknown(const std::vector<TermIndex>& operands) const {
    return has_open_option_ ||
           std::ranges::any_of(operands, [&](TermIndex operand) { return terms_[operand].is_unknown_shape; });
  }

  /// Stands where no run follows.
  std::optional<Sifting> unknown_sifting() const {
    return Sifting{{std::make_shared<const Pick>(Pick{node_.declaration->name})}};
  }

  std::optional<Sifting> declared_sifting(const std::vector<TermIndex>& operands) {
    std::optional<Sifting> sifting;
    declare(operands, [&](const operators::Rule& rule) { sifting = node_.declaration->sift(rule); });
    return sifting;
  }

  std::optional<TermIndex> wrong(const Location& where, const std::string& what) {
    report(findings_, where, "diagnostic " + quoted(graph_.diagnostic_of(node_).field.value) + ": " + what);
    return {};
  }
  bool is_nonsense(const std::string& what) {
    wrong(node_.rule->name.where,
          "operator " + quoted(node_.declaration->name) + " declares nonsense: " + what);
    return false;
  }

  const Text& text(const ParameterDeclaration& parameter) const {
    static const Text kNone;
    const auto found = node_.rule->parameters.find(parameter.name);
    return found == node_.rule->parameters.end() ? kNone : found->second;
  }

  /// Operator and parameters; not the names of inputs, which are operands.
  std::string identity_of() {
    std::string identity = node_.declaration->name;
    for (const ParameterDeclaration& parameter : node_.declaration->parameters) {
      const std::string& value = text(parameter).value;
      has_open_option_ = has_open_option_ || value.find('{') != std::string::npos;
      // Which operand is which depends on the optional ones that are there.
      const bool is_operand = parameter.kind == ParameterKind::name;
      if (is_operand && value.empty()) continue;
      identity += '\0' + parameter.name + '\0' + (is_operand ? "" : value);
    }
    return identity;
  }

  operators::Rule rule_for(const std::vector<TermIndex>& operands) const {
    operators::Rule rule;
    for (const ParameterDeclaration& parameter : node_.declaration->parameters) {
      const std::string& given = text(parameter).value;
      rule.parameters[parameter.name] = given.empty() ? parameter.default_value : given;
    }
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const Term& term = terms_[operands[i]];
      operators::Quantity input{node_.inputs[i].name, operators::Type::float64, {}};
      if (term.form == Form::numbers) input.type = static_cast<operators::Type>(term.type);
      for (DimensionId id : term.dimensions) {
        const PlannedDimension& dimension = shapes_.dimensions[id.index];
        input.dimensions.push_back({dimension.name, shapes_.is_imagined ? kUnknownSize : dimension.size,
                                    dimension.coordinates, dimension.units});
      }
      input.missing = term.missing;
      rule.inputs.push_back(std::move(input));
    }
    return rule;
  }

  std::shared_ptr<const operators::Prepared> prepare(const std::vector<TermIndex>& operands) {
    std::shared_ptr<const operators::Prepared> prepared;
    declare(operands, [&](const operators::Rule& rule) {
      prepared = std::make_shared<operators::Prepared>(node_.declaration->prepare(rule));
    });
    return prepared;
  }

  /// Asks the operator what it makes of this rule, and reports what it does not like.
  template <class Ask>
  void declare(const std::vector<TermIndex>& operands, const Ask& ask) {
    try {
      operators::Rule rule = rule_for(operands);
      if (node_.kind == NodeKind::regrid) complete_from_grids(graph_, node_, rule.parameters);
      ask(rule);
    } catch (const operators::ParameterError& error) {
      refuse(error, operands);
    } catch (const std::exception& error) {
      wrong(node_.where, node_.declaration->name + ": " + error.what());
    }
  }

  /// At the word of a list that the message quotes, with what was meant if it is no dimension.
  void refuse(const operators::ParameterError& error, const std::vector<TermIndex>& operands) {
    if (const GridConfig* grid = target_of(graph_, node_); grid && error.parameter() == "file")
      return report(findings_, grid->file.where, "grid " + quoted(grid->name.value) + ": " + error.what());
    const std::string what = node_.declaration->name + ": " + error.parameter() + ": " + error.what();
    const auto found = node_.rule->parameters.find(error.parameter());
    if (found == node_.rule->parameters.end() || !found->second.is_given()) {
      wrong(node_.where, what);
      return;
    }
    std::vector<std::string> known;
    for (const operators::Quantity& input : rule_for(operands).inputs) {
      for (const operators::Dimension& one : input.dimensions) known.push_back(one.name);
    }
    for (const ListItem& item : split_list(found->second.value)) {
      if (what.find("no dimension " + quoted(item.text)) == what.npos) continue;
      wrong(inside(*graph_.config, found->second, item.at), what + did_you_mean(item.text, known));
      return;
    }
    wrong(found->second.where, what);
  }

  bool check(const operators::Prepared& prepared) {
    const std::string problem = problem_of_result(prepared, shapes_.is_imagined);
    return problem.empty() || is_nonsense(problem);
  }

  bool check_halos(const operators::Prepared& prepared, const std::vector<TermIndex>& operands) {
    const std::string problem = problem_of_halos(prepared, operands, shapes_, terms_);
    return problem.empty() || is_nonsense(problem);
  }

  /// The one at `place` of the first comes first: x and y may have the same coordinates.
  std::vector<DimensionId> dimensions_of(const std::vector<TermIndex>& operands, std::size_t place) const {
    std::vector<DimensionId> all;
    if (!operands.empty() && place < terms_[operands.front()].dimensions.size())
      all.push_back(terms_[operands.front()].dimensions[place]);
    for (const TermIndex operand : operands)
      all.insert(all.end(), terms_[operand].dimensions.begin(), terms_[operand].dimensions.end());
    return all;
  }

  std::optional<DimensionId> dimension_of(const operators::Dimension& wanted,
                                          const std::vector<TermIndex>& operands) {
    std::string why;
    const auto found = brought_dimension(wanted, shapes_, why);
    if (!found) cannot_bring(why);
    if (found && node_.declaration->bounds)
      put_bounds(shapes_.dimensions[found->index],
                 node_.declaration->bounds(rule_for(operands), wanted.name));
    return found;
  }
  std::optional<TermIndex> cannot_bring(const std::string& why) {
    return wrong(node_.where, node_.declaration->name + ": " + why + way_to_another_name(*node_.declaration));
  }

  /// Where it lies follows dimension by dimension: one distributed operand has to have all that others have.
  bool check_pairs(const std::vector<TermIndex>& operands, const std::vector<DimensionId>& dimensions) {
    const auto has = [&](std::size_t i, DimensionId id) {
      return std::ranges::find(terms_[operands[i]].dimensions, id) != terms_[operands[i]].dimensions.end();
    };
    std::vector<std::size_t> distributed;
    std::optional<std::size_t> widest;
    const auto width = [&](std::size_t i) {
      return std::ranges::count_if(dimensions, [&](DimensionId id) { return has(i, id); });
    };
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (terms_[operands[i]].spread != Spread::distributed) continue;
      distributed.push_back(i);
      if (!widest || width(i) > width(*widest)) widest = i;
    }
    for (std::size_t i : distributed) {
      for (DimensionId id : dimensions) {
        if (!has(i, id) || has(*widest, id)) continue;
        wrong(node_.inputs[i].where,
              described(graph_, node_.inputs[i].node) + " has the dimension " +
                  quoted(shapes_.dimensions[id.index].name) + ", which " +
                  described(graph_, node_.inputs[*widest].node) +
                  " lacks: both are distributed over the model ranks, and no rank has all pairs of their "
                  "elements. Bring one to the other's grid first");
        return false;
      }
    }
    return true;
  }

  /// Each element of a result has to be made by one rank.
  bool check_regions(TermIndex index) {
    const Term& term = terms_[index];
    if (shapes_.is_imagined) return true;
    if (term.spread != Spread::distributed) return check_whole(index);
    if (term.dimensions.empty()) {
      wrong(node_.where,
            "the result would be a scalar that one model rank has and the others have not; "
            "localreduce over its last dimension instead");
      return false;
    }
    std::vector<Index> extents;
    for (DimensionId id : term.dimensions) extents.push_back(shapes_.dimensions[id.index].size);
    std::vector<Region> regions;
    for (std::size_t rank = 0; rank < shapes_.regions.size(); ++rank) {
      regions.push_back(made_region(index, rank, shapes_, terms_));
      if (is_inside(regions.back(), extents)) continue;
      return is_nonsense("model rank " + std::to_string(rank) + " would make " + text(regions.back()) +
                         " of the result " + text({std::vector<Index>(extents.size(), 0), extents}));
    }
    std::vector<const Region*> parts;
    for (const Region& region : regions) parts.push_back(&region);
    const std::string operator_name = "operator " + quoted(node_.declaration->name);
    if (const auto pair = first_overlap(parts)) {
      wrong(node_.where, operator_name + " needs the whole of a dimension on each model rank: ranks " +
                             std::to_string(pair->first) + " and " + std::to_string(pair->second) +
                             " would both make a part of its result, " + text(regions[pair->first]) +
                             " and " + text(regions[pair->second]));
      return false;
    }
    if (gaps_ || shapes_.has_holes) return true;
    const std::vector<Region> holes = gaps(parts, extents);
    if (!holes.empty()) {
      wrong(node_.where, operator_name + ": no model rank makes " + text(holes.front()) + " of its result");
      return false;
    }
    return true;
  }

  /// A result of inputs that are whole is whole.
  bool check_whole(TermIndex index) {
    const Term& term = terms_[index];
    if (!term.prepared->region) return true;
    Region whole;
    for (DimensionId id : term.dimensions) {
      whole.start.push_back(0);
      whole.count.push_back(shapes_.dimensions[id.index].size);
    }
    const Region made = made_region(index, 0, shapes_, terms_);
    return made == whole || is_nonsense("of inputs that are whole it would make " + text(made) +
                                        " of the result " + text(whole));
  }

  static std::string text(const Region& region) { return pileus::text(region); }

  static bool is_inside(const Region& region, const std::vector<Index>& extents) {
    if (region.start.size() != extents.size() || region.count.size() != extents.size()) return false;
    for (std::size_t d = 0; d < extents.size(); ++d) {
      if (!region.along(d).is_within(extents[d])) return false;
    }
    return true;
  }

  const Graph& graph_;
  const Node& node_;
  Shapes& shapes_;
  TermTable& terms_;
  Findings& findings_;
  bool gaps_;                     ///< see apply_operator()
  bool has_open_option_ = false;  ///< a parameter is not known yet: `pileus check` may lack options
};

}  // namespace

std::optional<TermIndex> apply_operator(const Graph& graph, const Node& node,
                                        const std::vector<TermIndex>& operands, Shapes& shapes,
                                        TermTable& terms, Findings& findings, const BringTogether& bring,
                                        bool has_gaps) {
  return Application{graph, node, shapes, terms, findings, has_gaps}.apply(operands, operands, bring);
}

std::optional<TermIndex> regrid_operator(const Graph& graph, const Node& node, TermIndex operand,
                                         std::vector<TermIndex> places, Shapes& shapes, TermTable& terms,
                                         Findings& findings) {
  return Application(graph, node, shapes, terms, findings).regrid(operand, std::move(places));
}

std::optional<TermIndex> sift_operator(const Graph& graph, const Node& node,
                                       const std::vector<TermIndex>& operands, const std::vector<int>& axes,
                                       Shapes& shapes, TermTable& terms, Findings& findings) {
  return Application(graph, node, shapes, terms, findings).sift(operands, axes);
}

}  // namespace pileus::planning
