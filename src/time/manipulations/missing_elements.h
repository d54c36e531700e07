#pragma once
// The windows treat elements that stand for no value (core/missing.h) with these.

#include <optional>

#include "math/sample.h"

namespace pileus {

/// The array with the fill value of netCDF where `given`, the model's own, stands.
Array with_fill(const Array& array, double given);
/// Writes that fill value of the type.
void put_fill(ElementType type, std::byte* element);
/// The number that stands for no value among those of the sample.
std::optional<double> missing_in(const Sample& sample, std::optional<double> missing);
/// A mean, minimum or maximum without a value.
bool is_of_nothing(const Partial& partial);

}  // namespace pileus
