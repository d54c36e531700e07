#pragma once
// How a file lies on the disk, and why, in words.

#include <string>

#include "plan/plan.h"

namespace pileus::explain {

/// A line that ends.
std::string on_disk_text(const Plan& plan, const PlannedFile& file);

}  // namespace pileus::explain
