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
  std::vector<double> reals;           ///< for the types float64 and float32
  std::vector<std::int64_t> integers;  ///< for the types int32, int64 and boolean
  friend bool operator==(const AttributeNumbers&, const AttributeNumbers&) = default;
};

/// A whole number without a type is stored in 32 bits if it fits, otherwise in 64 bits.
using AttributeValue = std::variant<std::string, double, std::int64_t, AttributeNumbers>;

}  // namespace pileus
