// label, objects: what hangs together where a condition holds.

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "objects/laid.h"

namespace pileus::operators {
namespace {

using objects::common_parameters;
using objects::Inside;
using objects::Laid;
using objects::most_of;
using objects::Rows;
using objects::Run;
using objects::runs_in;
using objects::Space;
using objects::space_of;
using objects::table_parameters;

std::map<Index, double> sizes_of(const std::vector<Run>& runs) {
  std::map<Index, double> sizes;
  for (const Run& run : runs) sizes[run.object] += static_cast<double>(run.end - run.begin);
  return sizes;
}

Prepared prepare_label(const Rule& rule) {
  const Quantity& field = rule.input("field");
  const Space space = space_of(rule, field);
  Prepared prepared;
  prepared.result.dimensions = field.dimensions;
  prepared.working_bytes = objects::working_bytes(space, field);
  prepared.compute = [space, inside = Inside(field), what = rule.text("of")](const std::vector<Part>& inputs,
                                                                             const ResultPart& result) {
    const Laid laid(space, inputs[0].region);
    double* const to = result.as<double>().data();
    for (const Index begin : laid.begins) {
      const std::vector<Run> runs = runs_in(space, laid, inputs[0], inside, begin);
      const std::map<Index, double> sizes = what == "size" ? sizes_of(runs) : std::map<Index, double>();
      for (const Run& run : runs) {
        const Index first = begin + laid.rows[run.row];
        const Index number = static_cast<Index>(run.row) * laid.length + run.begin;
        if (what == "start") {
          if (number == run.object) to[first + run.begin * laid.stride] = 1;
          continue;
        }
        const double value = what == "size" ? sizes.at(run.object) : static_cast<double>(run.object + 1);
        for (Index at = run.begin; at < run.end; ++at) to[first + at * laid.stride] = value;
      }
    }
  };
  return prepared;
}

/// One statistic of the values of an object, in the order of its elements.
struct Statistic {
  Index first = 0, size = 0, there = 0;
  double sum = 0, smallest = std::numeric_limits<double>::infinity(),
         largest = -std::numeric_limits<double>::infinity();

  void add(double value, bool is_there) {
    ++size;
    if (!is_there) return;
    ++there;
    sum += value;
    smallest = std::min(smallest, value);
    largest = std::max(largest, value);
  }
  double value(std::string_view what) const {
    if (what == "size") return static_cast<double>(size);
    if (what == "label") return static_cast<double>(first + 1);
    if (what == "sum") return sum;
    if (there == 0) return kMissing;
    if (what == "mean") return sum / static_cast<double>(there);
    return what == "minimum" ? smallest : largest;
  }
};

/// The table of the objects of one space.
struct Table {
  Space space;
  Inside inside, values;
  std::size_t value = 0;  ///< which input has the values
  std::string what;
  Rows rows;

  /// In the order of their labels.
  std::vector<Statistic> objects(const std::vector<Part>& inputs, const Laid& laid, Index begin) const {
    std::vector<Statistic> found;
    std::map<Index, std::size_t> number;
    for (const Run& run : runs_in(space, laid, inputs[0], inside, begin)) {
      auto at = number.find(run.object);
      if (at == number.end()) {
        if (std::ssize(found) == rows.most) continue;  // those of higher labels are not told of
        at = number.emplace(run.object, found.size()).first;
        found.push_back({run.object});
      }
      const Index first = begin + laid.rows[run.row];
      for (Index i = run.begin; i < run.end; ++i) {
        const double one = inputs[value].number(first + i * laid.stride);
        found[at->second].add(one, values.is_there(one));
      }
    }
    return found;
  }

  void compute(const std::vector<Part>& inputs, const ResultPart& result) const {
    const Laid laid(space, inputs[0].region);
    std::vector<Statistic> found;
    const auto find = [&](std::size_t space) {
      found = objects(inputs, laid, laid.begins[space]);
      return std::ssize(found);
    };
    rows.fill(result, find, [&](std::size_t, std::size_t row) { return found[row].value(what); });
  }
};

Prepared prepare_objects(const Rule& rule) {
  const Quantity& field = rule.input("field");
  const std::string what = rule.text("of");
  const bool needs_value = what != "size" && what != "label", has_value = !rule.text("value").empty();
  if (needs_value && !has_value) throw ParameterError("value", "the " + what + " of which value is it?");
  const Quantity& value = has_value ? rule.input("value") : field;
  if (!std::ranges::equal(value.dimensions, field.dimensions, {}, &Dimension::name, &Dimension::name))
    throw ParameterError("value", "\"" + value.name + "\" and \"" + field.name +
                                      "\" need the same dimensions, in the same order");
  Table table{space_of(rule, field),
              Inside(field),
              Inside(value),
              static_cast<std::size_t>(&value - rule.inputs.data()),
              what,
              {most_of(rule)}};
  Prepared prepared;
  table.rows.describe(rule, field, table.space, prepared);
  const std::size_t found = std::min(static_cast<std::size_t>(table.rows.most), table.space.most_runs());
  prepared.working_bytes = objects::working_bytes(table.space, field) + 3 * found * sizeof(Statistic);
  prepared.compute = [table](const std::vector<Part>& inputs, const ResultPart& result) {
    table.compute(inputs, result);
  };
  return prepared;
}

}  // namespace

Operator label() {
  std::vector<Parameter> parameters = common_parameters();
  parameters.push_back({"of",
                        ParameterKind::word,
                        false,
                        "label",
                        {"label", "size", "start"},
                        "what each element gets: the object's label, its number of elements, or 1 in its "
                        "first element and 0 in others"});
  return {"label",
          "Connected objects where a condition holds: each element gets the number of the first element of "
          "its object, from 1, and 0 outside.",
          std::move(parameters),
          prepare_label,
          true,
          "dimensions"};
}

Operator objects() {
  std::vector<Parameter> parameters = common_parameters();
  parameters.push_back({"of",
                        ParameterKind::word,
                        false,
                        "size",
                        {"size", "label", "sum", "mean", "minimum", "maximum"},
                        "what is told of each: its number of elements, its label, or a statistic of value"});
  parameters.push_back({"value", ParameterKind::name, false, "", {}, "the field whose statistic is taken"});
  std::ranges::move(table_parameters(), std::back_inserter(parameters));
  return {"objects",
          "A table of the connected objects where a condition holds, in the order of their labels.",
          std::move(parameters),
          prepare_objects,
          true,
          "dimensions"};
}

}  // namespace pileus::operators
