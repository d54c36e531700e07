#pragma once

// Magnitudes of exact numbers: rows of 32-bit limbs, lowest first, and what is done with them as plain
// integers. Used inside this room only, by ExactSum (rounding) and ExactNumber.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace pileus::detail {

using Limb = std::uint32_t;
inline constexpr int kLimbBits = 32;

/// A row of limbs that allocates only beyond 512 bits.
class Limbs {
 public:
  static constexpr std::size_t kInline = 16;

  Limbs() = default;
  /// `size` zeros.
  explicit Limbs(std::size_t size) : size_(size) {
    if (size > kInline) heap_.resize(size);
  }
  explicit Limbs(std::span<const Limb> limbs);
  Limbs(const Limbs&) = default;
  Limbs& operator=(const Limbs&) = default;
  Limbs(Limbs&& other) noexcept
      : inline_(other.inline_), heap_(std::move(other.heap_)), size_(std::exchange(other.size_, 0)) {
    other.heap_.clear();
  }
  Limbs& operator=(Limbs&& other) noexcept {
    inline_ = other.inline_;
    heap_ = std::move(other.heap_);
    other.heap_.clear();
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::size_t allocated_bytes() const { return heap_.capacity() * sizeof(Limb); }
  Limb& operator[](std::size_t i) { return data()[i]; }
  Limb operator[](std::size_t i) const { return data()[i]; }
  std::span<const Limb> span() const { return {data(), size_}; }
  friend bool operator==(const Limbs& a, const Limbs& b);

  /// Removes the zeros at the high end.
  void trim_high();
  /// Removes the zeros at the low end and returns how many there were.
  std::size_t trim_low();

 private:
  Limb* data() { return heap_.empty() ? inline_.data() : heap_.data(); }
  const Limb* data() const { return heap_.empty() ? inline_.data() : heap_.data(); }

  std::array<Limb, kInline> inline_{};
  std::vector<Limb> heap_;  // empty while the limbs fit inline_
  std::size_t size_ = 0;
};

Limbs multiply(std::span<const Limb> a, std::span<const Limb> b);

struct Quotient {
  Limbs limbs;
  bool is_exact;  // the remainder is zero
};
/// floor(a / b).
/// REQUIRES: the highest limb of b is not zero.
/// Source: Knuth, The Art of Computer Programming, volume 2, 4.3.1, algorithm D.
Quotient divide(std::span<const Limb> a, std::span<const Limb> b);

/// The double nearest to ±(magnitude + a little) · 2^exponent, ties to even, subnormals and overflow
/// included. "A little" is in (0, 1) when `has_more`, else 0. It uses integers only, so no mode of the
/// processor changes it. REQUIRES: the highest limb is not zero; `has_more` only with more than 54 bits.
double round_limbs(bool negative, std::span<const Limb> magnitude, std::int64_t exponent, bool has_more);

}  // namespace pileus::detail
