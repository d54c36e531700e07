#pragma once
// The time axes that get no record of a step, as servers have no memory for it. Server 0 decides it before
// anything is made of the step, and the clock brings it, so that all servers agree.

#include <vector>

#include "core/ids.h"

namespace pileus {

using DroppedAxes = std::vector<ScheduleId>;

}  // namespace pileus
