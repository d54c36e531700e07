#include "blocks/box_loads.h"

#include <algorithm>
#include <cstdint>

namespace pileus {
namespace {

template <class T>
double* load(const T* values, std::span<const Index> counts, std::span<const Index> strides, double* out) {
  if (counts.empty()) {
    *out = static_cast<double>(*values);
    return out + 1;
  }
  const std::size_t last = counts.size() - 1;
  const Index count = counts[last], stride = strides[last];
  if (last > 0) {
    for (Index i = 0; i < count; ++i) {
      out = load(values + i * stride, counts.first(last), strides.first(last), out);
    }
    return out;
  }
  if (stride == 1) {
    std::transform(values, values + count, out, [](T value) { return static_cast<double>(value); });
  } else if (stride == 0) {
    std::fill(out, out + count, static_cast<double>(*values));
  } else {
    for (Index i = 0; i < count; ++i) out[i] = static_cast<double>(values[i * stride]);
  }
  return out + count;
}

}  // namespace

void load_box(const Array& array, Index first, std::span<const Index> counts, std::span<const Index> strides,
              double* out) {
  const auto from = [&](const auto* values) { load(values + first, counts, strides, out); };
  switch (array.type) {
    case ElementType::float64: return from(reinterpret_cast<const double*>(array.bytes.get()));
    case ElementType::float32: return from(reinterpret_cast<const float*>(array.bytes.get()));
    case ElementType::int32: return from(reinterpret_cast<const std::int32_t*>(array.bytes.get()));
    case ElementType::int64: return from(reinterpret_cast<const std::int64_t*>(array.bytes.get()));
    case ElementType::boolean: return from(reinterpret_cast<const std::int8_t*>(array.bytes.get()));
    case ElementType::character: return;  // the Plan has no arithmetic on texts
  }
}

bool lies_densely(std::span<const Index> counts, std::span<const Index> strides) {
  Index dense = 1;
  for (std::size_t d = 0; d < counts.size(); ++d) {
    if (counts[d] != 1 && strides[d] != dense) return false;
    dense *= counts[d];
  }
  return true;
}

}  // namespace pileus
