#include "columns/columns.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

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

Columns::Layout Columns::layout(const Input& input, const Part& part, const Region& result, From from) const {
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
  const bool keeps_axis = result.count.size() == dimensions_.size();
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
    const Index skipped = result.start[in_result] - part.region.start[own];
    if (skipped < 0 || skipped + result.count[in_result] > part.region.count[own]) refuse();
    made.first += skipped * strides[own];
  }
  return made;
}

std::vector<ColumnRuns::Dimension> Columns::across(const Layout& field, const Layout& of,
                                                   const Region& result) const {
  const bool keeps_axis = result.count.size() == dimensions_.size();
  std::vector<ColumnRuns::Dimension> made;
  Index stride = 1;
  for (std::size_t d = 0, r = 0; d < dimensions_.size(); ++d) {
    if (d == axis_ && !keeps_axis) continue;
    const Index count = result.count[r++];
    if (d != axis_) made.push_back({count, field.strides[made.size()], of.strides[made.size()], stride});
    stride *= count;
  }
  return made;
}

/// From level to level in the result.
Index Columns::level_step(const Region& result) const {
  Index step = 1;
  for (std::size_t d = 0; d < axis_; ++d) step *= result.count[d];
  return step;
}

void Columns::compute(const ColumnSearch& search, From from, const std::vector<Part>& inputs,
                      const ResultPart& result) const {
  const Part field = part(field_, inputs), of = part(of_, inputs);
  const Layout of_field = layout(field_, field, result.region, from);
  const Layout of_places = layout(of_, of, result.region, from);
  ColumnRuns runs(search, dimensions_[axis_].size, across(of_field, of_places, result.region));
  runs.fill({field, of_field.first, of_field.step, field_.missing},
            {of, of_places.first, of_places.step, of_.missing},
            {result.as<double>().data(), level_step(result.region)});
}

std::optional<Shared> Columns::shared(ColumnSearch search, From from, std::string text) const {
  // Where it lacks a dimension, columns of that are alike.
  if (std::ranges::find(of_.own, -1) != of_.own.end()) return {};
  using Found = std::vector<Bracket>;
  const auto alike = std::make_shared<const ColumnSearch>(std::move(search));
  const auto nothing = [rank = dimensions_.size()] {
    Layout none;
    none.strides.assign(rank, 0);
    return none;
  };
  // Columns follow one another in the order of the dimensions.
  for (const Dimension& one : dimensions_) text += '\0' + one.name;
  text += '\0' + std::to_string(axis_);
  Shared made{std::move(text), {*of_.number}, sizeof(Bracket), {}, {}};
  made.find = [columns = *this, alike, from, nothing](const std::vector<Part>& inputs, const Region& result) {
    const Part of = columns.part(columns.of_, inputs);
    const Layout places = columns.layout(columns.of_, of, result, from);
    ColumnRuns runs(*alike, columns.dimensions_[columns.axis_].size,
                    columns.across(nothing(), places, result));
    return std::make_shared<const Found>(runs.find({of, places.first, places.step, columns.of_.missing}));
  };
  made.compute = [columns = *this, alike, from, nothing](const void* found, const std::vector<Part>& inputs,
                                                         const ResultPart& result) {
    const Part field = columns.part(columns.field_, inputs);
    const Layout values = columns.layout(columns.field_, field, result.region, from);
    ColumnRuns runs(*alike, columns.dimensions_[columns.axis_].size,
                    columns.across(values, nothing(), result.region));
    runs.fill({field, values.first, values.step, columns.field_.missing}, *static_cast<const Found*>(found),
              {result.as<double>().data(), columns.level_step(result.region)});
  };
  return made;
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
