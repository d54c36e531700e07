#pragma once
// What autocorrelations and structure functions have in common: how far the elements of a pair are apart.

#include <string>
#include <vector>

#include "spectra/axes.h"

namespace pileus::spectra {

struct Lags {
  Axis axis;
  Index last = 0;            ///< of them, from 0 on
  bool is_periodic = false;  ///< lines go on at their other end
  std::vector<Source> sources;
};

/// Those of a rule with the parameters of lag_parameters. Errors: ParameterError.
Lags lags_of(const operators::Rule& rule);
std::vector<operators::Parameter> lag_parameters();

/// The field with lags in the place of the axis.
operators::Quantity result_by_lag(const operators::Rule& rule, const Lags& lags);

}  // namespace pileus::spectra
