#pragma once
// Spectra of planes of one value by rings of wavenumbers, or co-spectra with those of another value.

#include <span>
#include <vector>

#include "spectra/axes.h"

namespace pileus::spectra {

class PlaneSpectra {
 public:
  /// `axes`: two, the faster first.
  PlaneSpectra(std::vector<Axis> axes, Detrend detrend, std::vector<Source> sources);

  /// Planes of which an element is missing have a spectrum that is missing. A ring is the exact sum of its
  /// modes, rounded once.
  void compute(const std::vector<operators::Part>& inputs, const operators::ResultPart& result) const;

  /// What compute() takes while it runs, and what is kept for it.
  std::size_t working_bytes() const;

 private:
  struct Work;

  bool load(const Source& source, const operators::Part& part, Index from, Work& work) const;
  void detrend_plane(Work& work) const;
  void transform_rows(std::size_t number, Work& work) const;
  void add_columns(Work& work) const;
  void write(Work& work, bool is_there, double* to, Index stride) const;

  Axis fast_, slow_;
  Detrend detrend_;
  std::vector<Source> sources_;
  std::vector<Index> ring_begin_;  ///< by ring: where its modes begin among all, sorted by ring
  std::vector<Index> place_;       ///< by mode: where it stands among these
  double factor_ = 0;              ///< from |F|² to density
};

}  // namespace pileus::spectra
