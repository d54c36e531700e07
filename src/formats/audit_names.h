#pragma once
// Names that readers find beside a variable whose rounding is audited.

#include <array>
#include <string>

namespace pileus {

/// The largest error, the root of the mean of squares, and the loss of variance.
inline std::array<std::string, 3> audit_names(const std::string& variable) {
  return {variable + "_largest_error", variable + "_rms_error", variable + "_variance_loss"};
}

}  // namespace pileus
