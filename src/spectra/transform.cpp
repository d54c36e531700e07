#include "spectra/transform.h"

#include <algorithm>

namespace pileus::spectra {

Transform::Transform(std::size_t size)
    : size_(size), whole_(size, false), half_(size % 2 == 0 ? size / 2 : 1, false) {}

void Transform::of_real(std::span<const Lanes> lines, std::span<Modes> modes) {
  if (size_ % 2 == 0) {
    half_.transform_real(lines.data(), modes.data());
    modes[size_ / 2] = modes[0].imag();  // both are real, and come in one number
    modes[0] = modes[0].real();
    return;
  }
  line_.assign(lines.begin(), lines.end());
  modes_.resize(size_);
  whole_.transform(line_.data(), modes_.data());
  std::copy_n(modes_.begin(), modes.size(), modes.begin());
}

void Transform::of_complex(std::span<const Modes> lines, std::span<Modes> modes) {
  whole_.transform(lines.data(), modes.data());
}

}  // namespace pileus::spectra
