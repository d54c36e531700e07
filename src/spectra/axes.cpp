#include "spectra/axes.h"

#include <algorithm>
#include <cmath>

#include "core/missing.h"
#include "core/shortest.h"
#include "functions/elementary.h"

namespace pileus::spectra {
namespace {

using operators::Dimension;
using operators::kUnknownSize;
using operators::ParameterError;

/// Coordinates may be rounded to a thousandth of their distance, as those that were floats are.
constexpr double kRoundedBy = 1e-3;

/// What a rule says of the dimension that it names at this place.
double given_spacing(const operators::Rule& rule, std::size_t place) {
  const std::vector<double> given = rule.numbers("spacing");
  const std::size_t named = rule.list("dimensions").size();
  if (given.size() != 1 && given.size() != named)
    throw ParameterError("spacing", "there is one for all dimensions, or one for each of them");
  const double spacing = given.size() == 1 ? given[0] : given[place];
  if (!(spacing > 1e-150 && spacing < 1e150))
    throw ParameterError("spacing", "the distance of two elements is above 1e-150 and below 1e150");
  return spacing;
}

double spacing_of(const Dimension& dimension) {
  const std::vector<double>& places = dimension.coordinates;
  if (places.size() < 2) return 1;
  const double step = (places.back() - places.front()) / static_cast<double>(places.size() - 1);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (std::abs(places[i] - (places.front() + static_cast<double>(i) * step)) <=
        kRoundedBy * std::abs(step) * (step == 0 ? 0 : 1))
      continue;
    throw ParameterError("dimensions",
                         "\"" + dimension.name + "\" is not evenly spaced: " + shortest(places[i]) +
                             " stands where " + shortest(places.front() + static_cast<double>(i) * step) +
                             " would; interpolate to even levels first, or give the spacing=... of "
                             "elements that are");
  }
  if (step == 0)
    throw ParameterError("dimensions", "all coordinates of \"" + dimension.name + "\" are the same");
  return std::abs(step);
}

std::string units_of(const Dimension& dimension, bool has_spacing) {
  const bool has_places = !dimension.coordinates.empty() || has_spacing;
  if (!has_places || dimension.units.empty() || dimension.units == "1") return "1";
  if (dimension.units.starts_with("degree")) return "degree-1";
  const bool is_word = std::ranges::all_of(
      dimension.units, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
  return is_word ? dimension.units + "-1" : "(" + dimension.units + ")-1";
}

}  // namespace

std::vector<double> weights_of(Window window, Index size) {
  std::vector<double> weights(static_cast<std::size_t>(std::max<Index>(size, 0)), 1);
  if (window == Window::none || size < 2) return weights;
  const double angle = 2 * 0x1.921fb54442d18p+1 / static_cast<double>(size);
  for (std::size_t i = 0; i < weights.size(); ++i)
    weights[i] = 0.5 - 0.5 * cosine(static_cast<double>(i) * angle);
  return weights;
}

Source source_of(const operators::Rule& rule, const std::string& parameter, const std::vector<Axis>& axes) {
  const operators::Quantity& value = rule.input(parameter);
  Source source{static_cast<std::size_t>(&value - rule.inputs.data()), {}, value.missing};
  if (value.missing && value.type == operators::Type::float32)
    source.missing = as_stored(*value.missing, ElementType::float32);
  for (const Axis& axis : axes)
    source.axes.push_back(static_cast<std::size_t>(rule.axis("dimensions", value, axis.name)));
  return source;
}

std::function<operators::Region(const std::vector<operators::Region>&)> region_of_one(
    const operators::Quantity& field, const operators::Quantity& result, std::size_t axes) {
  if (field.dimensions.size() > axes) return {};
  return [size = result.dimensions.front().size](const std::vector<operators::Region>& inputs) {
    const bool has_all = std::ranges::all_of(inputs, [](const auto& one) { return one.size() > 0; });
    return operators::Region{{0}, {has_all ? size : 0}};
  };
}

double density_factor(const std::vector<Axis>& axes, double width) {
  double factor = 1;
  for (const Axis& axis : axes) {
    double squares = 0;
    for (const double weight : axis.weights) squares += weight * weight;
    factor /= static_cast<double>(axis.size) * squares;
  }
  return factor / width;
}

Window window_of(const operators::Rule& rule) {
  return rule.text("window") == "hann" ? Window::hann : Window::none;
}

Detrend detrend_of(const operators::Rule& rule) {
  const std::string& word = rule.text("detrend");
  return word == "linear" ? Detrend::linear : word == "none" ? Detrend::none : Detrend::mean;
}

std::vector<Axis> axes_of(const operators::Rule& rule, const operators::Quantity& field, Window window) {
  const std::vector<std::string> names = rule.list("dimensions");
  if (names.empty() || names.size() > 2)
    throw ParameterError("dimensions", "a spectrum goes along one dimension, or over the plane of two");
  if (names.size() == 2 && names[0] == names[1])
    throw ParameterError("dimensions", "\"" + names[0] + "\" is there twice");
  std::vector<Axis> axes;
  const bool is_given = !rule.text("spacing").empty();
  for (const std::string& name : names) {
    const auto at = static_cast<std::size_t>(rule.axis("dimensions", field, name));
    const Dimension& one = field.dimensions[at];
    const double spacing = is_given ? given_spacing(rule, axes.size()) : spacing_of(one);
    axes.push_back({at, name, one.size, spacing, weights_of(window, one.size), window != Window::none,
                    units_of(one, is_given)});
  }
  std::ranges::sort(axes, {}, &Axis::at);
  if (axes.size() == 2 && axes[0].units != axes[1].units)
    throw ParameterError("dimensions", "\"" + axes[0].name + "\" has wavenumbers in " + axes[0].units +
                                           " and \"" + axes[1].name + "\" in " + axes[1].units +
                                           ": there are no rings of both");
  return axes;
}

Rings rings_of(const Axis& fast, const Axis& slow) {
  Rings rings;
  rings.width = fast.size == 1   ? slow.step()
                : slow.size == 1 ? fast.step()
                                 : std::max(fast.step(), slow.step());
  for (Index j = 0; j < slow.size; ++j) {
    for (Index i = 0; i < fast.modes(); ++i) {
      const double a = static_cast<double>(i) * fast.step();
      const double b = static_cast<double>(std::min(j, slow.size - j)) * slow.step();
      rings.of_mode.push_back(static_cast<Index>(std::floor(std::sqrt(a * a + b * b) / rings.width + 0.5)));
      rings.count = std::max(rings.count, rings.of_mode.back() + 1);
    }
  }
  return rings;
}

Dimension wavenumbers_of(const std::vector<Axis>& axes) {
  Dimension made;
  for (const Axis& one : axes) made.name = one.name + "_" + made.name;
  made.name += "wavenumber";
  made.long_name = axes.size() == 1 ? "wavenumber along " + axes[0].name
                                    : "wavenumber in the plane of " + axes[0].name + " and " + axes[1].name;
  made.units = axes.front().units;
  made.size = kUnknownSize;
  if (std::ranges::any_of(axes, [](const Axis& one) { return one.size < 1; })) return made;
  const bool is_line = axes.size() == 1;
  const Rings rings = is_line ? Rings{axes[0].step(), axes[0].modes(), {}} : rings_of(axes[0], axes[1]);
  made.size = rings.count;
  for (Index i = 0; i < rings.count; ++i) made.coordinates.push_back(static_cast<double>(i) * rings.width);
  return made;
}

}  // namespace pileus::spectra
