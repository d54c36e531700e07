#pragma once
// What follows from the figures of a run, for who chooses the number of servers and their memory. Each rule
// is a function in advice.cpp; none of them looks at anything but figures that the report has.

#include <string>
#include <vector>

#include "report/report.h"

namespace pileus {

/// A sentence for each rule that has something to say; none for runs of less than a second, which show
/// nothing.
std::vector<std::string> advice(const RunReport& report);

}  // namespace pileus
