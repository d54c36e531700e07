#pragma once
// Operators, communications, time manipulations and file formats declare themselves here (architecture D12).
// Validation, suggestions and the reference come from these declarations. The wiring gives the catalogue to
// config, which hands it on to the plan.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/manipulation.h"
#include "core/regridding.h"
#include "core/sifting.h"
#include "pileus/operator.hpp"

namespace pileus {

using operators::ParameterKind;
using ParameterDeclaration = operators::Parameter;

/// What the plan does with a rule. A rule of the kind `apply`, `sift` or `regrid` says all about itself in
/// its declaration, and there may be any number of them; each of the others is a word of the language.
enum class RuleKind {
  apply,
  sift,
  regrid,
  lag,
  arithmetic,
  filter,
  localreduce,
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
  std::function<operators::Prepared(const operators::Rule&)> prepare = {};  ///< of `apply` and `sift`
  bool knows_missing = false;                                               ///< of `apply` and `sift`
  std::string along = {};  ///< of `apply`: see operators::Operator
  Sift sift = {};          ///< of `sift`
  /// Of `regrid`. Errors: as those of `prepare`.
  std::function<Regridding(const operators::Rule&, const ReadGrid&)> regrid = {};

  Declaration() = default;
  Declaration(std::string name, std::string help, std::vector<ParameterDeclaration> parameters,
              RuleKind kind = RuleKind::apply)
      : name(std::move(name)), help(std::move(help)), parameters(std::move(parameters)), kind(kind) {}
  /// Turns an operator's own declaration into one of the kind `apply`.
  Declaration(operators::Operator one)
      : name(std::move(one.name)),
        help(std::move(one.help)),
        parameters(std::move(one.parameters)),
        prepare(std::move(one.prepare)),
        knows_missing(one.knows_missing),
        along(std::move(one.along)) {}
  /// Adds to an operator what the model ranks pick for it.
  Declaration(operators::Operator one, Sift sifted) : Declaration(std::move(one)) {
    kind = RuleKind::sift;
    sift = std::move(sifted);
  }
};

struct Catalogue {
  std::vector<Declaration> operators;
  std::vector<Declaration> communications;
  std::vector<Manipulation> time_manipulations;
  /// Loads the operators of the shared library at this path. Errors: PluginError. If the function is empty,
  /// this program cannot load any.
  std::function<std::vector<Declaration>(const std::string&)> load_operators = {};
  /// Reads grids that values are regridded to. Empty: this program reads none.
  ReadGrid read_grid = {};
};

}  // namespace pileus
