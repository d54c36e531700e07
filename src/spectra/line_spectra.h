#pragma once
// Spectra of all lines of one value along one of its dimensions, or co-spectra with those of another value.

#include <vector>

#include "spectra/axes.h"

namespace pileus::spectra {

class LineSpectra {
 public:
  LineSpectra(Axis axis, Detrend detrend, std::vector<Source> sources);

  /// Lines of which an element is missing have a spectrum that is missing.
  void compute(const std::vector<operators::Part>& inputs, const operators::ResultPart& result) const;

 private:
  Axis axis_;
  Detrend detrend_;
  std::vector<Source> sources_;
  std::vector<double> factors_;  ///< by mode: from |F|² to density
};

}  // namespace pileus::spectra
