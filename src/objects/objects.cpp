// label, objects: what hangs together where a condition holds.

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "objects/inside.h"
#include "objects/space.h"

namespace pileus::operators {
namespace {

using objects::Inside;
using objects::Run;
using objects::Space;

Space space_of(const Rule& rule, const Quantity& field) {
  const std::vector<std::string> names = rule.list("dimensions"), periodic = rule.list("periodic");
  std::vector<Space::Axis> axes;
  for (const std::string& name : names) {
    if (std::ranges::count(names, name) > 1)
      throw ParameterError("dimensions", "\"" + name + "\" is there twice");
    const auto at = static_cast<std::size_t>(rule.axis("dimensions", field, name));
    const bool is_periodic = std::ranges::find(periodic, name) != periodic.end();
    axes.push_back({at, field.dimensions[at].size, is_periodic});
  }
  if (axes.empty() || axes.size() > 3)
    throw ParameterError("dimensions", "objects have one to three dimensions");
  for (const std::string& name : periodic)
    if (std::ranges::find(names, name) == names.end())
      throw ParameterError("periodic", "\"" + name + "\" is none of the dimensions of objects");
  std::ranges::sort(axes, {}, &Space::Axis::at);
  return {std::move(axes), rule.text("corners") == "true"};
}

/// One space of a part, as its elements lie there.
struct Laid {
  Laid(const Space& space, const Region& part)
      : begins(space.begins(part)),
        rows(space.rows(part)),
        stride(space.stride(part)),
        length(space.axes().front().size) {}

  std::vector<Index> begins;  ///< of all spaces
  std::vector<Index> rows;
  Index stride, length;
};

template <class Value>
void add_runs(std::vector<Run>& runs, const Laid& laid, const Inside& inside, std::size_t row, Value value) {
  for (Index at = 0; at < laid.length;) {
    if (!inside.has(value(at))) {
      ++at;
      continue;
    }
    const Index begin = at;
    while (at < laid.length && inside.has(value(at))) ++at;
    runs.push_back({row, begin, at});
  }
}

/// The runs of a space with their objects.
std::vector<Run> runs_in(const Space& space, const Laid& laid, const Part& field, const Inside& inside,
                         Index begin) {
  std::vector<Run> runs;
  const auto* const doubles = field.type == Type::float64 ? static_cast<const double*>(field.first) : nullptr;
  for (std::size_t row = 0; row < laid.rows.size(); ++row) {
    const Index from = begin + laid.rows[row];
    if (doubles != nullptr)
      add_runs(runs, laid, inside, row, [&](Index at) { return doubles[from + at * laid.stride]; });
    else
      add_runs(runs, laid, inside, row, [&](Index at) { return field.number(from + at * laid.stride); });
  }
  space.join(runs);
  return runs;
}

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
  std::size_t most = 0;
  std::size_t at = 0;  ///< position of the dimension of objects in the result

  /// In the order of their labels.
  std::vector<Statistic> objects(const std::vector<Part>& inputs, const Laid& laid, Index begin) const {
    std::vector<Statistic> found;
    std::map<Index, std::size_t> number;
    for (const Run& run : runs_in(space, laid, inputs[0], inside, begin)) {
      auto at = number.find(run.object);
      if (at == number.end()) {
        if (found.size() == most) continue;  // those of higher labels are not told of
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
    const auto to = result.as<double>();
    Index stride = 1;
    for (std::size_t d = 0; d < at; ++d) stride *= result.region.count[d];
    const Space rows({{at, result.region.count[at], false}}, false);
    const std::vector<Index> begins = rows.begins(result.region);
    for (std::size_t one = 0; one < laid.begins.size(); ++one) {
      const std::vector<Statistic> found = objects(inputs, laid, laid.begins[one]);
      for (std::size_t i = 0; i < most; ++i)
        to[static_cast<std::size_t>(begins[one] + static_cast<Index>(i) * stride)] =
            i < found.size() ? found[i].value(what) : kMissing;
    }
  }
};

/// The result has the objects in place of their first dimension, and the others of the field.
void describe_table(const Rule& rule, const Quantity& field, Table& table, Quantity& result) {
  const auto& axes = table.space.axes();
  for (std::size_t d = 0; d < field.dimensions.size(); ++d) {
    if (d == axes.front().at) {
      table.at = result.dimensions.size();
      result.dimensions.push_back({rule.text("table"), static_cast<Index>(table.most)});
      result.dimensions.back().long_name = "objects, by the number of their first element";
    }
    if (std::ranges::find(axes, d, &Space::Axis::at) == axes.end())
      result.dimensions.push_back(field.dimensions[d]);
  }
  result.missing = kMissing;
}

Prepared prepare_objects(const Rule& rule) {
  const Quantity& field = rule.input("field");
  const std::string what = rule.text("of");
  const bool needs_value = what != "size" && what != "label", has_value = !rule.text("value").empty();
  if (needs_value && !has_value) throw ParameterError("value", "the " + what + " of which value is it?");
  const Quantity& value = has_value ? rule.input("value") : field;
  if (!std::ranges::equal(value.dimensions, field.dimensions, {}, &Dimension::name, &Dimension::name))
    throw ParameterError("value", "\"" + value.name + "\" and \"" + field.name +
                                      "\" need the same dimensions, in the same order");
  const Index most = rule.whole_number("most");
  if (most < 1 || most > 100000) throw ParameterError("most", "from 1 to 100000 objects are told of");
  Table table{space_of(rule, field),
              Inside(field),
              Inside(value),
              static_cast<std::size_t>(&value - rule.inputs.data()),
              what,
              static_cast<std::size_t>(most),
              0};
  Prepared prepared;
  describe_table(rule, field, table, prepared.result);
  if (field.dimensions.size() == table.space.axes().size())
    prepared.region = [most](const std::vector<Region>& inputs) {
      return Region{{0}, {inputs[0].size() > 0 ? most : 0}};
    };
  prepared.compute = [table](const std::vector<Part>& inputs, const ResultPart& result) {
    table.compute(inputs, result);
  };
  return prepared;
}

std::vector<Parameter> common_parameters() {
  return {
      {"field", ParameterKind::name, true, "", {}, "the condition: inside where it is not 0"},
      {"dimensions", ParameterKind::names, true, "", {}, "one to three, in which elements are neighbours"},
      {"periodic", ParameterKind::names, false, "", {}, "those whose last element is beside the first"},
      {"corners",
       ParameterKind::word,
       false,
       "false",
       {"true", "false"},
       "whether elements with no more than a corner or edge in common are neighbours"}};
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
  parameters.push_back({"most",
                        ParameterKind::whole_number,
                        false,
                        "64",
                        {},
                        "so many are told of, those of the lowest labels"});
  parameters.push_back({"table", ParameterKind::text, false, "object", {}, "name of the new dimension"});
  return {"objects",
          "A table of the connected objects where a condition holds, in the order of their labels.",
          std::move(parameters),
          prepare_objects,
          true,
          "dimensions"};
}

}  // namespace pileus::operators
