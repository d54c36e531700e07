// time_of_minimum: when in the window the smallest sample is reached first.

#include "time/manipulations/list.h"
#include "time/manipulations/time_of_extreme.h"

namespace pileus::manipulations {

const ManipulationDeclaration& time_of_minimum() {
  static const ManipulationDeclaration declaration = {
      .name = "time_of_minimum",
      .help =
          "When in each output period the smallest sample is reached first; units are those of the time "
          "axis.",
      .record_of = RecordOf::output_period,
      .keeps_type = false,
      .holds = RecordHolds::time,
      .make_window = make_time_of_extreme<false>,
  };
  return declaration;
}

}  // namespace pileus::manipulations
