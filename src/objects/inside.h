#pragma once
// Which elements of a condition are inside objects.

#include <cmath>
#include <optional>

#include "core/element_type.h"
#include "core/missing.h"
#include "pileus/operator.hpp"

namespace pileus::objects {

/// An element is inside where its value is neither 0 nor missing.
class Inside {
 public:
  explicit Inside(const operators::Quantity& value) : missing_(value.missing) {
    if (missing_ && value.type == operators::Type::float32)
      missing_ = as_stored(*missing_, ElementType::float32);
  }
  bool has(double value) const { return value != 0 && is_there(value); }
  const std::optional<double>& missing() const { return missing_; }
  bool is_there(double value) const { return !std::isnan(value) && !(missing_ && value == *missing_); }

 private:
  std::optional<double> missing_;
};

}  // namespace pileus::objects
