#include "selection/difference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "core/error.h"

namespace pileus {
namespace {

/// Elements that are added together.
constexpr std::size_t kTogether = 1024;

template <class Number>
Difference compare(std::span<const std::byte> now, std::span<const std::byte> before, Number missing) {
  const auto* const a = reinterpret_cast<const Number*>(now.data());
  const auto* const b = reinterpret_cast<const Number*>(before.data());
  const std::size_t size = now.size() / sizeof(Number);
  Difference out;
  std::array<double, kTogether> squares, squares_before;
  const auto is_number = [&](Number x) { return std::isfinite(x) && x != missing; };
  for (std::size_t first = 0; first < size; first += kTogether) {
    const std::size_t end = std::min(size, first + kTogether);
    std::size_t count = 0;
    for (std::size_t i = first; i < end; ++i) {
      if (!is_number(a[i]) || !is_number(b[i])) {
        const bool is_same = a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]));
        out.is_other = out.is_other || !is_same;
        continue;
      }
      const double was = static_cast<double>(b[i]), change = static_cast<double>(a[i]) - was;
      out.largest = std::max(out.largest, std::abs(change));
      out.largest_before = std::max(out.largest_before, std::abs(was));
      squares[count] = change * change;
      squares_before[count++] = was * was;
    }
    out.squares.add(std::span<const double>(squares.data(), count));
    out.squares_before.add(std::span<const double>(squares_before.data(), count));
    out.count += static_cast<std::int64_t>(count);
  }
  return out;
}

/// Elements of the box past the extents.
std::int64_t elements_beyond(const std::vector<Index>& box, const std::vector<Index>& extents) {
  std::int64_t all = 1, there = 1;
  for (std::size_t d = 0; d < box.size(); ++d) {
    all *= box[d];
    there *= std::clamp<Index>(extents[d], 0, box[d]);
  }
  return all - there;
}

}  // namespace

Difference& Difference::operator+=(const Difference& other) {
  squares.merge(other.squares);
  squares_before.merge(other.squares_before);
  largest = std::max(largest, other.largest);
  largest_before = std::max(largest_before, other.largest_before);
  count += other.count;
  is_other = is_other || other.is_other;
  return *this;
}

/// Zeros beyond the extents change no sum, only the number of elements.
Difference difference_of(std::span<const std::byte> now, std::span<const std::byte> before, ElementType type,
                         const std::vector<Index>& box, const std::vector<Index>& extents, double missing) {
  Difference out = type == ElementType::float32 ? compare(now, before, static_cast<float>(missing))
                                                : compare(now, before, missing);
  out.count -= elements_beyond(box, extents);
  return out;
}

/// A limit of a number that is not finite, as squares overflow, is one that nothing keeps.
bool is_beyond(const Difference& difference, const WriteIf& limit) {
  if (difference.is_other) return true;
  if (limit.is_largest)
    return !(difference.largest <= limit.most * (limit.is_relative ? difference.largest_before : 1));
  const double of =
      limit.is_relative ? difference.squares_before.round() : static_cast<double>(difference.count);
  const double squares = difference.squares.round();
  return !std::isfinite(squares) || !(squares <= limit.most * limit.most * of);
}

void put(Encoder& out, const Difference& difference) {
  std::vector<std::byte> sums;
  difference.squares.encode(sums);
  difference.squares_before.encode(sums);
  out.put(static_cast<std::uint64_t>(sums.size()));
  out.put_raw(sums);
  out.put(difference.largest);
  out.put(difference.largest_before);
  out.put(difference.count);
  out.put(static_cast<std::uint8_t>(difference.is_other));
}

Difference get_difference(Decoder& in) {
  Difference out;
  std::span<const std::byte> sums = in.get_raw(in.get_length(1));
  try {
    out.squares = ExactSum::decode(sums);
    out.squares_before = ExactSum::decode(sums);
  } catch (const std::invalid_argument& error) {
    throw TransportError(error.what());
  }
  out.largest = in.get<double>();
  out.largest_before = in.get<double>();
  out.count = in.get<std::int64_t>();
  out.is_other = in.get<std::uint8_t>() != 0;
  return out;
}

}  // namespace pileus
