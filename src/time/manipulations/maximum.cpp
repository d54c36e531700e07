// maximum: of the samples that stand for some of the window.

#include "time/manipulations/chosen_sample.h"
#include "time/manipulations/list.h"

namespace pileus::manipulations {

const ManipulationDeclaration& maximum() {
  static const ManipulationDeclaration declaration = {
      .name = "maximum",
      .help = "Largest of the samples that stand for some of the output period.",
      .cell_method = "maximum",
      .record_of = RecordOf::output_period,
      .keeps_type = true,
      .make_window = make_maximum,
      .origin = UnitOrigin::kept,
      .is_of_parts = true,
  };
  return declaration;
}

}  // namespace pileus::manipulations
