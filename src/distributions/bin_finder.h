#pragma once
// Finds the bin of many values, one after the other.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace pileus::distributions {

class BinFinder {
 public:
  /// REQUIRES: two edges or more, which rise.
  explicit BinFinder(std::shared_ptr<const std::vector<double>> edges);

  std::size_t count() const { return edges_->size() - 1; }
  /// From edge i up to edge i + 1, the last of which is in the last bin. Nothing outside, and of NaN.
  std::optional<std::size_t> bin_of(double value) const {
    const std::vector<double>& edges = *edges_;
    if (!(value >= edges.front() && value <= edges.back())) return {};
    const double cell = (value - origin_) * scale_;
    const std::size_t at = cell > 0 ? static_cast<std::size_t>(cell < most_ ? cell : most_) : 0;
    std::size_t bin = first_[at];
    if (first_[at + 1] - bin > kFew) return searched(value);
    // The cell tells a bin that is near; edges tell which.
    while (value < edges[bin]) --bin;
    while (bin + 2 < edges.size() && value >= edges[bin + 1]) ++bin;
    return bin;
  }

 private:
  static constexpr std::uint32_t kFew = 4;
  std::size_t searched(double value) const;

  std::shared_ptr<const std::vector<double>> edges_;
  double origin_ = 0, scale_ = 0, most_ = 0;
  std::vector<std::uint32_t> first_;  ///< by cell, which are as wide as each other, and one more
};

}  // namespace pileus::distributions
