#include "spectra/transform.h"

#include <algorithm>
#include <array>

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

Transform::Transform(std::size_t size, const TransformSet& set)
    : set_(set),
      size_(size),
      whole_(set.make(size), set.free),
      half_(set.make(size % 2 == 0 ? size / 2 : 1), set.free) {}

void Transform::of_real(std::span<const Lanes> lines, std::span<Modes> modes) {
  if (size_ % 2 == 0) {
    set_.of_real(half_.get(), lines.front().of, modes.front().real.of);
    modes[size_ / 2] = {modes[0].imaginary, 0};  // both are real, and come in one number
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
  set_.of_complex(whole_.get(), lines.front().real.of, modes.front().real.of);
}

}  // namespace pileus::spectra
