#include "information/bit_pairs.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

#include "functions/elementary.h"

namespace pileus {
namespace {

/// Pairs whose bits are counted together, one bit after the other.
constexpr std::size_t kTogether = 1024;

/// Of the normal distribution, at 1 - (1 - 0.99) / 2.
constexpr double kQuantile = 2.5758293035489004;

template <class Bits>
class Counter {
 public:
  void add(Bits first, Bits second) {
    first_[count_] = first;
    second_[count_] = second;
    if (++count_ == kTogether) flush();
  }
  BitPairs take() {
    flush();
    return std::move(counted_);
  }
  Counter() { counted_.bits.resize(8 * sizeof(Bits)); }

 private:
  void flush() {
    counted_.pairs += static_cast<std::int64_t>(count_);
    for (std::size_t b = 0; b < counted_.bits.size(); ++b) {
      Bits both = 0, first = 0, second = 0;
      for (std::size_t i = 0; i < count_; ++i) {
        const Bits one = first_[i] >> b & 1, other = second_[i] >> b & 1;
        both += one & other;
        first += one & ~other;
        second += other & ~one;
      }
      counted_.bits[b].both += static_cast<std::int64_t>(both);
      counted_.bits[b].first += static_cast<std::int64_t>(first);
      counted_.bits[b].second += static_cast<std::int64_t>(second);
    }
    count_ = 0;
  }

  BitPairs counted_;
  std::array<Bits, kTogether> first_ = {}, second_ = {};
  std::size_t count_ = 0;
};

template <class Number>
BitPairs count(const Number* values, const std::vector<Index>& box, const std::vector<Index>& extents,
               std::size_t along, Number missing) {
  using Bits = std::conditional_t<sizeof(Number) == 4, std::uint32_t, std::uint64_t>;
  const auto is_there = [&](Number x) { return std::isfinite(x) && x != missing; };
  Counter<Bits> counter;
  Index stride = 1, elements = 1;
  for (std::size_t d = 0; d < box.size(); ++d) {
    if (d < along) stride *= box[d];
    elements *= box[d];
  }
  std::vector<Index> at(box.size(), 0);
  for (Index i = 0; i < elements; ++i) {
    bool has_next = true;
    for (std::size_t d = 0; d < box.size(); ++d) has_next &= at[d] + (d == along ? 1 : 0) < extents[d];
    if (has_next && is_there(values[i]) && is_there(values[i + stride]))
      counter.add(std::bit_cast<Bits>(values[i]), std::bit_cast<Bits>(values[i + stride]));
    for (std::size_t d = 0; d < box.size() && ++at[d] == box[d]; ++d) at[d] = 0;
  }
  return counter.take();
}

/// -p log p, in natural units.
double surprise(double p) { return p > 0 ? -p * logarithm(p) : 0; }

}  // namespace

BitPairs& BitPairs::operator+=(const BitPairs& other) {
  pairs += other.pairs;
  if (bits.size() < other.bits.size()) bits.resize(other.bits.size());
  for (std::size_t b = 0; b < other.bits.size(); ++b) {
    bits[b].both += other.bits[b].both;
    bits[b].first += other.bits[b].first;
    bits[b].second += other.bits[b].second;
  }
  return *this;
}

BitPairs count_pairs(std::span<const std::byte> values, ElementType type, const std::vector<Index>& box,
                     const std::vector<Index>& extents, std::size_t along, double missing) {
  std::vector<Index> there(box.size());
  for (std::size_t d = 0; d < box.size(); ++d) there[d] = std::min(box[d], extents[d]);
  if (type == ElementType::float32)
    return count(reinterpret_cast<const float*>(values.data()), box, there, along,
                 static_cast<float>(missing));
  return count(reinterpret_cast<const double*>(values.data()), box, there, along, missing);
}

std::vector<double> information(const BitPairs& pairs) {
  const double bit = logarithm(2.0);
  std::vector<double> found;
  if (pairs.pairs == 0) return found;
  const auto n = static_cast<double>(pairs.pairs);
  // The information of a coin that is as uneven as chance makes it in so many throws.
  const double p = std::min(1.0, 0.5 + kQuantile / (2 * std::sqrt(n)));
  const double by_chance = 1 - (surprise(p) + surprise(1 - p)) / bit;
  for (std::size_t b = pairs.bits.size(); b-- > 0;) {
    const auto& [both, first, second] = pairs.bits[b];
    const double p11 = static_cast<double>(both) / n, p10 = static_cast<double>(first) / n;
    const double p01 = static_cast<double>(second) / n;
    const double p00 = static_cast<double>(pairs.pairs - both - first - second) / n;
    const double joint = surprise(p11) + surprise(p10) + surprise(p01) + surprise(p00);
    const double apart =
        surprise(p11 + p10) + surprise(p01 + p00) + surprise(p11 + p01) + surprise(p10 + p00);
    const double mutual = (apart - joint) / bit;
    found.push_back(mutual > by_chance ? mutual : 0);
  }
  return found;
}

int kept_bits(const BitPairs& pairs, double level) {
  const std::vector<double> found = information(pairs);
  const std::size_t whole = pairs.bits.size() == 32 ? 9 : 12;  // the sign and the exponent
  double all = 0, sum = 0;
  for (const double one : found) all += one;
  if (!(all > 0)) return 0;
  std::size_t needed = 0;
  while (needed < found.size() && (needed == 0 || sum < level * all)) sum += found[needed++];
  const std::size_t kept = std::max(needed, whole + 1) - whole;
  return kept >= pairs.bits.size() - whole ? 0 : static_cast<int>(kept);
}

}  // namespace pileus
