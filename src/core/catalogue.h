#pragma once
// Operators, communications, time manipulations and file formats declare themselves here (architecture D12).
// Validation, suggestions and the reference come from these declarations. The wiring gives the catalogue to
// config, which hands it on to the plan.

#include <functional>
#include <map>
#include <memory>
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

struct Counting;
struct JointBins;

/// One operator or communication.
struct Declaration {
  std::string name;
  std::string help;  ///< one line
  std::vector<ParameterDeclaration> parameters;
  RuleKind kind = RuleKind::apply;
  std::function<operators::Prepared(const operators::Rule&)> prepare = {};  ///< of `apply` and `sift`
  bool knows_missing = false;                                               ///< of `apply` and `sift`
  std::string along = {};   ///< of `apply`: see operators::Operator
  bool is_in_time = false;  ///< of `apply`: windows of files give it samples of many steps together
  Sift sift = {};           ///< of `sift`
  /// Of `regrid`. Errors: as those of `prepare`.
  std::function<Regridding(const operators::Rule&, const ReadGrid&)> regrid = {};
  /// Of `apply` along dimensions, where it reduces these: the dimension of one element that its result has
  /// where it would be a scalar. It is taken away, and its values may stand under a condition. "": it does
  /// not.
  std::string unit = {};
  bool keeps_units = true;  ///< of one that reduces; otherwise its units are those of the dimension
  std::shared_ptr<const Counting> counting = {};  ///< of one that reduces; null: it does not count
  /// Of a word of expressions that counts in bins of several values; null: it does not.
  std::shared_ptr<const JointBins> joint = {};
  /// Both ends of each element of a dimension that it brings; empty: they have none.
  std::function<std::vector<double>(const operators::Rule&, const std::string& dimension)> bounds = {};

  /// Values may stand under a condition: "median[y,x](w | w > 0)".
  bool takes_condition() const { return kind == RuleKind::regrid || !unit.empty() || joint != nullptr; }

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

/// How an operator that reduces does without all values in one place: each model rank counts its own, and
/// counts are added up.
struct Counting {
  std::string asked_by;  ///< the parameter that says "counts" or "exact"; otherwise it follows from `most`
  operators::Index most = 0;  ///< values that are brought together for one result
  Declaration count;          ///< its result has each part of a rank as one element
  Declaration finish;         ///< makes the result of these, added up
  std::string note;           ///< of the variable: what the result is
};

/// The two ends of a reduction in bins of several values.
struct JointBins {
  Declaration number;  ///< gives each element the number of its bin
  Declaration unfold;  ///< makes several dimensions of that of all bins
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
