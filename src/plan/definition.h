#pragma once
// What a value is, as a text: how it is made from the model's fields. A checkpoint holds it, so that nothing
// continues with samples of something else that has kept its name.

#include <string>
#include <vector>

#include "plan/plan.h"

namespace pileus {

/// By value; equal for values that are made alike of fields of the same names and shapes, whatever the ids,
/// and of the same length however many rules there are. What an operator does is not in it, only its name and
/// its parameters.
std::vector<std::string> value_definitions(const Plan& plan);

}  // namespace pileus
