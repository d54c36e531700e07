#pragma once
// Which of many numbers have some ranks, and the quantiles between them.

#include <cstdint>
#include <span>
#include <vector>

namespace pileus::distributions {

/// Where a quantile of n values lies among them, sorted: at `below` + `beyond` of the way to the next one. It
/// is the seventh definition of Hyndman and Fan (1996), and what numpy.quantile does if nothing else is said.
struct Place {
  std::int64_t below = 0;
  double beyond = 0;
  Place(std::int64_t n, double quantile);
};

/// On the line from a to b, as numpy.quantile rounds it. Where both are equal, or `beyond` is 0, it is `a`,
/// also where that is infinite; between infinite numbers that differ it is NaN.
double on_line(double a, double b, double beyond);

/// Some quantiles of numbers, which it puts into another order. 0 is never -0, as that may stand before or
/// behind it.
/// REQUIRES: there are numbers, and none is NaN; quantiles rise, from 0 to 1; `to` is as long.
void find_quantiles(std::span<double> values, std::span<const double> quantiles, std::span<double> to);

/// One quantile of few numbers, likewise.
double find_quantile(std::span<double> values, double quantile);

/// What is there most often, of several the smallest. Puts the numbers into another order.
/// REQUIRES: there are numbers, and none is NaN.
double most_frequent(std::span<double> values);

}  // namespace pileus::distributions
