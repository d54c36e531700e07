#pragma once
// The dimensions along which a spectrum is taken: their wavenumbers, and how a line is prepared.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pileus/operator.hpp"

namespace pileus::spectra {

using operators::Index;

enum class Window { none, hann };
enum class Detrend { none, mean, linear };

/// One dimension of the field, whose elements are evenly spaced.
struct Axis {
  std::size_t at = 0;  ///< its position in the field
  std::string name;
  Index size = 0;               ///< kUnknownSize: nobody knows yet
  double spacing = 1;           ///< of its coordinates
  std::vector<double> weights;  ///< of the window, by element
  bool has_window = false;      ///< not all weights are 1
  std::string units;            ///< of wavenumbers

  Index modes() const { return size / 2 + 1; }
  /// From one wavenumber to the next, in cycles.
  double step() const { return 1 / (static_cast<double>(size) * spacing); }
  /// In how many of the whole transform's modes a mode of a real line is found.
  double count(Index mode) const { return mode == 0 || 2 * mode == size ? 1 : 2; }
};

/// What a spectrum is taken of: one value, or two for a co-spectrum.
struct Source {
  std::size_t input = 0;          ///< its number among the inputs of the rule
  std::vector<std::size_t> axes;  ///< positions of the axes in it
  std::optional<double> missing;  ///< as an element of it is stored
};

Source source_of(const operators::Rule& rule, const std::string& parameter, const std::vector<Axis>& axes);

/// Which part of the result a model rank makes, where the field has no dimensions but the axes: all of it or
/// nothing. Empty elsewhere.
std::function<operators::Region(const std::vector<operators::Region>&)> region_of_one(
    const operators::Quantity& field, const operators::Quantity& result, std::size_t axes);

/// From |F|² of a mode to density, where wavenumbers are as far apart as `width`.
double density_factor(const std::vector<Axis>& axes, double width);

/// The axes that a rule names, in the order of the field: the fastest first. Errors: ParameterError.
std::vector<Axis> axes_of(const operators::Rule& rule, const operators::Quantity& field, Window window);

Window window_of(const operators::Rule& rule);
/// Hann's window is one period of a cosine, which the next element would begin again.
std::vector<double> weights_of(Window window, Index size);
Detrend detrend_of(const operators::Rule& rule);

/// The dimension of wavenumbers, of one axis or of rings around 0 for two.
operators::Dimension wavenumbers_of(const std::vector<Axis>& axes);

/// Rings are as wide as the wider of the two steps, and centred at its multiples.
struct Rings {
  double width = 1;
  Index count = 0;
  std::vector<Index>
      of_mode;  ///< by mode: those of the first axis from 0 to its half, for each of the second
};
Rings rings_of(const Axis& fast, const Axis& slow);

}  // namespace pileus::spectra
