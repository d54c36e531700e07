#include "layout/grid_checks.h"

#include <algorithm>
#include <set>

namespace pileus::planning {
namespace {

class GridChecks {
 public:
  GridChecks(const Draft& draft, Findings& findings) : draft_(draft), findings_(findings) {}

  void check() {
    for (const Grid& grid : draft_.grids.all) {
      for (std::size_t part = 0; part < kGridParts.size(); ++part) {
        if (grid.fields[part] && is_known(*grid.fields[part]))
          check_part(grid, static_cast<GridPart>(part), *grid.fields[part]);
      }
      check_nodes(grid);
    }
    for (NodeIndex field = 0; field < draft_.graph.field_count; ++field) {
      const bool says_it = !node(field).field->grid.value.empty();
      if (!says_it || draft_.grids.of_nodes[field].empty() || !is_known(field)) continue;
      check_field(field, *draft_.grids.all[*draft_.grids.of_nodes[field].begin()].config);
    }
    if (!draft_.shapes.is_imagined) return;
    for (const NodeIndex rule : draft_.graph.order) note_unweighted(rule);
  }

 private:
  const Node& node(NodeIndex field) const { return draft_.graph.nodes[field]; }
  const FieldShape& shape(NodeIndex field) const { return draft_.shapes.fields[field]; }

  /// Whether its shape means anything.
  bool is_known(NodeIndex field) const {
    return draft_.shapes.is_imagined || (node(field).is_live && !node(field).is_off);
  }

  std::vector<std::string> dimensions_of(NodeIndex field) const {
    std::vector<std::string> names;
    for (DimensionId id : shape(field).dimensions) names.push_back(draft_.shapes.dimensions[id.index].name);
    return names;
  }

  static std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
    return text.empty() ? "none" : quoted(text);
  }

  void check_part(const Grid& grid, GridPart part, NodeIndex field) {
    const PartOfGrid& about = kGridParts[static_cast<std::size_t>(part)];
    const Text& name = grid.config->*about.name;
    const std::string what =
        "grid " + quoted(grid.config->name.value) + ": its " + about.word + " " + quoted(name.value);
    if (!draft_.is_static[field]) return report_changing(name, what);
    check_type(part, field, name, what);
    if (shape(field).is_unknown || !are_names(grid.config->dimensions)) return;
    if (part == GridPart::node_latitude || part == GridPart::node_longitude) return;
    std::vector<std::string> found = dimensions_of(field);
    const bool is_bounds = part == GridPart::latitude_bounds || part == GridPart::longitude_bounds ||
                           part == GridPart::face_nodes;
    const std::string has = what + " has the dimensions " + joined(found);
    std::vector<std::string> wanted;
    for (const Text& dimension : grid.config->dimensions) wanted.push_back(dimension.value);
    const std::string all = joined(wanted);
    const bool has_corners = found.size() == wanted.size() + 1;
    if (is_bounds && has_corners) found.erase(found.begin());
    if (is_same(found, wanted) && is_bounds == has_corners) return;
    report(
        findings_, name.where,
        has +
            (is_bounds ? ", not one for the corners of a cell and after it those of the grid, " : ", not ") +
            all);
  }

  /// What is wrong with them has been said.
  static bool are_names(const std::vector<Text>& dimensions) {
    std::set<std::string> names;
    for (const Text& one : dimensions) names.insert(one.value);
    return !names.empty() && names.size() == dimensions.size();
  }

  static bool is_same(std::vector<std::string> a, std::vector<std::string> b) {
    std::ranges::sort(a);
    std::ranges::sort(b);
    return a == b;
  }

  void report_changing(const Text& name, const std::string& what) {
    if (!draft_.shapes.is_imagined)
      return report(findings_, name.where,
                    what + " may change with time: say static=\"true\" at the field, or call pileus_static");
    if (!findings_.has_errors())
      findings_.note(name.where, what +
                                     " is not static=\"true\", so the model has to say that it never changes "
                                     "(pileus_static)");
  }

  void check_type(GridPart part, NodeIndex field, const Text& name, const std::string& what) {
    const ElementType type = shape(field).file_type;
    if (!is_number(type)) return report(findings_, name.where, what + " is a text");
    const bool is_told = !draft_.shapes.is_imagined || node(field).field->data_type.is_given();
    const bool is_whole = is_integer(type) || type == ElementType::boolean;
    if ((part != GridPart::mask && part != GridPart::face_nodes) || !is_told || is_whole) return;
    report(findings_, name.where,
           what + " holds " + std::string(pileus::name(type)) + " numbers, and " +
               (part == GridPart::mask ? "a mask holds whole ones: 0 where nothing is"
                                       : "numbers of nodes are whole ones") +
               " (data_type=\"integer\")");
  }

  /// Nothing where it is not known, or is not one dimension.
  std::optional<std::string> dimension_of_part(const Grid& grid, GridPart part) const {
    const auto& field = grid[part];
    if (!field || !is_known(*field) || shape(*field).is_unknown) return {};
    const std::vector<std::string> found = dimensions_of(*field);
    return found.size() == 1 ? std::optional(found.front()) : std::nullopt;
  }

  /// Nodes lie along one dimension, which is not that of the cells. Those of another grid lie along its.
  void check_nodes(const Grid& grid) {
    for (const GridPart part : {GridPart::node_latitude, GridPart::node_longitude}) check_node(grid, part);
    if (!grid.mesh || grid.config->dimensions.size() != 1) return;
    const Grid& mesh = draft_.grids.all[*grid.mesh];
    const auto nodes = dimension_of_part(mesh, GridPart::node_latitude);
    const std::string& own = grid.config->dimensions.front().value;
    if (&mesh == &grid || !nodes || *nodes == own) return;
    report(findings_, grid.config->mesh.where,
           "grid " + quoted(grid.config->name.value) + " has the dimension " + quoted(own) +
               ", and the nodes of its mesh " + quoted(mesh.config->name.value) + " have " + quoted(*nodes));
  }

  void check_node(const Grid& grid, GridPart part) {
    const auto& field = grid[part];
    if (!field || !is_known(*field) || shape(*field).is_unknown) return;
    const PartOfGrid& about = kGridParts[static_cast<std::size_t>(part)];
    const Text& name = grid.config->*about.name;
    const std::vector<std::string> found = dimensions_of(*field);
    const auto other = dimension_of_part(grid, GridPart::node_latitude);
    const bool is_of_cells =
        !found.empty() && std::ranges::find(grid.config->dimensions, found.front(), &Text::value) !=
                              grid.config->dimensions.end();
    const bool is_other =
        part == GridPart::node_longitude && other && !found.empty() && *other != found.front();
    if (found.size() == 1 && !is_of_cells && !is_other) return;
    report(findings_, name.where,
           "grid " + quoted(grid.config->name.value) + ": its " + about.word + " " + quoted(name.value) +
               " has the dimensions " + joined(found) + ", not one for the nodes alone" +
               (is_other ? ", that of its node_latitude" : ""));
  }

  void check_field(NodeIndex field, const GridConfig& grid) {
    if (shape(field).is_unknown) return;
    const std::vector<std::string> found = dimensions_of(field);
    for (const Text& dimension : grid.dimensions) {
      if (std::ranges::find(found, dimension.value) != found.end()) continue;
      report(findings_, node(field).field->grid.where,
             "field " + quoted(node(field).name) + " has the dimensions " + joined(found) +
                 ", and its grid " + quoted(grid.name.value) + " has " + quoted(dimension.value) + " too");
      return;
    }
  }

  /// Whether nothing has taken a part of the grid out of a value.
  bool has_all_dimensions(NodeIndex index, const GridConfig& grid) const {
    const auto& value = draft_.values[index];
    if (!value || draft_.terms[*value].is_unknown_shape) return false;
    return std::ranges::all_of(grid.dimensions, [&](const Text& dimension) {
      return std::ranges::any_of(draft_.terms[*value].dimensions, [&](DimensionId id) {
        return draft_.shapes.dimensions[id.index].name == dimension.value;
      });
    });
  }

  /// Cells that have areas and count alike.
  void note_unweighted(NodeIndex index) {
    const Node& rule = draft_.graph.nodes[index];
    const bool is_counted = rule.kind == NodeKind::localreduce && rule.reduction != Reduction::sum &&
                            declaration_of(rule.reduction).with_weights;
    if (!is_counted || !rule.is_live || rule.is_off || !rule.edges.empty()) return;
    for (const std::size_t number : draft_.grids.of_nodes[rule.inputs.front().node]) {
      const Grid& grid = draft_.grids.all[number];
      const auto is_reduced = [&](const Text& dimension) {
        return rule.dimensions.empty() ||
               std::ranges::find(rule.dimensions, dimension.value, &Text::value) != rule.dimensions.end();
      };
      if (!grid[GridPart::area] || !std::ranges::all_of(grid.config->dimensions, is_reduced)) continue;
      if (!has_all_dimensions(rule.inputs.front().node, *grid.config)) continue;
      const std::string& area = grid.config->area.value;
      findings_.note(rule.where, "diagnostic " + quoted(draft_.graph.diagnostic_of(rule).field.value) +
                                     ": every cell of the grid " + quoted(grid.config->name.value) +
                                     " counts alike here, however large it is; weight=" +
                                     (rule.is_of_expression ? area : quoted(area)) +
                                     " makes it that over the area");
    }
  }

  const Draft& draft_;
  Findings& findings_;
};

}  // namespace

void check_grids(const Draft& draft, Findings& findings) { GridChecks(draft, findings).check(); }

}  // namespace pileus::planning
