#pragma once
// Checks whether a value has the form that the schema asks for, and explains what is wrong.

#include <cstddef>
#include <string>
#include <string_view>

#include "config/schema/schema.h"

namespace pileus {

/// Names in a list.
inline constexpr std::size_t kMostListed = 1000;

/// What is wrong with the value and what was expected, or "".
std::string value_problem(std::string_view value, const AttributeSchema& schema);

/// The same of a time, in seconds or months.
std::string duration_problem(std::string_view value);

}  // namespace pileus
