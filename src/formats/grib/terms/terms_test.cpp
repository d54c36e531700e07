// What messages say, of what CF says.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "core/error.h"
#include "formats/grib/terms/grid.h"
#include "formats/grib/terms/message.h"
#include "formats/grib/terms/parameters.h"
#include "weights/gaussian_latitudes.h"

namespace pileus::grib {
namespace {

std::string why(const std::function<void()>& call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "nothing is wrong";
}

FileDimension levels(const std::string& standard_name, const std::string& units, std::vector<double> values,
                     const std::string& name = "z") {
  FileDimension made{name, std::ssize(values), std::move(values), {}, {}};
  made.attributes = {{"standard_name", standard_name}, {"units", units}, {"axis", std::string("Z")}};
  return made;
}

const FileDimension kX{"x", 4, {}, {}, {}};
const FileDimension kY{"y", 3, {}, {}, {}};

FileVariable variable(std::vector<FileAttribute> attributes, std::vector<std::uint32_t> dimensions = {0, 1}) {
  Compression compression;
  compression.codec = &codecs::ccsds();
  compression.together = 2;
  return {"v", ElementType::float64, std::move(dimensions), 0, std::move(attributes), compression};
}

MessageTerms of_levels(const FileDimension& dimension, const std::string& parameter = "0.2.9") {
  return terms_of({kX, kY, dimension}, variable({{"grib", parameter}}, {0, 1, 2}), nullptr);
}

TEST(Parameters, are_chosen_by_what_is_said_or_by_the_standard_name) {
  const Parameter wz = {0, 2, 9};
  EXPECT_EQ(choose_parameter("", "upward_air_velocity").parameter, wz);
  EXPECT_EQ(choose_parameter("wz", "").parameter, wz);
  EXPECT_EQ(choose_parameter("260238", "air_temperature").parameter, wz);
  EXPECT_EQ(choose_parameter("0.2.9", "").parameter, wz);
  EXPECT_EQ(choose_parameter("0.192.7", "").parameter, (Parameter{0, 192, 7}));
  EXPECT_EQ(choose_parameter("2t", "").first, (Surface{103, 2, true}));
  EXPECT_EQ(choose_parameter("tcwv", "").second, (Surface{8}));
}

TEST(Parameters, that_nobody_knows_are_refused_with_what_to_write) {
  EXPECT_NE(why([] { choose_parameter("", ""); }).find("no standard_name says"), std::string::npos);
  EXPECT_NE(why([] { choose_parameter("", "wet_feet"); }).find("\"wet_feet\""), std::string::npos);
  EXPECT_NE(why([] { choose_parameter("clwcc", ""); }).find("did you mean"), std::string::npos);
  for (const char* wrong : {"0.2", "0.2.900", "0.2.9.1", "-1", "9999999", "0.x.1"})
    EXPECT_NE(why([&] { choose_parameter(wrong, ""); }).find("no parameter"), std::string::npos) << wrong;
}

TEST(Parameters, have_each_name_once) {
  std::vector<std::string> names;
  for (const KnownParameter& one : known_parameters())
    if (*one.standard_name != 0) names.emplace_back(one.standard_name);
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

TEST(Messages, have_the_surfaces_of_their_levels) {
  const auto surface = [](const FileDimension& dimension, const std::string& parameter = "0.2.9") {
    return of_levels(dimension, parameter).surfaces.at(1);
  };
  EXPECT_EQ(surface(levels("air_pressure", "hPa", {1000, 850})), (Surface{100, 85000, true}));
  EXPECT_EQ(surface(levels("", "Pa", {1000, 850})), (Surface{100, 850, true}));
  EXPECT_EQ(surface(levels("", "m", {10, 20.5})), (Surface{103, 20.5, true}));
  EXPECT_EQ(surface(levels("height", "km", {1, 2})), (Surface{103, 2000, true}));
  EXPECT_EQ(surface(levels("altitude", "m", {1, 2})), (Surface{102, 2, true}));
  EXPECT_EQ(surface(levels("depth", "m", {1, 2}), "2.0.2"), (Surface{106, 2, true}));
  EXPECT_EQ(surface(levels("depth", "m", {1, 2}), "10.4.18"), (Surface{160, 2, true}));
  EXPECT_EQ(surface(levels("air_potential_temperature", "K", {300, 315})), (Surface{107, 315, true}));
  EXPECT_EQ(surface(levels("atmosphere_sigma_coordinate", "1", {1, 0.5})), (Surface{104, 0.5, true}));
  EXPECT_EQ(surface(levels("atmosphere_hybrid_sigma_pressure_coordinate", "1", {0.3, 0.9})),
            (Surface{105, 2, true}));
  FileDimension without{"z", 5, {}, {}, {}};
  EXPECT_EQ(surface(without), (Surface{105, 2, true}));
  EXPECT_EQ(of_levels(without).levels, (std::vector<double>{1, 2, 3, 4, 5}));
}

TEST(Messages, refuse_levels_and_dimensions_that_they_have_no_place_for) {
  EXPECT_NE(why([] { of_levels(levels("height", "m", {-5, 5})); }).find("below 0"), std::string::npos);
  EXPECT_NE(why([] { of_levels(levels("height", "ft", {5, 6})); }).find("\"ft\""), std::string::npos);
  EXPECT_NE(why([] { of_levels({"bin", 3, {}, {}, {}}); }).find("none of levels"), std::string::npos);
  const auto many = [] {
    terms_of({kX, kY, levels("height", "m", {1, 2}), {"bin", 2, {}, {}, {}}},
             variable({{"grib", std::string("t")}}, {0, 1, 2, 3}), nullptr);
  };
  EXPECT_NE(why(many).find("more dimensions"), std::string::npos);
}

TEST(Messages, say_what_was_done_in_time) {
  const TimeAxis stretches{"time_1", true, {}};
  const auto statistic = [&](const std::string& methods, const TimeAxis& axis) {
    return terms_of({kX, kY}, variable({{"grib", std::string("t")}, {"cell_methods", methods}}), &axis)
        .statistic;
  };
  EXPECT_EQ(statistic("time_1: mean", stretches), 0);
  EXPECT_EQ(statistic("area: mean time_1: sum", stretches), 1);
  EXPECT_EQ(statistic("time_1: maximum (comment)", stretches), 2);
  EXPECT_EQ(statistic("area: maximum time_1: minimum", stretches), 3);
  EXPECT_EQ(statistic("time_1: standard_deviation", stretches), 6);
  EXPECT_EQ(statistic("time_1: variance", stretches), 7);
  EXPECT_EQ(statistic("time: point", {"time", false, {}}), std::nullopt);
  EXPECT_NE(why([&] { statistic("time_1: range", stretches); }).find("has no word"), std::string::npos);
  EXPECT_NE(why([&] { statistic("", stretches); }).find("has no word"), std::string::npos);
  EXPECT_NE(why([&] { statistic("time_1: maximum time_1: mean", stretches); }).find("several stages"),
            std::string::npos);
  EXPECT_NE(why([&] {
              statistic("time_1: mean", {"time_1", true, {}, 1, 0, true});
            }).find("parts of the day"),
            std::string::npos);
}

TEST(Messages, lie_on_the_ground_unless_the_parameter_says_where) {
  const auto surfaces = [](const std::string& parameter) {
    return terms_of({kX, kY}, variable({{"grib", parameter}}), nullptr).surfaces;
  };
  EXPECT_EQ(surfaces("0.2.9"), (std::vector<Surface>{{1}}));
  EXPECT_EQ(surfaces("msl"), (std::vector<Surface>{{101}}));
  EXPECT_EQ(surfaces("10u"), (std::vector<Surface>{{103, 10, true}}));
}

FileDimension degrees(const std::string& name, const std::string& units, std::vector<double> values) {
  FileDimension made{name, std::ssize(values), std::move(values), {}, {}};
  made.attributes = {{"units", units}};
  return made;
}

std::vector<double> even(double first, double step, int count) {
  std::vector<double> all;
  for (int i = 0; i < count; ++i) all.push_back(first + i * step);
  return all;
}

long value_of(const GridKeys& keys, const std::string& name) {
  for (const auto& [key, value] : keys.numbers)
    if (key == name) return value;
  return -99;
}

TEST(Grids, of_longitudes_and_latitudes_are_known_by_their_coordinates) {
  FileDefinition all;
  all.dimensions = {degrees("lon", "degrees_east", even(-180, 2.5, 144)),
                    degrees("lat", "degrees_north", even(90, -2.5, 73)),
                    kX,
                    kY,
                    degrees("third", "degrees_east", even(0, 1.0 / 3, 1080)),
                    degrees("gauss", "degrees_north", gaussian_latitudes(32)),
                    degrees("uneven", "degrees_north", {0, 1, 3})};
  const GridKeys regular = grid_of(all, {0, 1});
  EXPECT_EQ(value_of(regular, "gridDefinitionTemplateNumber"), 0);
  EXPECT_EQ(value_of(regular, "longitudeOfFirstGridPoint"), 180'000'000);
  EXPECT_EQ(value_of(regular, "longitudeOfLastGridPoint"), 177'500'000);
  EXPECT_EQ(value_of(regular, "latitudeOfFirstGridPoint"), 90'000'000);
  EXPECT_EQ(value_of(regular, "iDirectionIncrement"), 2'500'000);
  EXPECT_EQ(value_of(regular, "scanningMode"), 0);
  EXPECT_EQ(value_of(grid_of(all, {4, 1}), "iDirectionIncrement"), GridKeys::kMissing);
  const GridKeys gaussian = grid_of(all, {0, 5});
  EXPECT_EQ(value_of(gaussian, "gridDefinitionTemplateNumber"), 40);
  EXPECT_EQ(value_of(gaussian, "N"), 32);
  EXPECT_EQ(value_of(grid_of(all, {0, 6}), "gridDefinitionTemplateNumber"), 101);
  const GridKeys plane = grid_of(all, {2, 3});
  EXPECT_EQ(value_of(plane, "gridDefinitionTemplateNumber"), 101);
  EXPECT_EQ(value_of(plane, "numberOfDataPoints"), 12);
}

TEST(Grids, of_rows_of_gaussian_latitudes_are_reduced) {
  const std::vector<double> rows = gaussian_latitudes(4);
  const auto definition = [&](double shift) {
    std::vector<double> latitudes, longitudes;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const std::size_t from_pole = std::min(row, rows.size() - 1 - row), points = 20 + 4 * from_pole;
      for (std::size_t i = 0; i < points; ++i) {
        latitudes.push_back(rows[row] + shift);
        longitudes.push_back(360.0 * static_cast<double>(i) / static_cast<double>(points));
      }
    }
    FileDefinition all;
    all.dimensions = {{"cell", std::ssize(latitudes), {}, {}, {}}};
    const auto place = [&](const std::string& name, const std::vector<double>& values) {
      const auto bytes = std::as_bytes(std::span(values));
      FileStatic made{name, ElementType::float64, {0}, {{"standard_name", name}}, {}, "", {}};
      made.values = std::make_shared<BytesInMemory>(std::vector<std::byte>(bytes.begin(), bytes.end()));
      all.statics.push_back(made);
    };
    place("latitude", latitudes);
    place("longitude", longitudes);
    return all;
  };
  const GridKeys reduced = grid_of(definition(0), {0});
  EXPECT_EQ(value_of(reduced, "gridDefinitionTemplateNumber"), 40);
  EXPECT_EQ(reduced.points_of_rows, (std::vector<long>{20, 24, 28, 32, 32, 28, 24, 20}));
  EXPECT_EQ(value_of(reduced, "N"), 4);
  EXPECT_EQ(value_of(grid_of(definition(0.5), {0}), "gridDefinitionTemplateNumber"), 101);
}

}  // namespace
}  // namespace pileus::grib
