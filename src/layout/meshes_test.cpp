// What files hold and say of meshes (UGRID conventions 1.0).

#include "layout/config_wants.h"
#include "layout/grids.h"
#include "layout/test_config.h"

namespace pileus::planning_test {
namespace {

/// Two triangles between four nodes, with a field on each.
struct Case {
  ConfigBuilder config;
  ModelBuilder model;

  explicit Case(std::size_t ranks = 2) : model(ranks) {
    model.dimension("corner", 3).dimension("cell", 2).dimension("node", 4);
    config.group("state");
    add("t", {"cell"}, ElementType::float64).grid = config.text("mesh");
    add("psi", {"node"}, ElementType::float64).grid = config.text("corners");
    config.group("constants", 0);
    for (const char* name : {"lat", "lon"}) add(name, {"cell"}).is_static = true;
    for (const char* name : {"node_lat", "node_lon"}) add(name, {"node"}).is_static = true;
    add("flat", {"cell"}, ElementType::int32).is_static = true;
    add("cell_nodes", {"corner", "cell"}, ElementType::int32).is_static = true;
    GridConfig grid;
    grid.name = config.text("mesh");
    grid.dimensions = {config.text("cell")};
    grid.latitude = config.text("lat");
    grid.longitude = config.text("lon");
    grid.face_nodes = config.text("cell_nodes");
    grid.node_latitude = config.text("node_lat");
    grid.node_longitude = config.text("node_lon");
    grid.start_index = 1;
    config.config.grids.push_back(std::move(grid));
    GridConfig nodes;
    nodes.name = config.text("corners");
    nodes.dimensions = {config.text("node")};
    nodes.latitude = config.text("node_lat");
    nodes.longitude = config.text("node_lon");
    nodes.mesh = config.text("mesh");
    config.config.grids.push_back(std::move(nodes));
    config.file("f.nc");
  }

  GridConfig& mesh() { return config.config.grids[0]; }
  GridConfig& nodes() { return config.config.grids[1]; }
  FieldConfig& field(const std::string& name) {
    for (DataGroupConfig& group : config.config.data_groups) {
      for (FieldConfig& one : group.fields)
        if (one.name.value == name) return one;
    }
    throw std::runtime_error("no field " + name);
  }
  Planned plan(ServerRank servers = 1) const { return plan_of(config, model, servers); }

 private:
  FieldConfig& add(const std::string& name, const std::vector<std::string>& dimensions,
                   ElementType type = ElementType::float64) {
    model.distributed(name, dimensions, type);
    return config.field(name, dimensions.size() == 1 ? dimensions[0] : dimensions[0] + "," + dimensions[1],
                        true);
  }
};

std::string of(const Plan& plan, const std::string& variable, const std::string& name) {
  for (const auto* all : {&plan.variables, &plan.statics}) {
    for (const Variable& one : *all)
      if (one.name == variable) return attribute(one.attributes, name);
  }
  return "no variable " + variable;
}

TEST(Meshes, have_a_variable_that_names_what_describes_them) {
  Case one;
  one.config.include("t");

  const Planned planned = one.plan();

  ASSERT_EQ(planned.findings.text(), "");
  const PlannedFile& file = planned.plan.files[0];
  ASSERT_EQ(file.containers.size(), 1U);
  EXPECT_TRUE(file.has_mesh);
  const Container& mesh = file.containers[0];
  EXPECT_EQ(mesh.name, "mesh");
  EXPECT_EQ(attribute(mesh.attributes, "cf_role"), "mesh_topology");
  EXPECT_EQ(attribute(mesh.attributes, "node_coordinates"), "node_lon node_lat");
  EXPECT_EQ(attribute(mesh.attributes, "face_node_connectivity"), "cell_nodes");
  EXPECT_EQ(attribute(mesh.attributes, "face_dimension"), "cell");
  EXPECT_EQ(attribute(mesh.attributes, "face_coordinates"), "lon lat");
  EXPECT_EQ(of(planned.plan, "t", "mesh") + " " + of(planned.plan, "t", "location"), "mesh face");
  EXPECT_EQ(of(planned.plan, "cell_nodes", "cf_role"), "face_node_connectivity");
  EXPECT_EQ(of(planned.plan, "node_lat", "standard_name"), "latitude");
  EXPECT_EQ(of(planned.plan, "node_lon", "units"), "degrees_east");
  EXPECT_EQ(of(planned.plan, "node_lon", "mesh"), "(none)");
}

TEST(Meshes, count_their_nodes_from_the_start_index_in_the_type_of_the_numbers) {
  Case one;
  one.config.include("t");

  const Planned planned = one.plan();

  for (const Variable& variable : planned.plan.statics) {
    if (variable.name != "cell_nodes") continue;
    const Attribute& start = variable.attributes.back();
    EXPECT_EQ(start.name, "start_index");
    const auto& numbers = std::get<AttributeNumbers>(start.value);
    EXPECT_EQ(numbers.type, ElementType::int32);
    EXPECT_EQ(numbers.integers, std::vector<std::int64_t>{1});
  }
}

TEST(Meshes, come_with_fields_on_their_nodes) {
  Case one;
  one.config.include("psi");

  const Planned planned = one.plan();

  ASSERT_EQ(planned.findings.text(), "");
  EXPECT_EQ(of(planned.plan, "psi", "mesh") + " " + of(planned.plan, "psi", "location"), "mesh node");
  EXPECT_EQ(of(planned.plan, "psi", "coordinates"), "node_lat node_lon");
  EXPECT_EQ(of(planned.plan, "cell_nodes", "cf_role"), "face_node_connectivity");
  EXPECT_EQ(of(planned.plan, "lat", "units"), "no variable lat");  // of the cells
  EXPECT_EQ(attribute(planned.plan.files[0].containers[0].attributes, "face_coordinates"), "(none)");
}

TEST(Meshes, do_not_depend_on_the_layout) {
  const auto said = [](std::size_t ranks, ServerRank servers) {
    Case one(ranks);
    one.config.include("t");
    one.config.include("psi", "averaged");
    std::string text;
    const Planned planned = one.plan(servers);
    EXPECT_EQ(planned.findings.text(), "");
    for (const auto* all : {&planned.plan.variables, &planned.plan.statics}) {
      for (const Variable& one : *all) text += one.name + of(planned.plan, one.name, "mesh") + " ";
    }
    for (const Container& container : planned.plan.files[0].containers) text += container.name;
    return text;
  };
  EXPECT_EQ(said(1, 1), said(2, 2));
}

TEST(Meshes, are_none_where_the_model_may_do_without_their_nodes) {
  Case one;
  one.field("cell_nodes").is_optional = true;
  for (RankDescription& rank : one.model.model.ranks)
    std::erase_if(rank.fields, [](const ModelField& field) { return field.name == "cell_nodes"; });
  one.config.include("t");

  const Planned planned = one.plan();

  EXPECT_FALSE(planned.findings.has_errors()) << planned.findings.text();
  EXPECT_TRUE(planned.plan.files[0].containers.empty());
  EXPECT_EQ(of(planned.plan, "t", "mesh"), "(none)");
}

void expect_refused(Case& one, const Location& where, const std::string& part) {
  one.config.include("t");
  one.config.include("psi");
  expect_only_error(checked(one.config), where, part);
  expect_only_error(one.plan().findings, where, part);
}

TEST(Meshes, with_numbers_of_nodes_that_are_not_whole_are_errors) {
  Case one;
  one.field("cell_nodes").data_type = one.config.text("double");
  expect_refused(one, one.mesh().face_nodes.where,
                 "its face_nodes \"cell_nodes\" holds double numbers, and numbers of nodes are whole ones");
}

TEST(Meshes, whose_cells_have_no_corners_are_errors) {
  Case one;
  one.mesh().face_nodes.value = "flat";
  expect_refused(one, one.mesh().face_nodes.where,
                 "its face_nodes \"flat\" has the dimensions \"cell\", not one for the corners of a cell");
}

TEST(Meshes, whose_nodes_lie_along_the_cells_are_errors) {
  Case one;
  one.mesh().node_longitude.value = "lon";
  expect_refused(one, one.mesh().node_longitude.where,
                 "its node_longitude \"lon\" has the dimensions \"cell\", not one for the nodes alone");
}

TEST(Meshes, of_other_nodes_are_errors) {
  Case one;
  one.nodes().dimensions[0].value = "cell";
  one.nodes().latitude.value = "lat";
  one.nodes().longitude.value = "lon";
  one.field("psi").grid = Text{};
  expect_refused(
      one, one.nodes().mesh.where,
      "grid \"corners\" has the dimension \"cell\", and the nodes of its mesh \"mesh\" have \"node\"");
}

TEST(Meshes, that_are_unknown_are_errors) {
  Case one;
  one.nodes().mesh.value = "mesch";
  expect_refused(one, one.nodes().mesh.where, "grid \"corners\": no grid \"mesch\"; did you mean \"mesh\"?");
}

TEST(Meshes, without_cells_are_errors) {
  Case one;
  one.nodes().mesh.value = "corners";
  expect_refused(one, one.nodes().mesh.where, "its mesh \"corners\" has no face_nodes");
}

TEST(Meshes, cannot_have_the_name_of_a_dimension) {
  Case one;
  one.mesh().name.value = one.nodes().mesh.value = one.field("t").grid.value = "cell";
  expect_refused(one, one.mesh().name.where, "\"cell\" is the name of a dimension there");
}

}  // namespace
}  // namespace pileus::planning_test
