#include "columns/columns.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "columns/column_runs.h"
#include "core/missing.h"

namespace pileus::operators {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

double missing_of(const Quantity& quantity) {
  if (!quantity.missing) return kNothing;
  return quantity.type == Type::float32 ? as_stored(*quantity.missing, ElementType::float32)
                                        : *quantity.missing;
}

/// A dimension of one that the other lacks, or "".
std::string lacking(const Quantity& one, const Quantity& other) {
  for (const Dimension& dimension : one.dimensions) {
    if (other.axis(dimension.name) < 0) return dimension.name;
  }
  return "";
}

}  // namespace

Columns::Columns(const Rule& rule) {
  const std::string& dimension = rule.text("dimension");
  const Quantity& of = rule.input("of");
  const bool has_field = !rule.text("field").empty();
  const Quantity& field = has_field ? rule.input("field") : of;
  rule.axis("dimension", field, dimension);
  rule.axis("dimension", of, dimension);
  const std::string only_of = lacking(of, field), only_field = lacking(field, of);
  if (!only_of.empty() && !only_field.empty()) {
    throw ParameterError("of", "\"" + of.name + "\" has the dimension \"" + only_of + "\", which \"" +
                                   field.name + "\" lacks, and that has \"" + only_field +
                                   "\": one of the two needs all dimensions of the other");
  }
  dimensions_ = only_of.empty() ? field.dimensions : of.dimensions;
  const auto is_it = [&](const Dimension& one) { return one.name == dimension; };
  axis_ = static_cast<std::size_t>(std::ranges::find_if(dimensions_, is_it) - dimensions_.begin());
  of_ = input(rule, "of");
  if (has_field) {
    field_ = input(rule, "field");
    return;
  }
  field_ = {{}, dimension, std::vector<int>(dimensions_.size(), -1), kNothing};
  field_.own[axis_] = 0;
  coordinates_ = dimensions_[axis_].coordinates;
  if (coordinates_.empty() && dimensions_[axis_].size != kUnknownSize)
    throw ParameterError("dimension", "the model gives no coordinates to \"" + dimension +
                                          "\": name a field whose values are taken there");
}

Columns::Input Columns::input(const Rule& rule, const std::string& parameter) const {
  const Quantity& quantity = rule.input(parameter);
  Input made{
      static_cast<std::size_t>(&quantity - rule.inputs.data()), quantity.name, {}, missing_of(quantity)};
  for (const Dimension& one : dimensions_) made.own.push_back(quantity.axis(one.name));
  return made;
}

Part Columns::part(const Input& input, const std::vector<Part>& inputs) const {
  if (input.number) return inputs[*input.number];
  return {Type::float64, coordinates_.data(), {{0}, {static_cast<Index>(coordinates_.size())}}};
}

/// How to come from column to column of an input, and from node to node.
struct Columns::Layout {
  Index first = 0;             ///< the first node of the first column
  Index step = 0;              ///< from node to node
  std::vector<Index> strides;  ///< from column to column, by dimension without the columns' own
};

Columns::Layout Columns::layout(const Input& input, const Part& part, const ResultPart& result,
                                From from) const {
  const auto refuse = [&] {
    throw std::runtime_error("\"" + input.name +
                             "\" is not there for all of the columns of this rank; along \"" +
                             dimensions_[axis_].name + "\" each rank needs the whole of the domain");
  };
  std::vector<Index> strides;
  Index size = 1;
  for (const Index count : part.region.count) {
    strides.push_back(size);
    size *= count;
  }
  const bool keeps_axis = result.region.count.size() == dimensions_.size();
  Layout made;
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    const auto own = static_cast<std::size_t>(std::max(input.own[d], 0));
    if (d == axis_) {
      if (part.region.start[own] != 0 || part.region.count[own] != dimensions_[d].size) refuse();
      made.step = from == From::start ? strides[own] : -strides[own];
      if (from == From::end) made.first += (part.region.count[own] - 1) * strides[own];
      continue;
    }
    made.strides.push_back(input.own[d] < 0 ? 0 : strides[own]);
    if (input.own[d] < 0) continue;
    const std::size_t in_result = d > axis_ && !keeps_axis ? d - 1 : d;
    const Index skipped = result.region.start[in_result] - part.region.start[own];
    if (skipped < 0 || skipped + result.region.count[in_result] > part.region.count[own]) refuse();
    made.first += skipped * strides[own];
  }
  return made;
}

void Columns::compute(const ColumnSearch& search, From from, const std::vector<Part>& inputs,
                      const ResultPart& result) const {
  const Part field = part(field_, inputs), of = part(of_, inputs);
  const Layout of_field = layout(field_, field, result, from), of_places = layout(of_, of, result, from);
  const bool keeps_axis = result.region.count.size() == dimensions_.size();
  std::vector<ColumnRuns::Dimension> across;
  Index stride = 1, level_step = 0;
  for (std::size_t d = 0, r = 0; d < dimensions_.size(); ++d) {
    if (d == axis_) level_step = stride;
    if (d == axis_ && !keeps_axis) continue;
    const Index count = result.region.count[r++];
    if (d != axis_)
      across.push_back({count, of_field.strides[across.size()], of_places.strides[across.size()], stride});
    stride *= count;
  }
  ColumnRuns runs(search, dimensions_[axis_].size, std::move(across));
  runs.fill({field, of_field.first, of_field.step, field_.missing},
            {of, of_places.first, of_places.step, of_.missing}, {result.as<double>().data(), level_step});
}

std::vector<Parameter> column_parameters(const std::string& field_help, bool is_field_required) {
  return {{"field", ParameterKind::name, is_field_required, "", {}, field_help},
          {"of",
           ParameterKind::name,
           true,
           "",
           {},
           "the field or result whose values say where in its column each element is"},
          {"dimension",
           ParameterKind::text,
           true,
           "",
           {},
           "the dimension along which columns go; ranks hold all of it"},
          {"method",
           ParameterKind::word,
           false,
           "linear",
           {"linear", "log", "nearest"},
           "linear in the values of `of`, linear in their logarithms, or the nearer of two elements"}};
}

Method method_of(const Rule& rule) {
  const std::string& word = rule.text("method");
  return word == "log" ? Method::log : word == "nearest" ? Method::nearest : Method::linear;
}

}  // namespace pileus::operators
