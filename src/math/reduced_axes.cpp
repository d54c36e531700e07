#include "math/reduced_axes.h"

namespace pileus {

std::vector<ReducedAxis> merged(std::span<const ReducedAxis> axes) {
  std::vector<ReducedAxis> result;
  for (const ReducedAxis& axis : axes) {
    if (axis.extent == 1) continue;
    const bool goes_on = !result.empty() && result.back().is_reduced() == axis.is_reduced() &&
                         result.back().extent * result.back().stride == axis.stride &&
                         result.back().extent * result.back().result_stride == axis.result_stride;
    if (goes_on) {
      result.back().extent *= axis.extent;
    } else {
      result.push_back(axis);
    }
  }
  return result;
}

}  // namespace pileus
