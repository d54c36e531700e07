#include "regrid/add_links.h"

#include <algorithm>
#include <array>
#include <span>

#include "core/missing.h"

namespace pileus {
namespace {

/// So many elements of a point are added up side by side.
constexpr std::size_t kWidth = 64;
using Row = std::array<double, kWidth>;

/// The links of one row, and the elements of their sources from some place on.
struct RowOfLinks {
  std::span<const std::uint32_t> places;
  std::span<const double> weights;
  const double* sources;  ///< null where no point has links
  std::size_t count;      ///< elements of each source
  std::size_t first;      ///< of these
  std::size_t width;
  const double* of(std::size_t link) const { return sources + (places[link] * count + first); }
  double weight(std::size_t link) const { return weights.empty() ? 1 : weights[link]; }
};

/// Adds up `width` elements from place `l` on, which stay in registers.
template <std::size_t width>
void add_some(const RowOfLinks& row, std::size_t l, Row& sums) {
  std::array<double, width> sum = {};
  for (std::size_t link = 0; link < row.places.size(); ++link) {
    const double* const source = row.of(link) + l;
    const double weight = row.weight(link);
    for (std::size_t i = 0; i < width; ++i) sum[i] += weight * source[i];
  }
  std::copy(sum.begin(), sum.end(), sums.begin() + static_cast<std::ptrdiff_t>(l));
}

void add_all(const RowOfLinks& row, bool is_mean, Row& sums) {
  constexpr std::size_t kTogether = 12;
  std::size_t l = 0;
  for (; l + kTogether <= row.width; l += kTogether) add_some<kTogether>(row, l, sums);
  for (; l + 4 <= row.width; l += 4) add_some<4>(row, l, sums);
  for (; l < row.width; ++l) add_some<1>(row, l, sums);
  const auto n = static_cast<double>(row.places.size());
  if (is_mean)
    for (l = 0; l < row.width; ++l) sums[l] /= n;
}

/// Leaves out what is missing. The weights of what is left may add up to little where some are negative, and
/// scaled ones would give numbers beyond all values.
void add_present(const RowOfLinks& row, const LinkedSums& how, Row& sums) {
  Row weights = {}, counts = {};
  double all = 0;
  bool may_scale = how.missing == LinkMissing::scaled;
  std::fill_n(sums.begin(), row.width, 0.0);
  for (std::size_t link = 0; link < row.places.size(); ++link) {
    const double* const source = row.of(link);
    const double weight = row.weight(link), missing = *how.missing_value;
    all += weight;
    if (weight < 0) may_scale = false;
    for (std::size_t l = 0; l < row.width; ++l) {
      const bool is_there = source[l] != missing;
      sums[l] += is_there ? weight * source[l] : 0;
      weights[l] += is_there ? weight : 0;
      counts[l] += is_there ? 1 : 0;
    }
  }
  const auto links = static_cast<double>(row.places.size());
  const bool is_mean = how.sum == LinkSum::mean;
  for (std::size_t l = 0; l < row.width; ++l) {
    const bool is_whole = counts[l] == links;
    const bool is_missing = counts[l] == 0 || (!is_whole && !may_scale);
    if (is_missing || (!is_whole && weights[l] == 0)) {
      sums[l] = kMissing;
    } else if (is_mean) {
      sums[l] /= counts[l];
    } else if (!is_whole) {
      sums[l] = sums[l] / weights[l] * all;
    }
  }
}

void add_row(const RowOfLinks& row, const LinkedSums& how, Row& sums) {
  if (row.places.empty()) {
    std::fill_n(sums.begin(), row.width, kMissing);
  } else if (how.sum == LinkSum::copy) {
    std::copy_n(row.of(0), row.width, sums.begin());
  } else if (how.missing_value) {
    add_present(row, how, sums);
  } else {
    add_all(row, how.sum == LinkSum::mean, sums);
  }
}

}  // namespace

void add_links(const PlacedLinks& links, const LinkedSums& how, const double* sources, std::size_t count,
               double* to, const PointPlaces& result) {
  std::vector<Row> rows(std::min(kPointsAtOnce, links.rows()));
  std::array<Index, kPointsAtOnce> at = {};
  for (std::size_t i = 0; i < rows.size(); ++i) at[i] = static_cast<Index>(i * kWidth);
  std::array<Index, kWidth> within = {};
  for (std::size_t l = 0; l < kWidth; ++l) within[l] = static_cast<Index>(l);

  for (std::size_t first = 0; first < links.rows(); first += kPointsAtOnce) {
    const std::size_t together = std::min(kPointsAtOnce, links.rows() - first);
    for (std::size_t l = 0; l < count; l += kWidth) {
      const std::size_t width = std::min(kWidth, count - l);
      for (std::size_t i = 0; i < together; ++i) {
        const std::uint64_t begin = links.begin[first + i], end = links.begin[first + i + 1];
        const std::size_t size = end - begin;
        const std::span<const double> weights =
            links.weight.empty() ? std::span<const double>() : std::span(links.weight).subspan(begin, size);
        add_row({std::span(links.place).subspan(begin, size), weights, sources, count, l, width}, how,
                rows[i]);
      }
      copy_points<double>(reinterpret_cast<const std::byte*>(rows.data()),
                          {std::span(at).first(together), std::span(within).first(width)}, to,
                          {result.points.subspan(first, together), result.others.subspan(l, width)});
    }
  }
}

}  // namespace pileus
