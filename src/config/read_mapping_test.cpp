// <grid_mapping>, and what a <grid> says of a mesh.

#include <gtest/gtest.h>

#include "config/config_test_support.h"
#include "config/schema/grid_mappings.h"

namespace pileus::testing {
namespace {

ReadResult read_root(const std::string& inside) {
  return read("<io-configuration>\n" + inside + "\n</io-configuration>");
}

std::string said_of(const std::string& inside) {
  std::string text = read_root(inside).text();
  for (std::size_t at; (at = text.find("io.xml:")) != text.npos;) text.erase(at, 7);
  return text;
}

TEST(ReadMapping, reads_parameters_as_numbers_and_texts) {
  const ReadResult result = read_root(
      "<grid_mapping name='crs' grid_mapping_name='lambert_conformal_conic' standard_parallel='30 60' "
      "longitude_of_central_meridian='-95' latitude_of_projection_origin='25' "
      "reference_ellipsoid_name='x'/>");

  ASSERT_EQ(result.text(), "");
  ASSERT_EQ(result.config.mappings.size(), 1U);
  const MappingConfig& mapping = result.config.mappings[0];
  EXPECT_EQ(mapping.name.value + " " + mapping.kind.value, "crs lambert_conformal_conic");
  std::string all;
  for (const AttributeConfig& one : mapping.parameters)
    all += one.name.value + "=" + one.value.value + (one.type == AttributeType::text ? " text " : " ");
  EXPECT_EQ(all,
            "standard_parallel=30,60 latitude_of_projection_origin=25 longitude_of_central_meridian=-95 "
            "reference_ellipsoid_name=x text ");
}

TEST(ReadMapping, suggests_names_and_parameters) {
  EXPECT_EQ(said_of("<grid_mapping name='c' grid_mapping_name='latitude_longitud'/>").substr(0, 60),
            "2:43: error: grid_mapping_name=\"latitude_longitud\": expected");
  EXPECT_NE(said_of("<grid_mapping name='c' grid_mapping_name='latitude_longitud'/>")
                .find("did you mean \"latitude_longitude\"?"),
            std::string::npos);
  EXPECT_EQ(
      said_of("<grid_mapping name='c' grid_mapping_name='latitude_longitude' earth_radios='1'/>"),
      "2:63: error: unknown attribute \"earth_radios\" of grid_mapping; did you mean \"earth_radius\"?");
}

TEST(ReadMapping, says_what_a_mapping_needs) {
  EXPECT_EQ(said_of("<grid_mapping name='c' grid_mapping_name='rotated_latitude_longitude' "
                    "grid_north_pole_latitude='39'/>"),
            "2:1: error: grid_mapping \"c\": rotated_latitude_longitude needs the attribute "
            "\"grid_north_pole_longitude\"");
  EXPECT_EQ(
      said_of("<grid_mapping name='c' grid_mapping_name='mercator' longitude_of_projection_origin='0'/>"),
      "2:1: error: grid_mapping \"c\": mercator needs the attribute \"standard_parallel\" or "
      "\"scale_factor_at_projection_origin\"");
}

TEST(ReadMapping, refuses_parameters_of_others) {
  EXPECT_EQ(
      said_of("<grid_mapping name='c' grid_mapping_name='latitude_longitude' false_easting='0'/>"),
      "2:78: error: grid_mapping \"c\": latitude_longitude has no parameter \"false_easting\"; it has none "
      "but those of the Earth");
  EXPECT_EQ(said_of("<grid_mapping name='c' grid_mapping_name='rotated_latitude_longitude' "
                    "grid_north_pole_latitude='39' grid_north_pole_longitude='18' standard_parallel='1'/>"),
            "2:151: error: grid_mapping \"c\": rotated_latitude_longitude has no parameter "
            "\"standard_parallel\"; besides those of the Earth it has grid_north_pole_latitude, "
            "grid_north_pole_longitude and north_pole_grid_longitude");
}

TEST(ReadMapping, refuses_two_where_one_says_it) {
  EXPECT_EQ(said_of("<grid_mapping name='c' grid_mapping_name='latitude_longitude' earth_radius='6e6' "
                    "semi_major_axis='6e6'/>"),
            "2:99: error: grid_mapping \"c\" has earth_radius and semi_major_axis: leave one of them out");
}

TEST(ReadMapping, refuses_numbers_that_CF_does_not_allow) {
  const auto said = [](const std::string& parameter) {
    return said_of(
        "<grid_mapping name='c' grid_mapping_name='lambert_conformal_conic' "
        "latitude_of_projection_origin='25' " +
        parameter + "/>");
  };
  EXPECT_EQ(said("standard_parallel='25' longitude_of_central_meridian='265'"),
            "2:157: error: longitude_of_central_meridian=\"265\": CF has degrees east from -180 to below 180 "
            "here; write -95");
  EXPECT_EQ(said("standard_parallel='1 2 3' longitude_of_central_meridian='0'"),
            "2:122: error: standard_parallel=\"1 2 3\": expected one or two latitudes");
  EXPECT_EQ(said("standard_parallel='91' longitude_of_central_meridian='0'"),
            "2:122: error: standard_parallel=\"91\": expected degrees north from -90 to 90");
  EXPECT_EQ(said("standard_parallel='1' longitude_of_central_meridian='0' earth_radius='0'"),
            "2:173: error: earth_radius=\"0\": expected a positive number");
}

TEST(ReadMapping, knows_that_a_polar_projection_has_a_pole) {
  EXPECT_EQ(
      said_of("<grid_mapping name='c' grid_mapping_name='polar_stereographic' "
              "straight_vertical_longitude_from_pole='-45' standard_parallel='60' "
              "latitude_of_projection_origin='60'/>"),
      "2:162: error: latitude_of_projection_origin=\"60\": the projection is that from a pole: expected "
      "90 or -90");
}

TEST(ReadMapping, needs_nothing_that_it_does_not_know) {
  for (const GridMapping& mapping : grid_mappings()) {
    for (const auto& need : mapping.needs) {
      for (const std::string& name : need) {
        EXPECT_NE(std::ranges::find(mapping_parameters(), name, &MappingParameter::name),
                  mapping_parameters().end())
            << name;
        EXPECT_TRUE(takes_parameter(mapping, name));
      }
    }
  }
}

TEST(ReadGrid, reads_a_mesh) {
  const ReadResult result = read_root(
      "<grid name='m' dimensions='cell' face_nodes='f' node_latitude='y' node_longitude='x' "
      "start_index='1'/>\n<grid name='n' dimensions='node' latitude='y' longitude='x' mesh='m'/>");
  ASSERT_EQ(result.text(), "");
  EXPECT_EQ(result.config.grids[0].face_nodes.value, "f");
  EXPECT_EQ(result.config.grids[0].start_index, 1);
  EXPECT_EQ(result.config.grids[1].mesh.value, "m");
}

TEST(ReadGrid, refuses_half_a_mesh) {
  EXPECT_EQ(said_of("<grid name='m' dimensions='c' face_nodes='f' node_latitude='y' node_longitude='x'/>"),
            "2:43: error: grid \"m\" has face_nodes without start_index: give both, or neither");
  EXPECT_EQ(said_of("<grid name='m' dimensions='c' area='a' node_latitude='y' node_longitude='x'/>"),
            "2:55: error: grid \"m\" has node_latitude without face_nodes: give both, or neither\n"
            "2:74: error: grid \"m\" has node_longitude without face_nodes: give both, or neither");
}

TEST(ReadGrid, refuses_a_mesh_of_two_dimensions) {
  EXPECT_EQ(
      said_of("<grid name='m' dimensions='y,x' face_nodes='f' node_latitude='a' node_longitude='b' "
              "start_index='0'/>"),
      "2:30: error: grid \"m\" has face_nodes, and a mesh has one dimension for its cells and one for its "
      "nodes: name one");
}

TEST(ReadGrid, refuses_a_mesh_of_a_mesh) {
  EXPECT_EQ(said_of("<grid name='m' dimensions='c' latitude='p' longitude='q' face_nodes='f' "
                    "node_latitude='a' node_longitude='b' start_index='0' mesh='n'/>"),
            "2:132: error: grid \"m\" has face_nodes and mesh: it is a mesh, or the nodes of another one");
}

}  // namespace
}  // namespace pileus::testing
