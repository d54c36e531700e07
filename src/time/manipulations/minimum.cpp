// minimum: of the samples that stand for some of the window.

#include "time/manipulations/chosen_sample.h"
#include "time/manipulations/list.h"

namespace pileus::manipulations {

const ManipulationDeclaration& minimum() {
  static const ManipulationDeclaration declaration = {
      .name = "minimum",
      .help = "Smallest of the samples that stand for some of the output period.",
      .cell_method = "minimum",
      .record_of = RecordOf::output_period,
      .keeps_type = true,
      .make_window = make_minimum,
      .origin = UnitOrigin::kept,
      .is_of_parts = true,
  };
  return declaration;
}

}  // namespace pileus::manipulations
