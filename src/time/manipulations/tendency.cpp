// tendency: the difference, as manipulations/difference.cpp has it, divided by the seconds of the window.

#include <string>

#include "time/manipulations/change.h"
#include "time/manipulations/list.h"

namespace pileus {
namespace {

std::string units_of_tendency(const std::string& units) { return units == "1" ? "s-1" : units + " s-1"; }

}  // namespace

const ManipulationDeclaration& manipulations::tendency() {
  static const ManipulationDeclaration declaration = {
      .name = "tendency",
      .help =
          "The difference over each output period divided by the seconds of the period; units gain "
          "\" s-1\".",
      .record_of = RecordOf::output_period,
      .keeps_type = false,
      .holds = RecordHolds::change,
      .units = units_of_tendency,
      .make_window = make_change<Tendency>,
      .origin = UnitOrigin::dropped,
  };
  return declaration;
}

}  // namespace pileus
