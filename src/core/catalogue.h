#pragma once
// What operators, communications, time manipulations and file formats declare about themselves (architecture
// D12). From these declarations come validation, suggestions and the reference. The wiring hands the
// catalogue to config, which hands it on to the plan.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/manipulation.h"
#include "pileus/operator.hpp"

namespace pileus {

using operators::ParameterKind;
using ParameterDeclaration = operators::Parameter;

/// What the plan does with a rule. It has to know what keeps Partials or goes between servers; everything
/// else it applies as it is declared.
enum class RuleKind {
  apply,
  arithmetic,
  filter,
  localreduce,
  reductionlocation,
  reduction,
  allreduction,
  broadcast
};

/// One operator or communication.
struct Declaration {
  std::string name;
  std::string help;  ///< one line
  std::vector<ParameterDeclaration> parameters;
  RuleKind kind = RuleKind::apply;
  std::function<operators::Prepared(const operators::Rule&)> prepare = {};  ///< of what is applied
  bool knows_missing = false;                                               ///< of what is applied

  Declaration() = default;
  Declaration(std::string name, std::string help, std::vector<ParameterDeclaration> parameters,
              RuleKind kind = RuleKind::apply)
      : name(std::move(name)), help(std::move(help)), parameters(std::move(parameters)), kind(kind) {}
  /// What an operator declares of itself; it is applied.
  Declaration(operators::Operator one)
      : name(std::move(one.name)),
        help(std::move(one.help)),
        parameters(std::move(one.parameters)),
        prepare(std::move(one.prepare)),
        knows_missing(one.knows_missing) {}
};

struct Catalogue {
  std::vector<Declaration> operators;
  std::vector<Declaration> communications;
  std::vector<Manipulation> time_manipulations;
  /// Operators of the shared library of this path. Errors: PluginError. Empty: there are none to be had.
  std::function<std::vector<Declaration>(const std::string&)> load_operators = {};
};

}  // namespace pileus
