#include "layout/grids.h"

#include <algorithm>
#include <map>

#include "config/namespaces.h"
#include "core/suggest.h"
#include "rules/zonal.h"

namespace pileus::planning {
namespace {

/// More grids behind one value are not told apart: it lies on none of them.
constexpr std::size_t kMostTold = 8;
constexpr std::size_t kMostSuggestions = 20;

class Resolver {
 public:
  Resolver(const Graph& graph, Findings& findings) : graph_(graph), findings_(findings) {}

  Grids resolve() {
    for (NodeIndex field = 0; field < graph_.field_count; ++field)
      fields_.try_emplace(graph_.nodes[field].name, field);
    for (const DiagnosticConfig& one : graph_.config->diagnostics)
      diagnostics_.insert(full_name(one.scope, one.field.value));
    grids_.of_nodes.resize(graph_.nodes.size());
    for (const GridConfig& config : graph_.config->grids) add(config);
    for (NodeIndex field = 0; field < graph_.field_count; ++field) place_field(field);
    place_areas();
    for (const NodeIndex rule : graph_.order) place_rule(rule);
    return std::move(grids_);
  }

 private:
  void add(const GridConfig& config) {
    Grid grid{&config, {}, config.is_target()};
    for (std::size_t part = 0; part < kGridParts.size(); ++part) {
      const Text& name = config.*kGridParts[part].name;
      if (!name.value.empty()) grid.fields[part] = find_field(config, name);
    }
    numbers_.try_emplace(full_name(config.scope, config.name.value), grids_.all.size());
    grids_.all.push_back(std::move(grid));
  }

  std::optional<NodeIndex> find_field(const GridConfig& grid, const Text& name) {
    bool is_diagnostic = false;
    for (const std::string& meaning : meanings(grid.scope, name.value)) {
      if (const auto known = fields_.find(meaning); known != fields_.end()) return known->second;
      is_diagnostic = is_diagnostic || diagnostics_.contains(meaning);
    }
    if (name.value.find('{') != std::string::npos) return {};
    const std::string what = "grid " + quoted(grid.name.value) + ": ";
    report(findings_, name.where,
           is_diagnostic ? what + quoted(name.value) + " is a diagnostic; grids take fields of the model"
                         : what + "no field " + quoted(name.value) + advice(name.value, fields_));
    return {};
  }

  void place_field(NodeIndex field) {
    const Text& name = graph_.nodes[field].field->grid;
    if (name.value.empty() || name.value.find('{') != std::string::npos) return;
    const std::string scope(scope_of(graph_.nodes[field].name));
    for (const std::string& meaning : meanings(scope, name.value)) {
      const auto known = numbers_.find(meaning);
      if (known == numbers_.end()) continue;
      grids_.all[known->second].is_used = true;
      grids_.of_nodes[field] = {known->second};
      return;
    }
    report(findings_, name.where,
           "field " + quoted(graph_.nodes[field].field->name.value) + ": no grid " + quoted(name.value) +
               advice(name.value, numbers_));
  }

  /// One that several grids name lies on none of them.
  void place_areas() {
    std::map<NodeIndex, GridSet> places;
    for (std::size_t number = 0; number < grids_.all.size(); ++number) {
      for (const GridPart part : {GridPart::area, GridPart::mask}) {
        if (const auto& field = grids_.all[number][part]) places[*field].insert(number);
      }
    }
    for (const auto& [field, grids] : places) {
      const bool says_otherwise = !graph_.nodes[field].field->grid.value.empty();
      if (!says_otherwise && grids.size() == 1) grids_.of_nodes[field] = grids;
    }
  }

  void place_rule(NodeIndex index) {
    const Node& rule = graph_.nodes[index];
    GridSet& found = grids_.of_nodes[index];
    for (const Use& use : rule.inputs) {
      for (const std::size_t grid : grids_.of_nodes[use.node]) {
        if (found.size() < kMostTold && leaves_dimensions(rule, *grids_.all[grid].config)) found.insert(grid);
      }
    }
  }

  /// As far as names tell; what a rule makes of dimensions is known only when shapes are.
  static bool leaves_dimensions(const Node& rule, const GridConfig& grid) {
    if (rule.kind == NodeKind::regrid) return !replaces_grid(rule, grid);
    const bool reduces =
        rule.kind == NodeKind::localreduce || (rule.kind == NodeKind::sift && rule.inputs.size() == 1);
    if (!reduces || rule.dimensions.size() > kMostTold) return true;
    if (rule.dimensions.empty()) return false;
    return std::ranges::none_of(grid.dimensions, [&](const Text& dimension) {
      return std::ranges::find(rule.dimensions, dimension.value, &Text::value) != rule.dimensions.end();
    });
  }

  /// Which name was probably meant. Beside many mistakes one more suggestion helps nobody.
  template <class Map>
  std::string advice(const std::string& name, const Map& known) {
    if (++mistakes_ > kMostSuggestions) return "";
    NearestWord nearest(name);
    for (const auto& [candidate, number] : known) nearest.offer(candidate);
    return did_you_mean(nearest.found());
  }

  const Graph& graph_;
  Findings& findings_;
  Grids grids_;
  std::map<std::string, NodeIndex> fields_;
  std::map<std::string, std::size_t> numbers_;  ///< of grids
  std::set<std::string> diagnostics_;
  std::size_t mistakes_ = 0;
};

FileIncludeConfig include_of(const GridConfig& grid) {
  FileIncludeConfig include;
  include.time_manipulation.value = "none";
  include.where = grid.where;
  include.scope = grid.scope;
  return include;
}

}  // namespace

Grids resolve_grids(const Graph& graph, Findings& findings) { return Resolver(graph, findings).resolve(); }

void include_grids(Graph& graph, const Grids& grids) {
  std::set<std::pair<std::size_t, std::size_t>> wanted;  // files and grids
  for (const Entry& entry : graph.entries) {
    for (const std::size_t grid : grids.of_nodes[entry.node]) wanted.insert({entry.file, grid});
  }
  for (const auto& [file, number] : wanted) {
    const Grid& grid = grids.all[number];
    for (std::size_t part = 0; part < kGridParts.size(); ++part) {
      if (!grid.fields[part]) continue;
      const Text& name = grid.config->*kGridParts[part].name;
      graph.made_includes.push_back(include_of(*grid.config));
      graph.entries.push_back({file, &graph.made_includes.back(), name, *grid.fields[part], {}, true});
    }
  }
  std::ranges::stable_sort(graph.entries, {}, &Entry::file);
}

void note_unused_grids(const Grids& grids, Findings& findings) {
  if (findings.has_errors()) return;  // which may be the reason
  for (const Grid& grid : grids.all) {
    const std::string& name = grid.config->name.value;
    if (!grid.is_used)
      findings.note(grid.config->name.where,
                    "grid " + quoted(name) + " is not used: no field has grid=" + quoted(name));
  }
}

}  // namespace pileus::planning
