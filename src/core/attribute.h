#pragma once
// The value of an attribute of a file or a variable. Plan and output share it.

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/element_type.h"

namespace pileus {

/// One or several numbers of the type that stands in the file.
struct AttributeNumbers {
  ElementType type = ElementType::float64;
  std::vector<double> reals;           ///< of float64 and float32
  std::vector<std::int64_t> integers;  ///< of int32, int64 and boolean
  friend bool operator==(const AttributeNumbers&, const AttributeNumbers&) = default;
};

/// A bare whole number has the smaller of 32 and 64 bits that holds it.
using AttributeValue = std::variant<std::string, double, std::int64_t, AttributeNumbers>;

}  // namespace pileus
