#pragma once
// A field of each of three groups, which the model hands over every step, every fourth and every sixth.

#include <string>
#include <vector>

#include "layout/test_config.h"

namespace pileus::planning_test {

inline ConfigBuilder with_groups() {
  ConfigBuilder config;
  config.group("raw");
  config.field("w", "z,y,x", true);
  config.field("a");
  config.group("seldom", 4);
  config.field("b");
  config.group("other", 6);
  config.field("c");
  return config;
}

inline ModelBuilder model_of_groups() {
  ModelBuilder model(2);
  model.dimension("z", 3).dimension("y", 4).dimension("x", 6);
  return model.distributed("w", {"z", "y", "x"}).field("a").field("b").field("c");
}

inline std::vector<std::string> variable_names(const Plan& plan) {
  std::vector<std::string> all;
  for (const Variable& variable : plan.variables) all.push_back(variable.name);
  return all;
}

inline std::vector<std::string> axis_names(const Plan& plan) {
  std::vector<std::string> all;
  for (const Schedule& schedule : plan.schedules) all.push_back(schedule.dimension);
  return all;
}

}  // namespace pileus::planning_test
