// first: of the samples that stand for some of the window.

#include "time/manipulations/chosen_sample.h"
#include "time/manipulations/list.h"

namespace pileus::manipulations {

const ManipulationDeclaration& first() {
  static const ManipulationDeclaration declaration = {
      .name = "first",
      .help = "First of the samples that stand for some of the output period.",
      .record_of = RecordOf::output_period,
      .keeps_type = true,
      .make_window = make_first,
      .origin = UnitOrigin::kept,
  };
  return declaration;
}

}  // namespace pileus::manipulations
