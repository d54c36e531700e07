#include "objects/laid.h"

#include <algorithm>
#include <string>
#include <utility>

namespace pileus::objects {

using operators::Dimension;
using operators::Parameter;
using operators::ParameterError;
using operators::ParameterKind;
using operators::Part;
using operators::Prepared;
using operators::Quantity;
using operators::Region;
using operators::Rule;
using operators::Type;

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

namespace {

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

}  // namespace

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

std::size_t working_bytes(const Space& space, const Quantity& field) {
  Region whole;
  for (const Dimension& dimension : field.dimensions)
    whole.count.push_back(std::max<Index>(0, dimension.size));
  if (whole.size() == 0) return 0;
  constexpr std::size_t kMapNode = 64;
  return space.labelling_bytes(space.spaces_in(whole)) + space.most_runs() * kMapNode;
}

Index most_of(const Rule& rule) {
  const Index most = rule.whole_number("most");
  if (most < 1 || most > 100000) throw ParameterError("most", "from 1 to 100000 objects are told of");
  return most;
}

void Rows::describe(const Rule& rule, const Quantity& field, const Space& space, Prepared& prepared) {
  const auto& axes = space.axes();
  std::vector<Dimension>& dimensions = prepared.result.dimensions;
  for (std::size_t d = 0; d < field.dimensions.size(); ++d) {
    if (d == axes.front().at) {
      at = dimensions.size();
      dimensions.push_back({rule.text("table"), most});
      dimensions.back().long_name = "objects, by the number of their first element";
    }
    if (std::ranges::find(axes, d, &Space::Axis::at) == axes.end()) dimensions.push_back(field.dimensions[d]);
  }
  prepared.result.missing = kMissing;
  if (field.dimensions.size() == axes.size())
    prepared.region = [most = most](const std::vector<Region>& inputs) {
      // One of them may be whole on each rank.
      const bool is_here = std::ranges::all_of(inputs, [](const Region& one) { return one.size() > 0; });
      return Region{{0}, {is_here ? most : 0}};
    };
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

std::vector<Parameter> table_parameters() {
  return {{"most",
           ParameterKind::whole_number,
           false,
           "64",
           {},
           "so many are told of, those of the lowest labels"},
          {"table", ParameterKind::text, false, "object", {}, "name of the new dimension"}};
}

}  // namespace pileus::objects
