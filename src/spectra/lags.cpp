#include "spectra/lags.h"

#include <utility>

namespace pileus::spectra {
namespace {

using operators::Dimension;
using operators::ParameterError;
using operators::ParameterKind;
using operators::Quantity;
using operators::Rule;

Index last_lag(const Rule& rule, Index size) {
  if (rule.text("lags").empty()) return size / 2;
  const Index last = rule.whole_number("lags");
  if (size < 1 || last < size) return last;
  throw ParameterError(
      "lags", "of " + std::to_string(size) + " elements none is " + std::to_string(last) + " behind another");
}

}  // namespace

Lags lags_of(const Rule& rule) {
  if (rule.list("dimensions").size() > 1) throw ParameterError("dimensions", "it goes along one dimension");
  const Quantity& field = rule.input("field");
  Lags lags;
  lags.axis = axes_of(rule, field, Window::none).front();
  lags.last = last_lag(rule, lags.axis.size);
  lags.is_periodic = rule.text("border") == "periodic";
  lags.sources = {source_of(rule, "field", {lags.axis})};
  return lags;
}

std::vector<operators::Parameter> lag_parameters() {
  return {{"field", ParameterKind::name, true, "", {}, "the field or result"},
          {"dimensions",
           ParameterKind::names,
           true,
           "",
           {},
           "the dimension, whose coordinates are evenly spaced"},
          {"lags",
           ParameterKind::whole_number,
           false,
           "",
           {},
           "how many elements the two of a pair are apart at most; half the dimension when left out"},
          {"border",
           ParameterKind::word,
           false,
           "open",
           {"open", "periodic"},
           "whether lines end, or go on at their other end"},
          {"spacing",
           ParameterKind::numbers,
           false,
           "",
           {},
           "the distance of two elements; that of the coordinates when left out, and 1 without any"}};
}

Quantity result_by_lag(const Rule& rule, const Lags& lags) {
  Quantity result{"", operators::Type::float64, rule.input("field").dimensions, lags.sources.front().missing};
  Dimension& made = result.dimensions[lags.axis.at];
  const bool is_usual = rule.text("lags").empty();
  made = {lags.axis.name + (is_usual ? "_lag" : "_lag_to_" + std::to_string(lags.last)),
          lags.axis.size < 1 ? operators::kUnknownSize : lags.last + 1,
          {},
          made.units,
          "lag along " + lags.axis.name};
  for (Index i = 0; i < made.size; ++i)
    made.coordinates.push_back(static_cast<double>(i) * lags.axis.spacing);
  return result;
}

}  // namespace pileus::spectra
