// time_spectrum: what the operators time_spectrum and time_cospectrum (src/spectra) make of segments of
// samples, as a mean over the segments of the window.

#include "time/manipulations/list.h"

namespace pileus {

const ManipulationDeclaration& manipulations::time_spectrum() {
  static const ManipulationDeclaration declaration = {
      .name = "time_spectrum",
      .help =
          "Power spectral density in time of each element, or with=\"v\" the co-spectral density: the mean "
          "over segments of samples=\"N\" in each output period. Its sum, times the step of frequencies, is "
          "the "
          "variance of segments, in the mean.",
      .record_of = RecordOf::output_period,
      .keeps_type = false,
      .holds = RecordHolds::change,
      .make_window = nullptr,  // that is SegmentsWindow, which has to know the variable
      .note =
          "mean over segments of samples that come at even times; where none comes, or one has no value, "
          "there is no segment",
      .is_of_segments = true,
  };
  return declaration;
}

}  // namespace pileus
