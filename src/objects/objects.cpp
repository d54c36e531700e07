// label, objects: what hangs together where a condition holds.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "core/missing.h"
#include "objects/space.h"

namespace pileus::operators {
namespace {

using objects::Space;

/// An element is inside where its value is neither 0 nor missing.
class Inside {
 public:
  explicit Inside(const Quantity& value) : missing_(value.missing) {
    if (missing_ && value.type == Type::float32) missing_ = as_stored(*missing_, ElementType::float32);
  }
  bool has(double value) const {
    return value != 0 && !std::isnan(value) && !(missing_ && value == *missing_);
  }
  bool is_there(double value) const { return !std::isnan(value) && !(missing_ && value == *missing_); }

 private:
  std::optional<double> missing_;
};

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

std::vector<Index> firsts_in(const Space& space, const Part& field, const Inside& inside,
                             const std::vector<Index>& offsets, Index begin) {
  std::vector<std::uint8_t> is_inside;
  is_inside.reserve(offsets.size());
  for (const Index offset : offsets) is_inside.push_back(inside.has(field.number(begin + offset)) ? 1 : 0);
  return space.firsts(is_inside);
}

/// What `label` gives for each element, from the first elements of objects.
std::vector<double> labelled(const std::vector<Index>& firsts, std::string_view what) {
  std::vector<double> values(firsts.size(), 0), sizes(firsts.size(), 0);
  for (const Index first : firsts)
    if (first >= 0) ++sizes[static_cast<std::size_t>(first)];
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    if (firsts[i] < 0) continue;
    const auto first = static_cast<std::size_t>(firsts[i]);
    values[i] = what == "size"    ? sizes[first]
                : what == "start" ? static_cast<double>(first == i)
                                  : static_cast<double>(first + 1);
  }
  return values;
}

Prepared prepare_label(const Rule& rule) {
  const Quantity& field = rule.input("field");
  const Space space = space_of(rule, field);
  Prepared prepared;
  prepared.result.dimensions = field.dimensions;
  prepared.compute = [space, inside = Inside(field), what = rule.text("of")](const std::vector<Part>& inputs,
                                                                             const ResultPart& result) {
    const std::vector<Index> offsets = space.offsets(inputs[0].region);
    const auto to = result.as<double>();
    for (const Index begin : space.begins(inputs[0].region)) {
      const std::vector<double> values = labelled(firsts_in(space, inputs[0], inside, offsets, begin), what);
      for (std::size_t i = 0; i < values.size(); ++i)
        to[static_cast<std::size_t>(begin + offsets[i])] = values[i];
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

  std::vector<Statistic> objects(const std::vector<Part>& inputs, const std::vector<Index>& offsets,
                                 Index begin) const {
    const std::vector<Index> firsts = firsts_in(space, inputs[0], inside, offsets, begin);
    std::vector<std::size_t> number(firsts.size(), 0);
    std::vector<Statistic> found;
    for (std::size_t i = 0; i < firsts.size(); ++i) {
      if (firsts[i] < 0) continue;
      if (firsts[i] == static_cast<Index>(i)) {
        number[i] = found.size();
        found.push_back({firsts[i]});
      }
      const double one = inputs[value].number(begin + offsets[i]);
      found[number[static_cast<std::size_t>(firsts[i])]].add(one, values.is_there(one));
    }
    return found;
  }

  void compute(const std::vector<Part>& inputs, const ResultPart& result) const {
    const std::vector<Index> offsets = space.offsets(inputs[0].region);
    const auto to = result.as<double>();
    Index stride = 1;
    for (std::size_t d = 0; d < at; ++d) stride *= result.region.count[d];
    const Space rows({{at, result.region.count[at], false}}, false);
    const std::vector<Index> begins = rows.begins(result.region);
    const std::vector<Index> spaces = space.begins(inputs[0].region);
    for (std::size_t one = 0; one < spaces.size(); ++one) {
      const std::vector<Statistic> found = objects(inputs, offsets, spaces[one]);
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
      result.dimensions.push_back({rule.text("name"), static_cast<Index>(table.most)});
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
              static_cast<std::size_t>(&value - &field),
              what,
              static_cast<std::size_t>(most),
              0};
  table.value = static_cast<std::size_t>(&value - rule.inputs.data());
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
  parameters.push_back({"name", ParameterKind::text, false, "object", {}, "name of the new dimension"});
  return {"objects",
          "A table of the connected objects where a condition holds, in the order of their labels.",
          std::move(parameters),
          prepare_objects,
          true,
          "dimensions"};
}

}  // namespace pileus::operators
