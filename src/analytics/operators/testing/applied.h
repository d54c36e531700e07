#pragma once
// Operators run by hand, without a plan: one rule, inputs of one rank, the result.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analytics/operators/list.h"

namespace pileus::operators {

/// A quantity of doubles with these dimensions, fastest first.
inline Quantity quantity(std::string name, std::vector<Dimension> dimensions) {
  return {std::move(name), Type::float64, std::move(dimensions)};
}

inline Declaration declaration_of(const std::string& name) {
  for (const Declaration& one : builtin_catalogue().operators) {
    if (one.name == name) return one;
  }
  throw std::runtime_error("no operator " + name);
}

/// A rule with the defaults of what `parameters` leave out.
inline Rule rule_of(const Declaration& operation, std::map<std::string, std::string> parameters,
                    std::vector<Quantity> inputs) {
  for (const ParameterDeclaration& parameter : operation.parameters) {
    if (!parameter.required) parameters.try_emplace(parameter.name, parameter.default_value);
  }
  return {std::move(parameters), std::move(inputs)};
}

inline Prepared prepared(const std::string& name, std::map<std::string, std::string> parameters,
                         std::vector<Quantity> inputs) {
  const Declaration operation = declaration_of(name);
  return operation.prepare(rule_of(operation, std::move(parameters), std::move(inputs)));
}

/// What the model ranks pick for the operator.
inline Sifting sifting(const std::string& name, std::map<std::string, std::string> parameters,
                       std::vector<Quantity> inputs) {
  const Declaration operation = declaration_of(name);
  return operation.sift(rule_of(operation, std::move(parameters), std::move(inputs)));
}

/// What is in memory of an input on one rank.
struct Held {
  std::vector<double> values;
  Region region;
};

inline std::vector<double> computed(const Prepared& one, const std::vector<Held>& inputs) {
  std::vector<Region> regions;
  std::vector<Part> parts;
  for (const Held& held : inputs) {
    regions.push_back(held.region);
    parts.push_back({Type::float64, held.values.data(), held.region});
  }
  const Region region = one.region ? one.region(regions) : regions.front();
  std::vector<double> result(static_cast<std::size_t>(region.size()));
  if (!result.empty()) one.compute(parts, {one.result.type, result.data(), region});
  return result;
}

/// The message that preparing throws, behind the parameter that it is about.
inline std::string refusal(const std::string& name, std::map<std::string, std::string> parameters,
                           std::vector<Quantity> inputs) {
  try {
    prepared(name, std::move(parameters), std::move(inputs));
  } catch (const ParameterError& error) {
    return error.parameter() + ": " + error.what();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace pileus::operators
