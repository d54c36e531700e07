// interpolate: a field at levels of another one, such as pressure or height, column by column.

#include <algorithm>
#include <cmath>

#include "columns/columns.h"
#include "core/missing.h"
#include "core/shortest.h"

namespace pileus::operators {
namespace {

/// Rising or falling, and each once. Errors: ParameterError.
std::vector<double> levels_of(const Rule& rule, Method method) {
  std::vector<double> levels = rule.numbers("to");
  if (levels.empty()) throw ParameterError("to", "there is no level");
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (!std::isfinite(levels[i])) throw ParameterError("to", shortest(levels[i]) + " is no level");
    if (method == Method::log && levels[i] <= 0)
      throw ParameterError("to", "the level " + shortest(levels[i]) + " is not above 0 and has no logarithm");
    if (std::count(levels.begin(), levels.begin() + static_cast<std::ptrdiff_t>(i), levels[i]) > 0)
      throw ParameterError("to", "the level " + shortest(levels[i]) + " is there twice");
    if (i > 1 && (levels[i] > levels[i - 1]) != (levels[1] > levels[0]))
      throw ParameterError("to", "the levels have to rise or fall all along, but " + shortest(levels[i - 2]) +
                                     ", " + shortest(levels[i - 1]) + " and " + shortest(levels[i]) +
                                     " do not");
  }
  return levels;
}

Outside outside_of(const Rule& rule) {
  const std::string& word = rule.text("outside");
  return word == "nearest" ? Outside::nearest : word == "linear" ? Outside::linear : Outside::missing;
}

/// "p_levels" for levels of p; "z_levels" where what they are of has no name of its own.
std::string name_of_levels(const Rule& rule) {
  const std::vector<std::string> given = rule.list("levels");
  if (given.size() > 1) throw ParameterError("levels", "the levels are one dimension, with one name");
  if (!given.empty()) return given.front();
  const std::string& of = rule.text("of");
  const auto is_usual = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return (std::ranges::all_of(of, is_usual) ? of : rule.text("dimension")) + "_levels";
}

Prepared prepare_interpolation(const Rule& rule) {
  const Columns columns(rule);
  const Method method = method_of(rule);
  const Outside outside = outside_of(rule);
  if (method == Method::nearest && outside == Outside::linear)
    throw ParameterError("outside",
                         "the method nearest makes no lines; \"nearest\" or \"missing\" go with it");
  std::vector<double> levels = levels_of(rule, method);
  const std::string name = name_of_levels(rule);
  Prepared prepared;
  prepared.result.dimensions = columns.dimensions();
  for (const Dimension& one : columns.dimensions()) {
    if (one.name == name)
      throw ParameterError("levels",
                           "there is a dimension \"" + name + "\" already; give the levels another name");
  }
  prepared.result.dimensions[columns.axis()] = {name, static_cast<Index>(levels.size()), levels,
                                                rule.text("units")};
  prepared.result.missing = kMissing;
  std::string alike = rule.text("method") + '\0' + rule.text("outside");
  for (const double level : levels) alike += '\0' + shortest(level);
  const ColumnSearch search(std::move(levels), method, outside);
  prepared.compute = [columns, search](const std::vector<Part>& inputs, const ResultPart& result) {
    columns.compute(search, Columns::From::start, inputs, result);
  };
  prepared.shared = columns.shared(search, Columns::From::start, std::move(alike));
  return prepared;
}

}  // namespace

Operator interpolate() {
  std::vector<Parameter> parameters = column_parameters("the field or result that is interpolated", true);
  parameters.insert(
      parameters.begin() + 3,
      {{"to",
        ParameterKind::numbers,
        true,
        "",
        {},
        "the levels, rising or falling, for example \"85000 50000 20000\"; or a file with one in each line"},
       {"levels",
        ParameterKind::names,
        false,
        "",
        {},
        "the name of their dimension; \"p_levels\" for levels of p when left out"},
       {"units", ParameterKind::text, false, "", {}, "the unit of the levels"}});
  parameters.push_back({"outside",
                        ParameterKind::word,
                        false,
                        "missing",
                        {"missing", "nearest", "linear"},
                        "what stands at a level beyond the column: no value, that of the nearer end, or one "
                        "on the line through the two elements there"});
  return {"interpolate",
          "Interpolates a field, column by column, to levels of another one, in double precision; the levels "
          "are a new dimension in the place of the old one.",
          std::move(parameters),
          prepare_interpolation,
          true,
          "dimension"};
}

}  // namespace pileus::operators
