#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/missing.h"
#include "pileus/operator.hpp"

namespace pileus::operators {

Operator cape();

namespace {

/// Of the levels, in whichever order.
struct Sounding {
  std::vector<double> temperature, pressure, humidity;
};

double value(const Sounding& sounding, const std::string& parcel = "lowest",
             const std::string& which = "available") {
  const auto levels = static_cast<Index>(sounding.temperature.size());
  Rule rule;
  rule.parameters = {{"field", "t"},    {"dimension", "z"}, {"pressure", "p"},
                     {"humidity", "q"}, {"parcel", parcel}, {"value", which}};
  for (const char* name : {"t", "p", "q"})
    rule.inputs.push_back({name, Type::float64, {{"z", levels}}, kMissing});
  const Prepared prepared = cape().prepare(rule);
  std::vector<Part> parts;
  for (const auto* values : {&sounding.temperature, &sounding.pressure, &sounding.humidity})
    parts.push_back({Type::float64, values->data(), {{0}, {levels}}});
  double result = 0;
  prepared.compute(parts, {Type::float64, &result, {}});
  return result;
}

/// Warm and moist below, and from 12 km on of one temperature.
Sounding tropics(double lapse = 0.0068) {
  Sounding made;
  for (int level = 0; level < 80; ++level) {
    const double z = 250.0 * level, t = 301 - lapse * std::min(z, 12'000.0);
    made.temperature.push_back(t);
    made.pressure.push_back(101'000 * std::exp(-z / 7900));
    made.humidity.push_back(0.018 * std::exp(-z / 2300));
  }
  return made;
}

Sounding reversed(Sounding sounding) {
  for (auto* values : {&sounding.temperature, &sounding.pressure, &sounding.humidity})
    std::ranges::reverse(*values);
  return sounding;
}

TEST(Cape, grows_with_the_lapse_rate) {
  const double weak = value(tropics(0.0062)), strong = value(tropics(0.0068));
  EXPECT_GT(weak, 100);
  EXPECT_GT(strong, 1.5 * weak);
  EXPECT_LT(strong, 10'000);
  EXPECT_EQ(value(tropics(0.003)), 0) << "stable";
  EXPECT_EQ(value(tropics(0.003), "lowest", "inhibition"), 0) << "of what is never free";
}

TEST(Cape, is_that_of_the_column_from_whichever_end) {
  EXPECT_EQ(value(reversed(tropics())), value(tropics()));
}

TEST(Cape, is_held_back_by_a_lid) {
  Sounding lid = tropics();
  for (std::size_t level = 2; level < 6; ++level) lid.temperature[level] += 4;
  EXPECT_LT(value(lid, "lowest", "inhibition"), value(tropics(), "lowest", "inhibition") - 20);
  EXPECT_LE(value(tropics(), "lowest", "inhibition"), 0);
}

TEST(Cape, rises_from_the_level_that_is_most_unstable) {
  Sounding cold = tropics();
  cold.temperature[0] -= 8;
  cold.humidity[0] = 0.002;
  EXPECT_LT(value(cold), value(cold, "most_unstable") / 2);
  Sounding above = tropics();
  above.temperature[60] = 400;  // above the source layer
  EXPECT_LE(value(above, "most_unstable"), value(tropics(), "most_unstable"));
}

TEST(Cape, leaves_levels_out_at_which_something_is_missing) {
  Sounding whole = tropics(), lacking = tropics();
  lacking.temperature[7] = kMissing;
  lacking.humidity[20] = std::nan("");
  for (auto* values : {&whole.temperature, &whole.pressure, &whole.humidity}) {
    values->erase(values->begin() + 20);
    values->erase(values->begin() + 7);
  }
  EXPECT_EQ(value(lacking), value(whole));
}

TEST(Cape, has_no_value_without_a_column) {
  Sounding nothing = tropics(), back = tropics();
  for (double& t : nothing.temperature) t = kMissing;
  std::swap(back.pressure[3], back.pressure[4]);
  EXPECT_EQ(value(nothing), kMissing);
  EXPECT_EQ(value(back), kMissing) << "the pressure rises between two levels";
}

TEST(Cape, of_dry_air_is_a_number) {
  Sounding dry = tropics(0.0095);
  for (double& q : dry.humidity) q = 0;
  EXPECT_EQ(value(dry), 0) << "nothing condenses, and no parcel is free";
}

TEST(Cape, wants_the_same_dimensions) {
  Rule rule;
  rule.parameters = {{"field", "t"},    {"dimension", "z"},   {"pressure", "p"},
                     {"humidity", "q"}, {"parcel", "lowest"}, {"value", "available"}};
  rule.inputs = {{"t", Type::float64, {{"z", 3}}},
                 {"p", Type::float64, {{"z", 3}, {"x", 2}}},
                 {"q", Type::float64, {{"z", 3}}}};
  EXPECT_THROW(cape().prepare(rule), ParameterError);
  rule.inputs[1].dimensions = {{"level", 3}};
  EXPECT_THROW(cape().prepare(rule), ParameterError);
}

}  // namespace
}  // namespace pileus::operators
