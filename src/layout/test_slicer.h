#pragma once
// An operator for the tests of this room. It takes a field at one index of a dimension, which the result does
// not have, so that the result lies on other ranks than the field.

#include "layout/test_config.h"

namespace pileus::planning_test {

inline operators::Prepared prepare_slicer(const operators::Rule& rule) {
  operators::Prepared prepared;
  prepared.result = rule.input("field");
  const auto axis = rule.axis("dimension", prepared.result, rule.text("dimension"));
  const operators::Index index = rule.whole_number("index");
  prepared.result.dimensions.erase(prepared.result.dimensions.begin() + axis);
  prepared.region = [axis, index](const std::vector<operators::Region>& inputs) {
    operators::Region made = inputs.front();
    const auto d = static_cast<std::size_t>(axis);
    const bool is_there = index >= made.start[d] && index < made.start[d] + made.count[d];
    made.start.erase(made.start.begin() + axis);
    made.count.erase(made.count.begin() + axis);
    if (!is_there)
      made = {std::vector<Index>(made.start.size(), 0), std::vector<Index>(made.count.size(), 0)};
    return made;
  };
  prepared.compute = [](const auto&, const auto&) {};
  return prepared;
}

inline void add_slicer(ConfigBuilder& config) {
  config.config.catalogue.operators.push_back(
      operators::Operator{"slice",
                          "",
                          {{"field", ParameterKind::name, true},
                           {"dimension", ParameterKind::text, true},
                           {"index", ParameterKind::whole_number, true}},
                          prepare_slicer,
                          true});
}

/// Adds a diagnostic of this name.
inline RuleConfig& slice(ConfigBuilder& config, const std::string& name, const std::string& field,
                         const std::string& dimension, Index index) {
  config.diagnostic(name);
  RuleConfig& rule = config.rule(false, "slice", name);
  rule.parameters = {{"field", config.text(field)},
                     {"dimension", config.text(dimension)},
                     {"index", config.text(std::to_string(index))}};
  return rule;
}

}  // namespace pileus::planning_test
