#pragma once
// The part of a static variable that a stream has, for the files that hold it once.

#include "math/sample.h"
#include "time/record.h"

namespace pileus {

/// The record of Plan::statics[index], whose place in `variable` the index takes; it has no mark.
Record static_record(const Plan& plan, std::size_t index, const Region& region, const Sample& sample);

}  // namespace pileus
