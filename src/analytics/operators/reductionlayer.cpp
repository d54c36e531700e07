// reductionlayer: between which places of a dimension a field is above a limit, such as cloud base, cloud top
// and the depth between them. Each model rank finds the first and the last place in its part.

#include <algorithm>
#include <cmath>

#include "analytics/operators/list.h"
#include "analytics/operators/place.h"
#include "core/missing.h"

namespace pileus {
namespace operators {
Declaration reductionlayer();
}
namespace {

using operators::Dimension;
using operators::ParameterError;
using operators::ParameterKind;
using operators::Part;
using operators::Prepared;
using operators::Quantity;
using operators::ResultPart;

/// The dimension along which the layer lies, and how it is found in the indices that a rank picks.
struct Along {
  const Dimension& dimension;
  operators::Unfolding unfolding;
  std::vector<Dimension> others;  ///< those of the result
};

Along along(const operators::Rule& rule) {
  const Quantity& field = rule.input("field");
  const std::vector<std::string> reduced = rule.list("dimensions");
  const auto is_reduced = [&](const Dimension& one) {
    return reduced.empty() || std::ranges::find(reduced, one.name) != reduced.end();
  };
  const auto wanted = static_cast<std::size_t>(rule.axis("dimension", field, rule.text("dimension")));
  const Dimension& dimension = field.dimensions[wanted];
  if (!is_reduced(dimension))
    throw ParameterError("dimension", "\"" + dimension.name + "\" is not among the dimensions");
  Along along{dimension, unfolding_of(field, wanted, is_reduced), {}};
  for (const Dimension& one : field.dimensions) {
    if (!is_reduced(one)) along.others.push_back(one);
  }
  return along;
}

std::shared_ptr<const Pick> pick_above(const operators::Rule& rule, Reduction reduction) {
  Pick pick{"reductionlayer above " + rule.text("above") + " along " + rule.text("dimension"), reduction};
  pick.pick = [limit = rule.number("above"), index = along(rule).unfolding](const PickedFrom& elements,
                                                                            std::span<double> picked) {
    for (std::size_t i = 0; i < picked.size(); ++i)
      picked[i] = elements.numbers[i] > limit ? index(elements.places[i]) : kMissing;
  };
  pick.operations = 3;
  return std::make_shared<const Pick>(std::move(pick));
}

Sifting sift_layer(const operators::Rule& rule) {
  Sifting sifting;
  if (rule.text("gives") != "last") sifting.picks.push_back(pick_above(rule, Reduction::min));
  if (rule.text("gives") != "first") sifting.picks.push_back(pick_above(rule, Reduction::max));
  sifting.units = rule.text("as") == "index" ? "1" : along(rule).dimension.units;
  return sifting;
}

Prepared prepare_layer(const operators::Rule& rule) {
  const Along found = along(rule);
  Prepared prepared;
  prepared.result = {"", operators::Type::float64, found.others, kMissing};
  prepared.compute = [coordinates = wanted_coordinates(rule, found.dimension)](const std::vector<Part>& ends,
                                                                               const ResultPart& result) {
    const auto given = result.as<double>();
    for (std::size_t i = 0; i < given.size(); ++i) {
      const double first = ends.front().as<double>()[i], last = ends.back().as<double>()[i];
      if (first == kMissing) {
        given[i] = kMissing;
      } else {
        given[i] = operators::as_wanted(last, coordinates);
        // Coordinates may descend, as those of pressure do.
        if (ends.size() > 1) given[i] = std::abs(given[i] - operators::as_wanted(first, coordinates));
      }
    }
  };
  return prepared;
}

}  // namespace

Declaration operators::reductionlayer() {
  return {{"reductionlayer",
           "Finds the first or last place along a dimension where a field is above a limit, or the distance "
           "between them; there is no value where it is above the limit nowhere.",
           {{"field", ParameterKind::name, true, "", {}, "the distributed field"},
            {"above", ParameterKind::number, true, "", {}, "the field is greater there", "that of the field"},
            {"dimension",
             ParameterKind::text,
             true,
             "",
             {},
             "the place is one in this dimension, which is reduced over"},
            {"dimensions",
             ParameterKind::names,
             false,
             "",
             {},
             "over which dimensions; all of them when left out"},
            {"gives", ParameterKind::word, false, "first", {"first", "last", "distance"}, "which of them"},
            as_index_or_coordinate()},
           prepare_layer,
           true},
          sift_layer};
}

}  // namespace pileus
