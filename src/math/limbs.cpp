#include "math/limbs.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace pileus::detail {
namespace {

Limb limb_or_zero(std::span<const Limb> limbs, std::size_t i) { return i < limbs.size() ? limbs[i] : 0; }

/// 64 bits from bit `position` upwards.
std::uint64_t bits_from(std::span<const Limb> limbs, std::size_t position) {
  const std::size_t i = position / kLimbBits;
  const std::size_t shift = position % kLimbBits;
  const std::uint64_t low = limb_or_zero(limbs, i) | static_cast<std::uint64_t>(limb_or_zero(limbs, i + 1))
                                                         << kLimbBits;
  if (shift == 0) return low;
  return low >> shift | static_cast<std::uint64_t>(limb_or_zero(limbs, i + 2)) << (64 - shift);
}

bool has_bit_below(std::span<const Limb> limbs, std::size_t position) {
  const std::size_t i = std::min(position / kLimbBits, limbs.size());
  const auto is_set = [](Limb limb) { return limb != 0; };
  if (std::any_of(limbs.begin(), limbs.begin() + static_cast<std::ptrdiff_t>(i), is_set)) return true;
  return (limb_or_zero(limbs, position / kLimbBits) & ((Limb{1} << position % kLimbBits) - 1)) != 0;
}

Limbs shifted_left(std::span<const Limb> limbs, int shift, std::size_t size) {
  Limbs result(size);
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint64_t below = i > 0 ? limb_or_zero(limbs, i - 1) : 0;
    const std::uint64_t both = static_cast<std::uint64_t>(limb_or_zero(limbs, i)) << kLimbBits | below;
    result[i] = static_cast<Limb>(both >> (kLimbBits - shift));
  }
  return result;
}

Quotient divide_by_limb(std::span<const Limb> a, Limb b) {
  Limbs quotient(a.size());
  std::uint64_t remainder = 0;
  for (std::size_t i = a.size(); i-- > 0;) {
    remainder = remainder << kLimbBits | a[i];
    quotient[i] = static_cast<Limb>(remainder / b);
    remainder %= b;
  }
  quotient.trim_high();
  return {std::move(quotient), remainder == 0};
}

/// The next limb of the quotient from the highest limbs: right, or one too large (Knuth's step D3).
std::uint64_t guess_limb(const Limbs& u, std::size_t top, const Limbs& v) {
  const std::size_t n = v.size();
  const std::uint64_t high = static_cast<std::uint64_t>(u[top]) << kLimbBits | u[top - 1];
  std::uint64_t guess = high / v[n - 1];
  std::uint64_t rest = high % v[n - 1];
  while (guess >> kLimbBits != 0 || guess * v[n - 2] > (rest << kLimbBits | u[top - 2])) {
    --guess;
    rest += v[n - 1];
    if (rest >> kLimbBits != 0) break;
  }
  return guess;
}

/// u[from, from + v.size()] -= guess · v; true if that went below zero (step D4).
bool subtract_product(Limbs& u, std::size_t from, const Limbs& v, std::uint64_t guess) {
  std::uint64_t carry = 0;
  std::int64_t borrow = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    carry += guess * v[i];
    const std::int64_t difference =
        static_cast<std::int64_t>(u[from + i]) - static_cast<Limb>(carry) + borrow;
    u[from + i] = static_cast<Limb>(difference);
    carry >>= kLimbBits;
    borrow = difference >> kLimbBits;
  }
  const std::int64_t last =
      static_cast<std::int64_t>(u[from + v.size()]) - static_cast<std::int64_t>(carry) + borrow;
  u[from + v.size()] = static_cast<Limb>(last);
  return last < 0;
}

/// Undoes one subtraction too many (step D6).
void add_back(Limbs& u, std::size_t from, const Limbs& v) {
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    carry += static_cast<std::uint64_t>(u[from + i]) + v[i];
    u[from + i] = static_cast<Limb>(carry);
    carry >>= kLimbBits;
  }
  u[from + v.size()] += static_cast<Limb>(carry);
}

}  // namespace

Limbs::Limbs(std::span<const Limb> limbs) : Limbs(limbs.size()) {
  std::copy(limbs.begin(), limbs.end(), data());
}

bool operator==(const Limbs& a, const Limbs& b) {
  return std::equal(a.span().begin(), a.span().end(), b.span().begin(), b.span().end());
}

void Limbs::trim_high() {
  while (size_ > 0 && data()[size_ - 1] == 0) --size_;
}

std::size_t Limbs::trim_low() {
  std::size_t zeros = 0;
  while (zeros < size_ && data()[zeros] == 0) ++zeros;
  if (zeros > 0) std::copy(data() + zeros, data() + size_, data());
  size_ -= zeros;
  return zeros;
}

Limbs multiply(std::span<const Limb> a, std::span<const Limb> b) {
  Limbs product(a.size() + b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::uint64_t carry = 0;
    for (std::size_t j = 0; j < b.size(); ++j) {
      carry += static_cast<std::uint64_t>(a[i]) * b[j] + product[i + j];
      product[i + j] = static_cast<Limb>(carry);
      carry >>= kLimbBits;
    }
    product[i + b.size()] = static_cast<Limb>(carry);
  }
  product.trim_high();
  return product;
}

Quotient divide(std::span<const Limb> a, std::span<const Limb> b) {
  if (b.size() == 1) return divide_by_limb(a, b[0]);
  if (a.size() < b.size()) {
    return {Limbs(), std::all_of(a.begin(), a.end(), [](Limb limb) { return limb == 0; })};
  }
  const int shift = std::countl_zero(b.back());
  const Limbs v = shifted_left(b, shift, b.size());
  Limbs u = shifted_left(a, shift, a.size() + 1);
  Limbs quotient(a.size() - b.size() + 1);
  for (std::size_t j = quotient.size(); j-- > 0;) {
    std::uint64_t limb = guess_limb(u, j + b.size(), v);
    if (subtract_product(u, j, v, limb)) {
      --limb;
      add_back(u, j, v);
    }
    quotient[j] = static_cast<Limb>(limb);
  }
  u.trim_high();
  quotient.trim_high();
  return {std::move(quotient), u.empty()};
}

double round_limbs(bool negative, std::span<const Limb> magnitude, std::int64_t exponent, bool has_more) {
  const std::uint64_t sign = negative ? std::uint64_t{1} << 63 : 0;
  if (magnitude.empty()) return std::bit_cast<double>(sign);
  const std::int64_t bits =
      static_cast<std::int64_t>(magnitude.size()) * kLimbBits - std::countl_zero(magnitude.back());
  const std::int64_t highest = exponent + bits - 1;
  if (highest > 1023) return std::bit_cast<double>(sign | std::uint64_t{0x7FF} << 52);
  if (highest < -1075) return std::bit_cast<double>(sign);

  const std::int64_t last_place = std::max<std::int64_t>(highest - 52, -1074);
  const std::int64_t dropped = last_place - exponent;  // bits below the last place
  std::uint64_t mantissa = 0;
  if (dropped <= 0) {
    mantissa = bits_from(magnitude, 0) << -dropped;
  } else {
    const auto half = static_cast<std::size_t>(dropped - 1);
    mantissa = bits_from(magnitude, half + 1);
    const bool is_half = (bits_from(magnitude, half) & 1) != 0;
    if (is_half && ((mantissa & 1) != 0 || has_more || has_bit_below(magnitude, half))) ++mantissa;
  }
  // The implicit bit and a carry out of the mantissa both land in the exponent field, up to infinity.
  return std::bit_cast<double>(sign | ((static_cast<std::uint64_t>(last_place + 1074) << 52) + mantissa));
}

}  // namespace pileus::detail
