#pragma once
// Fields that two ranks share, one of each rank alone and one of all, for the tests of rules and shapes.

#include <string>
#include <vector>

#include "layout/test_config.h"

namespace pileus::planning_test {

inline ConfigBuilder with_parts() {
  ConfigBuilder config;
  config.group("raw");
  config.field("w", "z,y,x", true);
  config.field("u", "z,y,x", true);
  config.field("p", "y,x", true);
  config.field("local", "?");
  config.field("profile", "z");
  return config;
}

inline ModelBuilder model_of_parts() {
  ModelBuilder model(2);
  model.dimension("z", 3).dimension("y", 4).dimension("x", 6);
  model.distributed("w", {"z", "y", "x"}).distributed("u", {"z", "y", "x"}).distributed("p", {"y", "x"});
  model.nameless("local", {5, 5}).field("profile", {"z"});
  return model;
}

inline void write_means(ConfigBuilder& config, const std::vector<std::string>& names) {
  config.file("f.nc");
  for (const std::string& name : names) config.include(name, "averaged");
}

template <class Action>
inline std::vector<const Rule*> rules_of(const Plan& plan) {
  std::vector<const Rule*> found;
  for (const Rule& rule : plan.rules) {
    if (std::holds_alternative<Action>(rule.action)) found.push_back(&rule);
  }
  return found;
}

}  // namespace pileus::planning_test
