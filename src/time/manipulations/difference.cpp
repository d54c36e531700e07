// difference: the value at the end of the window minus that at the end of the window before. The first window
// begins with its first sample.

#include "time/manipulations/change.h"
#include "time/manipulations/list.h"

namespace pileus::manipulations {

const ManipulationDeclaration& difference() {
  static const ManipulationDeclaration declaration = {
      .name = "difference",
      .help =
          "Value at the end of each output period minus that at the end of the one before; the first period "
          "begins with its first sample.",
      .record_of = RecordOf::output_period,
      .keeps_type = false,
      .holds = RecordHolds::change,
      .make_window = make_change<Difference>,
      .origin = UnitOrigin::dropped,
  };
  return declaration;
}

}  // namespace pileus::manipulations
