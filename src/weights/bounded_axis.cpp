#include "weights/bounded_axis.h"

#include <charconv>
#include <cmath>
#include <system_error>

#include "core/error.h"

namespace pileus {
namespace {

constexpr long double kMostCellsOfAxis = 1 << 20;
constexpr long double kRounding = 1e-9L;  ///< of a cell: how far the last bound may be from a whole step

long double number_of(std::string_view text, const std::string& whole) {
  long double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || !std::isfinite(number))
    throw UsageError(whole + ": expected FROM:TO:STEP, three numbers in degrees");
  return number;
}

struct Bounds {
  long double from, to, step;
};

Bounds read_bounds(std::string_view text, const std::string& whole) {
  const std::size_t first = text.find(':');
  const std::size_t second = first == text.npos ? text.npos : text.find(':', first + 1);
  if (second == text.npos) throw UsageError(whole + ": expected FROM:TO:STEP, three numbers in degrees");
  return {number_of(text.substr(0, first), whole),
          number_of(text.substr(first + 1, second - first - 1), whole),
          number_of(text.substr(second + 1), whole)};
}

void check_places(const std::string& name, const Bounds& bounds, const std::string& whole) {
  const auto [low, high] = std::minmax(bounds.from, bounds.to);
  if (name == "lat" && (low < -90 || high > 90))
    throw UsageError(whole + ": latitudes lie between -90 and 90");
  if (name == "lon" && (low < -360 || high > 720))
    throw UsageError(whole + ": longitudes lie between -360 and 720");
  if (name == "lon" && high - low > 360)
    throw UsageError(whole + ": this is more than once around the globe");
}

/// Errors: a step of 0, one that leads away from the other bound, one that does not fit.
Index cells_between(const Bounds& bounds, const std::string& whole) {
  if (bounds.from == bounds.to) throw UsageError(whole + ": there is nothing between these bounds");
  const long double cells = bounds.step == 0 ? 0 : (bounds.to - bounds.from) / bounds.step;
  if (!(cells > 0)) throw UsageError(whole + ": this step never comes from the first bound to the second");
  if (cells > kMostCellsOfAxis) throw UsageError(whole + ": these are too many cells");
  const long double whole_cells = std::round(cells);
  if (whole_cells < 1 || std::fabs(cells - whole_cells) > kRounding * whole_cells)
    throw UsageError(whole + ": the step does not divide the range into whole cells");
  return static_cast<Index>(whole_cells);
}

}  // namespace

TargetDimension bounded_axis(const std::string& name, std::string_view from_to_step) {
  const std::string whole = name + "=" + std::string(from_to_step);
  const Bounds bounds = read_bounds(from_to_step, whole);
  check_places(name, bounds, whole);
  TargetDimension axis{name, cells_between(bounds, whole), {}, {}};
  const long double range = bounds.to - bounds.from;
  const auto cells = static_cast<long double>(axis.size);
  for (Index i = 0; i < axis.size; ++i) {
    const auto before = static_cast<long double>(i);
    axis.values.push_back(static_cast<double>(bounds.from + range * (2 * before + 1) / (2 * cells)));
    axis.bounds.push_back(static_cast<double>(bounds.from + range * before / cells));
    axis.bounds.push_back(static_cast<double>(bounds.from + range * (before + 1) / cells));
  }
  return axis;
}

}  // namespace pileus
