#include "distributions/lanes.h"

#include <algorithm>
#include <bit>

#include "distributions/lanes_body.h"
#include "distributions/order_statistics.h"

namespace pileus::distributions {
namespace {

/// Batcher's merge exchange, which sorts any numbers of elements. Source: Knuth, The Art of Computer
/// Programming 3, section 5.2.2, algorithm M.
std::vector<Exchange> merge_exchange(std::size_t numbers) {
  std::vector<Exchange> exchanges;
  if (numbers < 2) return exchanges;
  const std::size_t half = std::bit_ceil(numbers) / 2;
  for (std::size_t p = half; p > 0; p /= 2) {
    std::size_t r = 0, d = p;
    for (std::size_t q = half;; q /= 2) {
      for (std::size_t i = 0; i + d < numbers; ++i)
        if ((i & p) == r)
          exchanges.push_back({static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(i + d)});
      if (q == p) break;
      d = q - p;
      r = p;
    }
  }
  return exchanges;
}

ApplyExchanges best_apply() {
#ifdef PILEUS_X86_KERNELS
  if (__builtin_cpu_supports("avx2") != 0) return apply_exchanges_avx2;
#endif
  return apply_exchanges;
}

}  // namespace

void apply_exchanges(std::span<const Exchange> exchanges, double* rows) { apply_all(exchanges, rows); }

LaneQuantiles::LaneQuantiles(std::size_t numbers, std::span<const double> quantiles) : numbers_(numbers) {
  std::vector<bool> is_asked(numbers, false);
  for (const double quantile : quantiles) {
    const Place place(static_cast<std::int64_t>(numbers), quantile);
    const auto first = static_cast<std::size_t>(place.below), second = std::min(first + 1, numbers - 1);
    at_.push_back({first, second, place.beyond});
    is_asked[first] = is_asked[second] = true;
  }
  // Those from which nothing follows for what is asked for are left out.
  std::vector<Exchange> all = merge_exchange(numbers);
  std::ranges::reverse(all);
  for (const Exchange& one : all) {
    if (!is_asked[one.low] && !is_asked[one.high]) continue;
    is_asked[one.low] = is_asked[one.high] = true;
    exchanges_.push_back(one);
  }
  std::ranges::reverse(exchanges_);
}

void LaneQuantiles::find(double* rows, double* to) const {
  static const ApplyExchanges apply = best_apply();
  apply(exchanges_, rows);
  for (const At& at : at_) {
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      *to++ = on_line(rows[kLanes * at.first + lane], rows[kLanes * at.second + lane], at.beyond) + 0.0;
  }
}

}  // namespace pileus::distributions
