#include "distributions/bin_finder.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pileus::distributions {

BinFinder::BinFinder(std::shared_ptr<const std::vector<double>> edges) : edges_(std::move(edges)) {
  const std::vector<double>& all = *edges_;
  const bool has_low = std::isfinite(all.front()), has_high = std::isfinite(all.back());
  const std::size_t cells = 4 * count();
  origin_ = has_low ? all.front() : all[1];
  const double width = (has_high ? all.back() : all[all.size() - 2]) - origin_;
  const bool is_usual = std::isfinite(origin_) && std::isfinite(width) && width > 0;
  if (!is_usual) origin_ = 0;
  const double scale = is_usual ? static_cast<double>(cells) / width : 0;
  if (!(scale > 0 && std::isfinite(scale))) {
    first_ = {0, 2 * kFew};  // always searched
    return;
  }
  scale_ = scale;
  most_ = static_cast<double>(cells - 1);
  for (std::size_t cell = 0; cell <= cells; ++cell)
    first_.push_back(static_cast<std::uint32_t>(searched(origin_ + static_cast<double>(cell) / scale_)));
}

std::size_t BinFinder::searched(double value) const {
  const auto above = static_cast<std::size_t>(std::ranges::upper_bound(*edges_, value) - edges_->begin());
  return std::clamp<std::size_t>(above, 1, edges_->size() - 1) - 1;
}

}  // namespace pileus::distributions
