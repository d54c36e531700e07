#pragma once
// What the windows do about elements that stand for no value (core/missing.h).

#include <optional>

#include "math/sample.h"

namespace pileus {

/// With the fill value of netCDF where `given`, the model's own, stands.
Array with_fill(const Array& array, double given);
/// Writes that fill value of the type.
void put_fill(ElementType type, std::byte* element);
/// What stands for no value among the numbers of the sample.
std::optional<double> missing_in(const Sample& sample, std::optional<double> missing);
/// A mean, minimum or maximum without a value.
bool is_of_nothing(const Partial& partial);

}  // namespace pileus
