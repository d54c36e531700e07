// isosurface: a field where another one first has a value along a column, such as the height of freezing.

#include "columns/columns.h"
#include "core/missing.h"

namespace pileus::operators {
namespace {

Prepared prepare_isosurface(const Rule& rule) {
  const Columns columns(rule);
  const Method method = method_of(rule);
  const double value = rule.number("value");
  if (method == Method::log && value <= 0)
    throw ParameterError("value", "it is not above 0 and has no logarithm");
  const auto from = rule.text("from") == "end" ? Columns::From::end : Columns::From::start;
  Prepared prepared;
  prepared.result.dimensions = columns.dimensions();
  prepared.result.dimensions.erase(prepared.result.dimensions.begin() +
                                   static_cast<std::ptrdiff_t>(columns.axis()));
  prepared.result.missing = kMissing;
  const ColumnSearch search({value}, method, Outside::missing);
  prepared.compute = [columns, from, search](const std::vector<Part>& inputs, const ResultPart& result) {
    columns.compute(search, from, inputs, result);
  };
  prepared.shared = columns.shared(
      search, from, rule.text("method") + '\0' + rule.text("from") + '\0' + rule.text("value"));
  return prepared;
}

}  // namespace

Operator isosurface() {
  std::vector<Parameter> parameters = column_parameters(
      "the field or result whose value is taken there; the coordinate in the dimension when left out", false);
  parameters.insert(parameters.begin() + 2, {"value",
                                             ParameterKind::number,
                                             true,
                                             "",
                                             {},
                                             "the value of `of` on the surface",
                                             "that of the field"});
  parameters.push_back({"from",
                        ParameterKind::word,
                        false,
                        "start",
                        {"start", "end"},
                        "from which end of the column the first crossing counts"});
  return {"isosurface",
          "Takes a field, column by column, where another one first has a value or passes it; there is no "
          "value where it never does.",
          std::move(parameters),
          prepare_isosurface,
          true,
          "dimension"};
}

}  // namespace pileus::operators
