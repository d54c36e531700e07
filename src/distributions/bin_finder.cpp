#include "distributions/bin_finder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace pileus::distributions {

BinFinder::BinFinder(std::shared_ptr<const std::vector<double>> edges)
    : edges_(std::move(edges)), begins_(*edges_) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const bool is_open = begins_.back() == kInfinity;  // nothing is above
  begins_.back() =
      is_open ? std::numeric_limits<double>::quiet_NaN() : std::nextafter(begins_.back(), kInfinity);
  const double low = std::isfinite(begins_.front()) ? begins_.front() : begins_[1];
  const double high = is_open ? begins_[count() - 1] : begins_.back();
  const std::size_t least = 2 * begins_.size(), most = std::max<std::size_t>(4096, 4 * least);
  for (std::size_t cells = least; cells <= most && kind_ == Kind::searched; cells *= 2) {
    const double scale = static_cast<double>(cells - 2) / (high - low);
    even_ = {low, scale > 0 && std::isfinite(scale) ? scale : 1, static_cast<double>(cells - 1)};
    by_bits_ = {CellsByBits::key_of(low), CellsByBits::key_of(high), 0};
    const auto keys = static_cast<std::uint64_t>(by_bits_.last) - static_cast<std::uint64_t>(by_bits_.first);
    by_bits_.shift = static_cast<int>(std::bit_width(keys / (cells - 1)));
    if (fill(even_, cells))
      kind_ = Kind::even;
    else if (fill(by_bits_, cells))
      kind_ = Kind::by_bits;
  }
  begins_.push_back(std::numeric_limits<double>::quiet_NaN());  // behind all
}

template <class Cells>
bool BinFinder::fill(const Cells& cells, std::size_t count) {
  before_.assign(count, 0);
  std::size_t filled = 0;  // cells
  for (std::size_t i = 0; i < begins_.size() && !std::isnan(begins_[i]); ++i) {
    const std::size_t cell = cells(begins_[i]);
    if (cell >= count || cell < filled) return false;
    for (; filled <= cell; ++filled) before_[filled] = static_cast<std::uint32_t>(i);
  }
  const auto all =
      static_cast<std::uint32_t>(std::isnan(begins_.back()) ? begins_.size() - 1 : begins_.size());
  for (; filled < count; ++filled) before_[filled] = all;
  return true;
}

/// Edges in cells before that of a value are below it, those in cells behind are above, and one may be in its
/// own.
template <class Cells>
void BinFinder::find_in(const Cells& cells, std::span<const double> values,
                        std::span<std::uint32_t> bins) const {
  constexpr std::size_t kBlock = 256;
  std::array<std::uint32_t, kBlock> of_values{};
  const std::uint32_t* const before = before_.data();
  const double* const begins = begins_.data();
  for (std::size_t from = 0; from < values.size(); from += kBlock) {
    const std::size_t size = std::min(kBlock, values.size() - from);
    const double* const some = values.data() + from;
    std::uint32_t* const to = bins.data() + from;
    for (std::size_t i = 0; i < size; ++i) of_values[i] = cells(some[i]);
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint32_t bin = before[of_values[i]];
      to[i] = bin + static_cast<std::uint32_t>(some[i] >= begins[bin]);
    }
  }
}

void BinFinder::search(std::span<const double> values, std::span<std::uint32_t> bins) const {
  const std::size_t unused = 1 + (std::isnan(begins_[count()]) ? 1U : 0U);
  const auto begins = std::span(begins_).first(begins_.size() - unused);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool is_number = !std::isnan(values[i]);
    const auto bin = is_number ? std::ranges::upper_bound(begins, values[i]) - begins.begin() : 0;
    bins[i] = static_cast<std::uint32_t>(bin);
  }
}

void BinFinder::find(std::span<const double> values, std::span<std::uint32_t> bins,
                     std::optional<double> missing) const {
  switch (kind_) {
    case Kind::even: find_in(even_, values, bins); break;
    case Kind::by_bits: find_in(by_bits_, values, bins); break;
    case Kind::searched: search(values, bins); break;
  }
  if (!missing) return;
  const double none = *missing;
  for (std::size_t i = 0; i < values.size(); ++i) bins[i] = values[i] == none ? 0 : bins[i];
}

}  // namespace pileus::distributions
