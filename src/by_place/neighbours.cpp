#include "by_place/neighbours.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/cell_bounds.h"
#include "core/degrees.h"
#include "core/missing.h"
#include "functions/elementary.h"

namespace pileus::operators {
namespace {

constexpr double kRadians = std::numbers::pi / 180;

bool has_text(const Rule& rule, const std::string& parameter) { return !rule.text(parameter).empty(); }

/// Those of the model, or equal steps. Errors: ParameterError.
std::vector<double> coordinates_of(const Rule& rule, const Dimension& dimension,
                                   const std::string& parameter) {
  if (has_text(rule, "spacing")) {
    const double spacing = rule.number("spacing");
    if (!(spacing > 0)) throw ParameterError("spacing", "the distance of neighbours is above 0");
    if (!dimension.coordinates.empty())
      throw ParameterError("spacing", "\"" + dimension.name + "\" has coordinates, which say it");
    std::vector<double> coordinates;
    for (Index i = 0; i < dimension.size; ++i) coordinates.push_back(static_cast<double>(i) * spacing);
    return coordinates;
  }
  if (dimension.coordinates.empty())
    throw ParameterError(parameter,
                         "\"" + dimension.name +
                             "\" has no coordinates; the model registers them, or spacing=... says "
                             "how far its elements are from each other");
  std::vector<double> coordinates = dimension.coordinates;
  if (!is_strictly_monotonic(coordinates))
    throw ParameterError(parameter,
                         "the coordinates of \"" + dimension.name + "\" do not rise or fall all along");
  return coordinates;
}

}  // namespace

bool is_longitude(const Dimension& dimension) { return are_degrees_east(dimension.units); }
bool is_latitude(const Dimension& dimension) { return are_degrees_north(dimension.units); }

bool go_around(const std::vector<double>& longitudes) {
  if (longitudes.size() < 3) return false;
  const auto n = static_cast<double>(longitudes.size());
  const double length = std::abs(longitudes.back() - longitudes.front()) * n / (n - 1);
  return std::abs(length - 360) < 1e-3;
}

int latitude_of(const Quantity& field) {
  const auto found = std::ranges::find_if(field.dimensions, is_latitude);
  return found == field.dimensions.end() ? -1 : static_cast<int>(found - field.dimensions.begin());
}

std::optional<double> missing_of(const Quantity& field) {
  if (!field.missing || field.type != Type::float32) return field.missing;
  return as_stored(*field.missing, ElementType::float32);
}

double radius_of(const Rule& rule) {
  const double radius = rule.number("radius");
  if (!(radius > 0)) throw ParameterError("radius", "a radius is above 0");
  return radius;
}

Differences::Differences(const Rule& rule, const Quantity& field, int axis, const std::string& parameter,
                         Derivative which)
    : axis_(static_cast<std::size_t>(axis)), which_(which) {
  const Dimension& dimension = field.dimensions[axis_];
  const std::string& border = rule.text("border");
  if (border == "periodic" || (border == "auto" && has_text(rule, "period"))) border_ = Border::periodic;
  if (border == "missing") border_ = Border::missing;
  if (has_text(rule, "period") && border_ != Border::periodic)
    throw ParameterError("period", "only what is periodic has a period");
  if (dimension.size == kUnknownSize) return;
  std::vector<double> coordinates = coordinates_of(rule, dimension, parameter);
  const bool is_around = is_longitude(dimension) && go_around(coordinates);
  if (border == "auto" && is_around) border_ = Border::periodic;
  double period = 0;
  if (border_ == Border::periodic) {
    if (!has_text(rule, "period") && !is_around && !has_text(rule, "spacing"))
      throw ParameterError("border", "how long is \"" + dimension.name +
                                         "\"? Write period=..., in the units of its coordinates");
    period = has_text(rule, "period") ? rule.number("period")
             : is_around              ? 360
                                      : rule.number("spacing") * static_cast<double>(dimension.size);
    if (!(period > std::abs(coordinates.back() - coordinates.front())))
      throw ParameterError("period", "the coordinates of \"" + dimension.name + "\" alone are longer");
  }
  const Index least = which == Derivative::first && border_ == Border::one_sided ? 2 : 3;
  if (dimension.size < least)
    throw ParameterError(parameter, "\"" + dimension.name + "\" has " + std::to_string(dimension.size) +
                                        " elements, and a derivative takes " + std::to_string(least));
  if (is_longitude(dimension) || is_latitude(dimension)) {
    for (double& one : coordinates) one *= kRadians;
    period *= kRadians;
  }
  weigh(coordinates, period);
}

/// The one behind the last is the first, a period further.
void Differences::weigh(const std::vector<double>& coordinates, double period) {
  const auto n = static_cast<Index>(coordinates.size());
  const bool rises = coordinates.back() > coordinates.front();
  const double seam = coordinates.front() + (rises ? period : -period) - coordinates.back();
  const auto step = [&](Index i) {
    if (i < 0 || i == n - 1) return border_ == Border::periodic ? seam : 0.0;
    return coordinates[static_cast<std::size_t>(i) + 1] - coordinates[static_cast<std::size_t>(i)];
  };
  for (Index i = 0; i < n; ++i) {
    const bool is_border = border_ != Border::periodic && (i == 0 || i == n - 1);
    Element one{i, 0, 0, true, true, is_border && border_ == Border::missing};
    if (is_border && which_ == Derivative::second) one.middle = i == 0 ? 1 : n - 2;
    const double before = step(one.middle - 1), behind = step(one.middle);
    if (one.is_missing) {
    } else if (which_ == Derivative::second) {
      one.before = 2 / (before * (before + behind));
      one.behind = 2 / (behind * (before + behind));
    } else if (is_border) {
      one.takes_before = i > 0;
      one.takes_behind = i == 0;
      (i == 0 ? one.behind : one.before) = 1 / (i == 0 ? behind : before);
    } else {
      one.before = behind / (before * (before + behind));
      one.behind = before / (behind * (before + behind));
    }
    elements_.push_back(one);
    before_weights_.push_back(which_ == Derivative::second ? -one.before : one.before);
    behind_weights_.push_back(one.behind);
  }
}

/// A second derivative at a border is made of the three elements there.
Halo Differences::halo() const {
  const bool takes_three = which_ == Derivative::second && border_ == Border::one_sided;
  return {takes_three ? 2 : 1, takes_three ? 2 : 1, border_ == Border::periodic};
}

template <bool may_miss>
void Differences::compute_row(const Element& element, const double* middle, Index stride, double missing,
                              Index count, double* to) const {
  const double before_weight = which_ == Derivative::second ? -element.before : element.before;
  const Index back = element.takes_before ? stride : 0, on = element.takes_behind ? stride : 0;
  const bool takes_both = element.takes_before && element.takes_behind;
  for (Index k = 0; k < count; ++k) {
    const double f0 = middle[k], before = middle[k - back], behind = middle[k + on];
    if (may_miss && (f0 == missing || before == missing || behind == missing)) {
      to[k] = kMissing;
    } else if (takes_both) {
      to[k] = element.behind * (behind - f0) + before_weight * (f0 - before);
    } else {
      to[k] = element.takes_before ? element.before * (f0 - before) : element.behind * (behind - f0);
    }
  }
}

/// Of a line along which elements lie side by side, those from `begin` to `end` that take both neighbours.
template <bool may_miss>
void Differences::compute_line(const double* line, Index begin, Index end, double missing, double* to) const {
  const double *const before_weights = before_weights_.data(), *const behind_weights = behind_weights_.data();
  for (Index i = begin; i < end; ++i) {
    const double f0 = line[i], before = line[i - 1], behind = line[i + 1];
    const double made = behind_weights[i] * (behind - f0) + before_weights[i] * (f0 - before);
    const bool is_missing = may_miss && ((f0 == missing) | (before == missing) | (behind == missing));
    to[i] = is_missing ? kMissing : made;
  }
}

void Differences::compute(const Part& input, std::optional<double> missing, const Region& region,
                          double* result) const {
  const auto* const first = input.as<double>().data();
  Index inner = 1, blocks = 1;
  for (std::size_t d = 0; d < axis_; ++d) inner *= region.count[d];
  for (std::size_t d = axis_ + 1; d < region.count.size(); ++d) blocks *= region.count[d];
  const Index length = input.region.count[axis_], start = input.region.start[axis_];
  const Index begin = region.start[axis_], end = begin + region.count[axis_];
  const bool has_borders = border_ != Border::periodic;
  const Index last = static_cast<Index>(elements_.size()) - 1;
  const Index line_begin = has_borders ? std::max<Index>(begin, 1) : begin;
  const Index line_end = inner > 1 ? line_begin : has_borders ? std::min(end, last) : end;
  for (Index block = 0; block < blocks; ++block) {
    const double* const from = first + block * length * inner;
    if (line_begin < line_end) {
      double* const to = result - begin;
      missing ? compute_line<true>(from - start, line_begin, line_end, *missing, to)
              : compute_line<false>(from - start, line_begin, line_end, 0, to);
    }
    for (Index i = begin; i < end; ++i, result += inner) {
      if (i == line_begin && line_begin < line_end) {
        result += line_end - i;
        i = line_end;
        if (i == end) break;
      }
      const Element& one = elements_[static_cast<std::size_t>(i)];
      const double* const middle = from + (one.middle - start) * inner;
      if (one.is_missing) {
        std::fill_n(result, inner, kMissing);
      } else if (missing) {
        compute_row<true>(one, middle, inner, *missing, inner, result);
      } else {
        compute_row<false>(one, middle, inner, 0, inner, result);
      }
    }
  }
}

Sphere::Sphere(const Rule& rule, const Dimension& latitudes, std::size_t axis)
    : axis_(axis), radius_(radius_of(rule)) {
  for (const double latitude : latitudes.coordinates) {
    const bool is_pole = std::abs(latitude) >= 90;
    has_poles_ = has_poles_ || is_pole;
    cosines_.push_back(is_pole ? 0 : cosine(latitude * kRadians));
  }
}

Part Sphere::times_cosine(const Part& part, std::optional<double> missing, std::vector<double>& to) const {
  const auto from = part.as<double>();
  to.assign(from.begin(), from.end());
  Index inner = 1;
  for (std::size_t d = 0; d < axis_; ++d) inner *= part.region.count[d];
  const Index length = part.region.count[axis_];
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (missing && to[i] == *missing) continue;
    const Index at = part.region.start[axis_] + static_cast<Index>(i) / inner % length;
    to[i] *= cosines_[static_cast<std::size_t>(at)];
  }
  return {Type::float64, to.data(), part.region};
}

void Sphere::divide(const Region& region, bool is_squared, double* values) const {
  Index inner = 1, blocks = 1;
  for (std::size_t d = 0; d < axis_; ++d) inner *= region.count[d];
  for (std::size_t d = axis_ + 1; d < region.count.size(); ++d) blocks *= region.count[d];
  for (Index block = 0; block < blocks; ++block) {
    for (Index i = 0; i < region.count[axis_]; ++i, values += inner) {
      const double length = radius_ * cosines_[static_cast<std::size_t>(region.start[axis_] + i)];
      const double divisor = is_squared ? length * length : length;
      for (Index k = 0; k < inner; ++k) {
        if (divisor == 0) values[k] = kMissing;
        if (values[k] != kMissing) values[k] /= divisor;
      }
    }
  }
}

std::vector<Parameter> derivative_parameters() {
  return {
      {"border",
       ParameterKind::word,
       false,
       "auto",
       {"auto", "periodic", "one-sided", "missing"},
       "what the dimension is at its ends; auto: periodic where a period is given or longitudes go around "
       "the globe, otherwise one-sided"},
      {"period",
       ParameterKind::number,
       false,
       "",
       {},
       "the length of a periodic dimension, in the units of its coordinates; 360 for longitudes that go "
       "around"},
      {"spacing",
       ParameterKind::number,
       false,
       "",
       {},
       "the distance of neighbours, where the dimension has no coordinates"},
      {"radius",
       ParameterKind::number,
       false,
       "6371229",
       {},
       "the radius of the sphere, where coordinates are longitudes and latitudes",
       "m"}};
}

}  // namespace pileus::operators
