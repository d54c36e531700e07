// none: all samples are records.

#include "time/manipulations/last_sample.h"
#include "time/manipulations/list.h"

namespace pileus::manipulations {

const ManipulationDeclaration& none() {
  static const ManipulationDeclaration declaration = {
      .name = "none",
      .help = "Every sample.",
      .cell_method = "point",
      .record_of = RecordOf::each_sample,
      .keeps_type = true,
      .make_window = make_last_sample,
      .origin = UnitOrigin::kept,
      .monc_suffix = "",
  };
  return declaration;
}

}  // namespace pileus::manipulations
