// instantaneous: the sample of an output time.

#include "time/manipulations/last_sample.h"
#include "time/manipulations/list.h"

namespace pileus::manipulations {

const ManipulationDeclaration& instantaneous() {
  static const ManipulationDeclaration declaration = {
      .name = "instantaneous",
      .help = "The first sample at or after each output time, once a step.",
      .cell_method = "point",
      .record_of = RecordOf::output_time,
      .keeps_type = true,
      .make_window = make_last_sample,
      .origin = UnitOrigin::kept,
  };
  return declaration;
}

}  // namespace pileus::manipulations
