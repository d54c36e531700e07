#include "spectra/chirp.h"

#include <bit>

#include "functions/elementary.h"

namespace pileus::spectra {
namespace {

Modes times(const Modes& a, const std::complex<double>& b) {
  return {a.real * b.real() - a.imaginary * b.imag(), a.real * b.imag() + a.imaginary * b.real()};
}

Modes conjugate(const Modes& a) { return {a.real, a.imaginary * -1.0}; }

}  // namespace

ChirpTransform::ChirpTransform(std::size_t size, const TransformSet& set)
    : size_(size),
      padded_size_(std::bit_ceil(2 * size - 1)),
      padded_(padded_size_, set),
      padded_lines_(padded_size_),
      products_(padded_size_) {
  const double angle = 0x1.921fb54442d18p+1 / static_cast<double>(size);
  for (std::size_t j = 0; j < size; ++j) {
    const double radians = angle * static_cast<double>(j * j % (2 * size));
    chirp_.emplace_back(cosine(radians), -sine(radians));
  }
  std::vector<Modes> kernel(padded_size_);
  for (std::size_t j = 0; j < size; ++j) {
    kernel[j] = {chirp_[j].real(), -chirp_[j].imag()};
    kernel[(padded_size_ - j) % padded_size_] = kernel[j];
  }
  padded_.of_complex(kernel, products_);
  for (const Modes& one : products_) {
    kernel_.emplace_back(one.real.of[0] / static_cast<double>(padded_size_),
                         one.imaginary.of[0] / static_cast<double>(padded_size_));
  }
}

void ChirpTransform::transform(std::span<const Modes> lines, std::span<Modes> modes) {
  for (std::size_t j = 0; j < padded_size_; ++j)
    padded_lines_[j] = j < size_ ? times(lines[j], chirp_[j]) : Modes{};
  padded_.of_complex(padded_lines_, products_);
  // The transform back is that of the conjugate.
  for (std::size_t j = 0; j < padded_size_; ++j)
    padded_lines_[j] = conjugate(times(products_[j], kernel_[j]));
  padded_.of_complex(padded_lines_, products_);
  for (std::size_t j = 0; j < size_; ++j) modes[j] = times(conjugate(products_[j]), chirp_[j]);
}

}  // namespace pileus::spectra
