#include "spectra/transform.h"

#include <algorithm>
#include <array>
#include <bit>

#include "loops/sum_kernel.h"

namespace pileus::spectra {
namespace portable {
extern constinit const TransformSet kTransformSet;
}
#ifdef PILEUS_X86_KERNELS
namespace avx2 {
extern constinit const TransformSet kTransformSet;
}
#endif

namespace {

/// The library takes so many steps for each element. With larger factors a convolution is faster.
constexpr std::size_t kLargestFactor = 50;

bool has_small_factors(std::size_t size) {
  for (std::size_t factor = 2; factor <= kLargestFactor; ++factor)
    while (size % factor == 0) size /= factor;
  return size == 1;
}

}  // namespace

std::span<const TransformSet* const> transform_sets() {
  static constexpr const TransformSet* kSets[] = {
      &portable::kTransformSet,
#ifdef PILEUS_X86_KERNELS
      &avx2::kTransformSet,
#endif
  };
  // Sums have sets in the same order, and one more.
  return std::span(kSets).first(std::min(std::size(kSets), detail::sum_kernel_number() + 1));
}

Transform::Transform(std::size_t size) : Transform(size, *transform_sets().back()) {}

Transform::Transform(std::size_t size, const TransformSet& set) : size_(size) {
  const bool is_simple = has_small_factors(size);
  if (is_simple) whole_.emplace(size, set);
  if (is_simple && size % 2 == 0) half_.emplace(size / 2, set);
  if (!is_simple) chirp_.emplace(size, set);
}

std::size_t Transform::bytes(std::size_t size) {
  const bool is_real_at_once = has_small_factors(size) && size % 2 == 0;
  const std::size_t lines = is_real_at_once ? 0 : 2 * size;
  if (has_small_factors(size)) return (size + (is_real_at_once ? size / 2 : 0) + lines) * sizeof(Modes);
  const std::size_t padded = std::bit_ceil(2 * size - 1);
  return (3 * padded + lines) * sizeof(Modes) + (size + padded) * sizeof(std::complex<double>);
}

void Transform::of_real(std::span<const Lanes> lines, std::span<Modes> modes) {
  if (half_) {
    half_->of_real(lines, modes);
    modes[size_ / 2] = {modes[0].imaginary, 0};
    modes[0].imaginary = 0;
    return;
  }
  line_.clear();
  for (const Lanes& one : lines) line_.push_back({one, 0});
  modes_.resize(size_);
  of_complex(line_, modes_);
  std::copy_n(modes_.begin(), modes.size(), modes.begin());
}

void Transform::of_complex(std::span<const Modes> lines, std::span<Modes> modes) {
  if (chirp_) return chirp_->transform(lines, modes);
  whole_->of_complex(lines, modes);
}

}  // namespace pileus::spectra
