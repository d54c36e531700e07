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
    for (std::size_t number = 0; number < grids_.all.size(); ++number) {
      find_mapping(grids_.all[number]);
      find_mesh(number);
    }
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

  void find_mapping(Grid& grid) {
    const Text& name = grid.config->grid_mapping;
    if (name.value.empty() || name.value.find('{') != name.value.npos) return;
    std::map<std::string, const MappingConfig*> known;
    for (const MappingConfig& one : graph_.config->mappings)
      known.try_emplace(full_name(one.scope, one.name.value), &one);
    for (const std::string& meaning : meanings(grid.config->scope, name.value)) {
      if (grid.mapping == nullptr && known.contains(meaning)) grid.mapping = known.at(meaning);
    }
    if (grid.mapping == nullptr)
      report(findings_, name.where,
             "grid " + quoted(grid.config->name.value) + ": no grid_mapping " + quoted(name.value) +
                 advice(name.value, known));
  }

  void find_mesh(std::size_t number) {
    const GridConfig& grid = *grids_.all[number].config;
    if (!grid.face_nodes.value.empty()) grids_.all[number].mesh = number;
    const Text& name = grid.mesh;
    if (name.value.empty() || name.value.find('{') != name.value.npos) return;
    const std::string what = "grid " + quoted(grid.name.value) + ": ";
    for (const std::string& meaning : meanings(grid.scope, name.value)) {
      const auto known = numbers_.find(meaning);
      if (known == numbers_.end()) continue;
      if (grids_.all[known->second].config->face_nodes.value.empty())
        return report(findings_, name.where,
                      what + "its mesh " + quoted(name.value) + " has no face_nodes, so it has no nodes");
      grids_.all[known->second].is_used = true;
      grids_.all[number].mesh = known->second;
      return;
    }
    report(findings_, name.where, what + "no grid " + quoted(name.value) + advice(name.value, numbers_));
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

std::vector<std::pair<const Text*, NodeIndex>> fields_with(const Grids& grids, std::size_t number) {
  std::vector<std::pair<const Text*, NodeIndex>> fields;
  const auto add = [&](const Grid& grid, std::size_t part) {
    if (grid.fields[part]) fields.emplace_back(&(grid.config->*kGridParts[part].name), *grid.fields[part]);
  };
  const Grid& grid = grids.all[number];
  for (std::size_t part = 0; part < kGridParts.size(); ++part) add(grid, part);
  for (std::size_t part = 0; part < kGridParts.size() && grid.mesh && *grid.mesh != number; ++part)
    if (is_of_mesh(static_cast<GridPart>(part))) add(grids.all[*grid.mesh], part);
  return fields;
}

void include_grids(Graph& graph, const Grids& grids) {
  std::set<std::pair<std::size_t, std::size_t>> wanted;  // files and grids
  for (const Entry& entry : graph.entries) {
    for (const std::size_t grid : grids.of_nodes[entry.node]) wanted.insert({entry.file, grid});
  }
  for (const auto& [file, number] : wanted) {
    for (const auto& [name, field] : fields_with(grids, number)) {
      graph.made_includes.push_back(include_of(*grids.all[number].config));
      graph.entries.push_back({file, &graph.made_includes.back(), *name, field, {}, true});
    }
  }
  std::ranges::stable_sort(graph.entries, {}, &Entry::file);
}

void note_unused_grids(const Config& config, const Grids& grids, Findings& findings) {
  if (findings.has_errors()) return;  // which may be the reason
  for (const Grid& grid : grids.all) {
    const std::string& name = grid.config->name.value;
    if (!grid.is_used)
      findings.note(grid.config->name.where,
                    "grid " + quoted(name) + " is not used: no field has grid=" + quoted(name));
  }
  for (const MappingConfig& mapping : config.mappings) {
    const std::string& name = mapping.name.value;
    if (std::ranges::find(grids.all, &mapping, &Grid::mapping) == grids.all.end())
      findings.note(mapping.name.where, "grid_mapping " + quoted(name) +
                                            " is not used: no grid has grid_mapping=" + quoted(name));
  }
}

}  // namespace pileus::planning
