#include "levels/block_means.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/exact_sum.h"

namespace pileus {
namespace {

/// A sum that is exact as long as no addition rounds.
struct PlainSum {
  double sum = 0;
  Index count = 0;
  bool is_exact = true;

  void add(double x) {
    const double next = sum + x, taken = next - sum;
    const double lost = (sum - (next - taken)) + (x - taken);  // Knuth's two-sum
    is_exact = is_exact && lost == 0;
    sum = next;
    ++count;
  }
};

double beside(double longitude, double first) {
  return longitude - 360 * std::nearbyint((longitude - first) / 360);
}

/// A row of blocks along the fastest dimension, which has the same lines in all of them.
template <class T>
class Row {
 public:
  Row(const T* values, T missing, BlockValue what) : values_(values), missing_(missing), what_(what) {}

  void begin() { lines_.clear(); }
  void add(Index offset) { lines_.push_back(values_ + offset); }

  /// Of the block with these elements of each line.
  double value(Index first, Index length) const {
    PlainSum plain;
    for_each(first, length, [&](double x) { plain.add(x); });
    if (plain.count == 0) return std::numeric_limits<double>::quiet_NaN();
    const double sum = plain.is_exact ? plain.sum + 0.0 : exact(first, length);
    return what_ == BlockValue::sum ? sum : sum / static_cast<double>(plain.count);
  }

 private:
  double exact(Index first, Index length) const {
    ExactSum sum;
    for_each(first, length, [&](double x) { sum.add(x); });
    return sum.round();
  }

  template <class Take>
  void for_each(Index first, Index length, const Take& take) const {
    if (what_ == BlockValue::longitude) return for_each_longitude(first, length, take);
    for (const T* const line : lines_) {
      for (const T* x = line + first; x != line + first + length; ++x)
        if (is_there(*x)) take(static_cast<double>(*x));
    }
  }
  template <class Take>
  void for_each_longitude(Index first, Index length, const Take& take) const {
    double of_first = std::numeric_limits<double>::quiet_NaN();
    for (const T* const line : lines_) {
      for (const T* x = line + first; x != line + first + length; ++x) {
        if (!is_there(*x)) continue;
        if (std::isnan(of_first)) of_first = static_cast<double>(*x);
        take(beside(static_cast<double>(*x), of_first));
      }
    }
  }
  bool is_there(T x) const { return x != missing_ && !std::isnan(x); }

  const T* values_;
  T missing_;
  BlockValue what_;
  std::vector<const T*> lines_;
};

/// Calls do_it for each position below `count`, the fastest dimension first.
template <class DoIt>
void for_each_place(const Extents& count, const DoIt& do_it) {
  if (std::ranges::find(count, Index{0}) != count.end()) return;
  Extents at(count.size(), 0);
  for (;;) {
    do_it(at);
    std::size_t d = 0;
    while (d < count.size() && ++at[d] == count[d]) at[d++] = 0;
    if (d == count.size()) return;
  }
}

}  // namespace

Extents blocks_of(const Extents& extents, const Extents& lengths) {
  Extents count = extents;
  for (std::size_t d = 0; d < count.size(); ++d) count[d] = (extents[d] + lengths[d] - 1) / lengths[d];
  return count;
}

Region region_of_blocks(const Region& blocks, const Extents& lengths) {
  Region region = blocks;
  for (std::size_t d = 0; d < lengths.size(); ++d) {
    region.start[d] *= lengths[d];
    region.count[d] *= lengths[d];
  }
  return region;
}

Region blocks_of_region(const Region& region, const Extents& lengths) {
  Region blocks = region;
  for (std::size_t d = 0; d < lengths.size(); ++d) {
    blocks.start[d] /= lengths[d];
    blocks.count[d] /= lengths[d];
  }
  return blocks;
}

template <class T>
std::vector<double> block_values(std::span<const T> values, const Extents& extents, const Extents& lengths,
                                 T missing, BlockValue what) {
  std::vector<double> out;
  if (Region{{}, extents}.size() == 0) return out;
  const Extents blocks = blocks_of(extents, lengths);
  const Index size = extents.empty() ? 1 : extents[0], length = extents.empty() ? 1 : lengths[0];
  out.reserve(static_cast<std::size_t>(Region{{}, blocks}.size()));
  Extents rows = blocks;
  if (!rows.empty()) rows[0] = 1;
  Row<T> row(values.data(), missing, what);
  for_each_place(rows, [&](const Extents& at) {
    Extents first = at, count = lengths;
    for (std::size_t d = 0; d < at.size(); ++d) {
      first[d] = at[d] * lengths[d];
      count[d] = d == 0 ? 1 : std::min(lengths[d], extents[d] - first[d]);
    }
    row.begin();
    for_each_place(count, [&](const Extents& within) {
      Index offset = 0, stride = 1;
      for (std::size_t d = 0; d < within.size(); ++d) {
        offset += (first[d] + within[d]) * stride;
        stride *= extents[d];
      }
      row.add(offset);
    });
    for (Index x = 0; x < size; x += length) out.push_back(row.value(x, std::min(length, size - x)));
  });
  return out;
}

template std::vector<double> block_values(std::span<const float>, const Extents&, const Extents&, float,
                                          BlockValue);
template std::vector<double> block_values(std::span<const double>, const Extents&, const Extents&, double,
                                          BlockValue);

}  // namespace pileus
