// cape: the convective available potential energy of a parcel that rises through its column, or what holds it
// back. Source of the thermodynamics: Bolton (1980), Mon. Wea. Rev. 108, 1046-1053.

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "core/missing.h"
#include "functions/elementary.h"
#include "pileus/operator.hpp"

namespace pileus::operators {
namespace {

constexpr double kGasConstant = 287.04;  ///< of dry air, J kg-1 K-1
constexpr double kEpsilon = 0.622;       ///< of the gas constants of dry air and vapour
constexpr double kSourceLayer = 30'000;  ///< Pa above the lowest level, where the most unstable parcel is
constexpr double kReference = 100'000;   ///< Pa
constexpr double kTolerance = 1e-9;      ///< K
constexpr double kColdest = 50;          ///< K; no parcel gets there
constexpr double kWarmer = 20;           ///< K; one that begins supersaturated warms as that condenses
constexpr int kMostIterations = 100;

/// K, Pa, kg of vapour for each kg of dry air.
struct Air {
  double temperature = 0, pressure = 0, mixing_ratio = 0;
};

double virtual_temperature(const Air& air) {
  return air.temperature * (1 + air.mixing_ratio / kEpsilon) / (1 + air.mixing_ratio);
}

/// Over water, Pa; equation 10.
double saturation_pressure(double temperature) {
  return 611.2 * exponential(17.67 * (temperature - 273.15) / (temperature - 29.65));
}

double exponent_of(double mixing_ratio) { return 0.2854 * (1 - 0.28 * mixing_ratio); }

/// Of the equivalent potential temperature; equation 43. `at_condensation`: the temperature where the parcel
/// is saturated first.
double log_theta_e(const Air& air, double at_condensation) {
  const double r = air.mixing_ratio;
  return logarithm(air.temperature) + exponent_of(r) * logarithm(kReference / air.pressure) +
         (3.376 / at_condensation - 0.00254) * 1000 * r * (1 + 0.81 * r);
}

/// Where a parcel that rises is saturated first; equation 15. One without vapour never is.
double temperature_of_condensation(const Air& air) {
  const double vapour = air.pressure * air.mixing_ratio / (kEpsilon + air.mixing_ratio);
  if (!(vapour > 0)) return kColdest;
  const double dry = 3.5 * logarithm(air.temperature) - logarithm(vapour / 100) - 4.805;
  return std::min(air.temperature, 2840 / dry + 55);
}

/// A parcel that rises without mixing: first with its vapour, then losing what condenses.
class Parcel {
 public:
  explicit Parcel(const Air& start) : start_(start) {
    const double condenses = temperature_of_condensation(start);
    const double warmer = logarithm(condenses / start.temperature) / exponent_of(start.mixing_ratio);
    condensation_pressure_ = start.pressure * exponential(warmer);
    log_theta_e_ = log_theta_e(start, condenses);
    guess_ = condenses;
  }

  double condensation_pressure() const { return condensation_pressure_; }
  double log_equivalent() const { return log_theta_e_; }

  /// Order: by falling pressure.
  Air at(double pressure) {
    if (pressure >= condensation_pressure_) {
      const double ratio = exponent_of(start_.mixing_ratio) * logarithm(pressure / start_.pressure);
      return {start_.temperature * exponential(ratio), pressure, start_.mixing_ratio};
    }
    guess_ = saturated(pressure);
    return {guess_, pressure, saturation(guess_, pressure)};
  }

 private:
  static double saturation(double temperature, double pressure) {
    const double vapour = saturation_pressure(temperature);
    return kEpsilon * vapour / (pressure - vapour);
  }

  /// The temperature of saturated air with the parcel's equivalent potential temperature, by Newton's method
  /// within what is known of it.
  double saturated(double pressure) const {
    double low = kColdest, high = guess_ + kWarmer, at = guess_;
    for (int i = 0; i < kMostIterations && high - low > kTolerance; ++i) {
      const double vapour = saturation_pressure(at);
      if (vapour >= 0.5 * pressure) {  // far too warm: it would boil
        high = at;
        at = 0.5 * (low + high);
        continue;
      }
      const double r = kEpsilon * vapour / (pressure - vapour);
      const double error = log_theta_e({at, pressure, r}, at) - log_theta_e_;
      (error > 0 ? high : low) = at;
      const double vapour_slope = vapour * 17.67 * 243.5 / ((at - 29.65) * (at - 29.65));
      const double gap = pressure - vapour, r_slope = kEpsilon * pressure * vapour_slope / (gap * gap);
      const double slope = 1 / at - 0.2854 * 0.28 * r_slope * logarithm(kReference / pressure) -
                           3376 / (at * at) * r * (1 + 0.81 * r) +
                           (3376 / at - 2.54) * r_slope * (1 + 1.62 * r);
      const double next = at - error / slope;
      const bool is_within = next > low && next < high;
      const double before = at;
      at = is_within ? next : 0.5 * (low + high);
      if (std::abs(at - before) <= kTolerance) break;
    }
    return at;
  }

  Air start_;
  double condensation_pressure_ = 0, log_theta_e_ = 0, guess_ = 0;
};

struct Energies {
  double available = 0, inhibiting = 0;  ///< J kg-1; the second is not positive
};

/// The part of a line from `a` to `b` that lies above 0, as a mean over the line.
double above_zero(double a, double b) {
  if (a >= 0 && b >= 0) return 0.5 * (a + b);
  if (a <= 0 && b <= 0) return 0;
  const double high = std::max(a, b), low = std::min(a, b);
  return 0.5 * high * high / (high - low);
}

/// `column`: by falling pressure, from the parcel's level on. Between levels the buoyancy is linear in the
/// logarithm of pressure.
Energies energies_of(std::span<const Air> column) {
  Parcel parcel(column.front());
  Energies found;
  double below = 0;  // that holds the parcel back on its way to where it is free
  double buoyancy = 0;
  for (std::size_t i = 1; i < column.size(); ++i) {
    const Air risen = parcel.at(column[i].pressure);
    const double next = virtual_temperature(risen) - virtual_temperature(column[i]);
    const double depth = kGasConstant * logarithm(column[i - 1].pressure / column[i].pressure);
    const double positive = above_zero(buoyancy, next), negative = positive - 0.5 * (buoyancy + next);
    const bool is_free = column[i].pressure < parcel.condensation_pressure() && positive > 0;
    if (found.available == 0) below -= negative * depth;
    if (is_free) {
      if (found.available == 0) found.inhibiting = below;
      found.available += positive * depth;
    }
    buoyancy = next;
  }
  return found;
}

/// The level from which the parcel rises.
std::size_t most_unstable(const std::vector<Air>& column) {
  std::size_t best = 0;
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (column.front().pressure - column[i].pressure > kSourceLayer) break;
    const double equivalent = Parcel(column[i]).log_equivalent();
    if (equivalent > most) {
      most = equivalent;
      best = i;
    }
  }
  return best;
}

/// How an input lies beside the result: strides by the result's dimensions, and along the column.
struct Input {
  std::vector<int> axes;  ///< by dimension of the result: the input's, or -1
  int along = 0;
  double missing = std::numeric_limits<double>::quiet_NaN();

  Index offset(const Part& part, const Region& result, const std::vector<Index>& at) const {
    Index offset = 0;
    for (std::size_t d = 0; d < axes.size(); ++d) {
      if (axes[d] < 0) continue;
      const auto axis = static_cast<std::size_t>(axes[d]);
      offset += (result.start[d] + at[d] - part.region.start[axis]) * stride(part, axes[d]);
    }
    return offset;
  }
  static Index stride(const Part& part, int axis) {
    Index stride = 1;
    for (int d = 0; d < axis; ++d) stride *= part.region.count[static_cast<std::size_t>(d)];
    return stride;
  }
};

Input input_of(const Quantity& quantity, const Quantity& result, const std::string& dimension,
               const std::string& parameter) {
  Input input;
  for (const Dimension& one : result.dimensions) input.axes.push_back(quantity.axis(one.name));
  input.along = quantity.axis(dimension);
  if (input.along < 0)
    throw ParameterError(parameter, "\"" + quantity.name + "\" has no dimension \"" + dimension + "\"");
  for (const Dimension& one : quantity.dimensions) {
    if (one.name != dimension && result.axis(one.name) < 0)
      throw ParameterError(parameter, "\"" + quantity.name + "\" has the dimension \"" + one.name +
                                          "\", which the temperature does not have");
  }
  if (quantity.missing) input.missing = *quantity.missing;
  return input;
}

class Cape {
 public:
  Cape(const Rule& rule, const Quantity& result) : is_inhibition_(rule.text("value") == "inhibition") {
    const std::string& dimension = rule.text("dimension");
    const char* const parameters[] = {"field", "pressure", "humidity"};
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const Quantity& quantity = rule.input(parameters[i]);
      const auto same =
          std::ranges::find_if(rule.inputs, [&](const Quantity& one) { return one.name == quantity.name; });
      numbers_[i] = static_cast<std::size_t>(same - rule.inputs.begin());
      inputs_[i] = input_of(quantity, result, dimension, parameters[i]);
    }
    is_most_unstable_ = rule.text("parcel") == "most_unstable";
  }

  void compute(const std::vector<Part>& parts, const ResultPart& result) const {
    const std::span<double> values = result.as<double>();
    std::vector<Index> at(result.region.count.size(), 0);
    std::vector<Air> column;
    for (double& value : values) {
      read(parts, result.region, at, column);
      value = value_of(column);
      for (std::size_t d = 0; d < at.size() && ++at[d] == result.region.count[d]; ++d) at[d] = 0;
    }
  }

 private:
  /// By falling pressure, from whichever end; levels at which anything is missing are left out. Empty where
  /// the pressure does not fall all along.
  void read(const std::vector<Part>& parts, const Region& result, const std::vector<Index>& at,
            std::vector<Air>& column) const {
    column.clear();
    std::array<Index, 3> first{}, step{};
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const Part& part = parts[numbers_[i]];
      first[i] = inputs_[i].offset(part, result, at);
      step[i] = Input::stride(part, inputs_[i].along);
    }
    const Part& temperatures = parts[numbers_[0]];
    const Index levels = temperatures.region.count[static_cast<std::size_t>(inputs_[0].along)];
    for (Index level = 0; level < levels; ++level) {
      std::array<double, 3> read{};
      bool is_there = true;
      for (std::size_t i = 0; i < inputs_.size(); ++i) {
        read[i] = parts[numbers_[i]].number(first[i] + level * step[i]);
        is_there = is_there && std::isfinite(read[i]) && read[i] != inputs_[i].missing;
      }
      const auto [temperature, pressure, humidity] = read;
      if (!is_there || !(temperature > kColdest) || !(pressure > 0) || !(humidity < 1)) continue;
      const double vapour = std::max(humidity, 0.0);
      column.push_back({temperature, pressure, vapour / (1 - vapour)});
    }
    if (column.size() > 1 && column.front().pressure < column.back().pressure) std::ranges::reverse(column);
    const auto does_not_fall = [](const Air& a, const Air& b) { return !(a.pressure > b.pressure); };
    if (std::ranges::adjacent_find(column, does_not_fall) != column.end()) column.clear();
  }

  double value_of(const std::vector<Air>& column) const {
    if (column.empty()) return kMissing;
    const std::size_t from = is_most_unstable_ ? most_unstable(column) : 0;
    if (from + 1 == column.size()) return kMissing;  // nothing to rise through
    const Energies found = energies_of(std::span(column).subspan(from));
    return is_inhibition_ ? found.inhibiting : found.available;
  }

  bool is_inhibition_, is_most_unstable_ = false;
  std::array<Input, 3> inputs_;
  std::array<std::size_t, 3> numbers_{};
};

Prepared prepare_cape(const Rule& rule) {
  const Quantity& temperature = rule.input("field");
  Prepared prepared;
  const int along = rule.axis("dimension", temperature, rule.text("dimension"));
  prepared.result.dimensions = temperature.dimensions;
  prepared.result.dimensions.erase(prepared.result.dimensions.begin() + along);
  prepared.result.missing = kMissing;
  const Cape cape(rule, prepared.result);
  prepared.compute = [cape](const std::vector<Part>& inputs, const ResultPart& result) {
    cape.compute(inputs, result);
  };
  return prepared;
}

}  // namespace

Operator cape() {
  return {
      "cape",
      "The convective available potential energy of a parcel that rises through its column without mixing, "
      "in J kg-1, or what holds it back: buoyancy by virtual temperatures, what condenses falls out.",
      {{"field", ParameterKind::name, true, "", {}, "the temperature", "K"},
       {"dimension", ParameterKind::text, true, "", {}, "the dimension along which the parcel rises"},
       {"pressure", ParameterKind::name, true, "", {}, "the pressure, which falls along it or rises", "Pa"},
       {"humidity", ParameterKind::name, true, "", {}, "the specific humidity", "kg kg-1"},
       {"parcel",
        ParameterKind::word,
        false,
        "lowest",
        {"lowest", "most_unstable"},
        "that of the lowest level, or of the lowest 300 hPa the one with the highest equivalent potential "
        "temperature"},
       {"value",
        ParameterKind::word,
        false,
        "available",
        {"available", "inhibition"},
        "the positive area above where the parcel is free, or the negative one below it, which is not "
        "positive, and 0 where it never is"}},
      prepare_cape,
      true,
      "dimension"};
}

}  // namespace pileus::operators
