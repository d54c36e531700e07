// cumsum, argmax, argmin: what is said of a line from its one end to the other.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/catalogue.h"
#include "core/missing.h"
#include "distributions/groups.h"

namespace pileus::operators {
namespace {

using distributions::Groups;

Groups lines_of(const Rule& rule) {
  if (rule.list("dimension").size() > 1) throw ParameterError("dimension", "lines go along one dimension");
  return {rule, rule.input("field"), "dimension"};
}

/// In the order of the line, so that each sum has the bits of numpy.cumsum.
Prepared prepare_cumsum(const Rule& rule) {
  const Quantity& field = rule.input("field");
  const Groups lines = lines_of(rule);
  const bool is_from_last = rule.text("from") == "last";
  Prepared prepared;
  prepared.result.dimensions = field.dimensions;
  if (field.missing) prepared.result.missing = kMissing;
  prepared.compute = [lines, is_from_last](const std::vector<Part>& inputs, const ResultPart& result) {
    const Groups::Laid laid = lines.laid(inputs[0].region);
    const std::span<double> to = result.as<double>();
    std::vector<double> sums(laid.begins.size(), 0.0);
    for (Index i = 0; i < laid.length; ++i) {
      const Index at = (is_from_last ? laid.length - 1 - i : i) * laid.stride;
      for (std::size_t line = 0; line < sums.size(); ++line) {
        const Index place = laid.begins[line] + at;
        const double value = inputs[0].number(place);
        const bool is_there = !lines.missing().is(value);
        if (is_there) sums[line] = i == 0 ? value : sums[line] + value;
        to[static_cast<std::size_t>(place)] = is_there ? sums[line] : kMissing;
      }
    }
  };
  return prepared;
}

/// Where a line has its extreme value: the first of equal ones. A NaN has no order, and makes it NaN.
struct Extreme {
  double value = 0, place = kMissing;

  void add(double one, double at, bool is_maximum) {
    if (std::isnan(one)) place = one;
    if (std::isnan(place)) return;
    if (place != kMissing && !(is_maximum ? one > value : one < value)) return;
    value = one;
    place = at;
  }
};

Prepared prepare_place(const Rule& rule, bool is_maximum) {
  const Groups lines = lines_of(rule);
  std::vector<double> places = lines.first_axis().coordinates;
  if (places.empty() && lines.first_axis().size != kUnknownSize)
    throw ParameterError(
        "dimension", "\"" + lines.first_axis().name + "\" has no coordinates, which would say where it is");
  Prepared prepared;
  prepared.result.dimensions = lines.others();
  if (!lines.has_others()) prepared.result.dimensions.push_back({distributions::kOne, 1});
  prepared.region = lines.region_of_one(prepared.result.dimensions);
  if (rule.input("field").missing) prepared.result.missing = kMissing;
  prepared.compute = [lines, places, is_maximum](const std::vector<Part>& inputs, const ResultPart& result) {
    const Groups::Laid laid = lines.laid(inputs[0].region);
    std::vector<Extreme> found(laid.begins.size());
    for (Index i = 0; i < laid.length; ++i) {
      const double place = places[static_cast<std::size_t>(i)];
      for (std::size_t line = 0; line < found.size(); ++line) {
        const double value = inputs[0].number(laid.begins[line] + i * laid.stride);
        if (!lines.missing().is(value)) found[line].add(value, place, is_maximum);
      }
    }
    std::ranges::transform(found, result.as<double>().begin(), &Extreme::place);
  };
  return prepared;
}

std::vector<Parameter> line_parameters() {
  return {{"field", ParameterKind::name, true, "", {}, "the field or result"},
          {"dimension", ParameterKind::text, true, "", {}, "the dimension along which lines go"}};
}

Declaration place_of(std::string name, std::string help, bool is_maximum) {
  Declaration declaration(Operator{std::move(name), std::move(help), line_parameters(),
                                   [is_maximum](const Rule& rule) { return prepare_place(rule, is_maximum); },
                                   true, "dimension"});
  declaration.unit = distributions::kOne;
  declaration.keeps_units = false;
  return declaration;
}

}  // namespace

Operator cumsum() {
  std::vector<Parameter> parameters = line_parameters();
  parameters.push_back(
      {"from", ParameterKind::word, false, "first", {"first", "last"}, "the end where the sum begins"});
  return {
      "cumsum",
      "Sums up to each element along one dimension, in its order. A missing element adds nothing, and has "
      "no sum.",
      std::move(parameters),
      prepare_cumsum,
      true,
      "dimension"};
}

Declaration argmax() {
  return place_of("argmax",
                  "The coordinate where a value is largest along one dimension, the first of equal ones.",
                  true);
}

Declaration argmin() {
  return place_of("argmin",
                  "The coordinate where a value is smallest along one dimension, the first of equal ones.",
                  false);
}

}  // namespace pileus::operators
