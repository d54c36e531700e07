#include "spectra/lines.h"

#include <algorithm>

namespace pileus::spectra {
namespace {

template <class T>
bool copied(const T* from, Index stride, Index size, std::optional<double> missing, double* to,
            Index to_stride) {
  for (Index i = 0; i < size; ++i) to[i * to_stride] = static_cast<double>(from[i * stride]);
  bool is_missing = false;
  for (Index i = 0; i < size && missing; ++i) is_missing = is_missing || to[i * to_stride] == *missing;
  return !is_missing;
}

}  // namespace

std::vector<Index> offsets_without(const operators::Region& region, std::span<const std::size_t> axes) {
  std::vector<Index> offsets = {0};
  for (std::size_t d = 0; d < region.count.size(); ++d) {
    if (std::ranges::find(axes, d) != axes.end()) continue;
    const std::vector<Index> before = std::move(offsets);
    offsets.clear();
    for (Index i = 0; i < region.count[d]; ++i)
      for (const Index one : before) offsets.push_back(one + i * stride_of(region, d));
  }
  return offsets;
}

Index stride_of(const operators::Region& region, std::size_t axis) {
  Index stride = 1;
  for (std::size_t d = 0; d < axis; ++d) stride *= region.count[d];
  return stride;
}

bool Elements::copy(Index offset, Index stride, Index size, double* to, Index to_stride) const {
  const auto take = [&]<class T>(const T*) {
    return copied(static_cast<const T*>(part_.first) + offset, stride, size, missing_, to, to_stride);
  };
  using operators::Type;
  switch (part_.type) {
    case Type::float64: return take(static_cast<const double*>(nullptr));
    case Type::float32: return take(static_cast<const float*>(nullptr));
    case Type::int32: return take(static_cast<const std::int32_t*>(nullptr));
    case Type::int64: return take(static_cast<const std::int64_t*>(nullptr));
    case Type::boolean: return take(static_cast<const std::uint8_t*>(nullptr));
  }
  return false;
}

void detrend(Detrend how, std::span<Lanes> lines) {
  if (how == Detrend::none) return;
  const auto size = static_cast<double>(lines.size());
  Lanes sum = 0;
  for (const Lanes& one : lines) sum += one;
  const Lanes mean = sum * (1 / size);
  for (Lanes& one : lines) one -= mean;
  if (how == Detrend::mean || lines.size() < 2) return;
  // About the middle the places add up to 0, so that mean and slope do not depend on each other.
  const double middle = (size - 1) / 2;
  Lanes rise = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) rise += lines[i] * (static_cast<double>(i) - middle);
  const Lanes slope = rise * (12 / (size * (size * size - 1)));
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i] -= slope * (static_cast<double>(i) - middle);
}

}  // namespace pileus::spectra
