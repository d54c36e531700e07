#pragma once
// Finds the bins of many values. Comparisons with the edges decide, so that no rounding moves a value.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace pileus::distributions {

/// Cells that are as wide as each other, and one for all below. They never fall where a value rises, as each
/// operation rounds in order; nor do those further on. NaN is in cell 0.
struct EvenCells {
  double origin = 0, scale = 0, last = 0;
  std::uint32_t operator()(double value) const {
    const double at = (value - origin) * scale + 1, above = at > 0 ? at : 0;
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(above < last ? above : last));
  }
};

/// Cells that hold as many doubles as each other, nearly even in the logarithm.
struct CellsByBits {
  std::int64_t first = 0, last = 0;  ///< keys
  int shift = 0;
  /// In the order of numbers, each the next of the one before.
  static std::int64_t key_of(double value) {
    const auto bits = std::bit_cast<std::int64_t>(value + 0.0);
    return bits ^ static_cast<std::int64_t>(static_cast<std::uint64_t>(bits >> 63) >> 1);
  }
  std::uint32_t operator()(double value) const {
    constexpr std::int64_t kInfinite = 0x7FF0000000000000;
    std::int64_t key = key_of(value);
    key = key > kInfinite ? first - 1 : key;
    const std::int64_t above = key > first ? key : first, at = above < last ? above : last;
    const auto cell = (static_cast<std::uint64_t>(at) - static_cast<std::uint64_t>(first)) >> shift;
    return static_cast<std::uint32_t>(cell + (key >= first ? 1 : 0));
  }
};

class BinFinder {
 public:
  /// REQUIRES: two edges or more, which rise.
  explicit BinFinder(std::shared_ptr<const std::vector<double>> edges);

  std::size_t count() const { return edges_->size() - 1; }
  /// The bin of each value, from 1 on: of bin i + 1 are those from edge i up to edge i + 1, the last of which
  /// is in the last bin. 0 below, of NaN and of what equals `missing`; count() + 1 above.
  /// REQUIRES: `bins` is as long or longer.
  void find(std::span<const double> values, std::span<std::uint32_t> bins,
            std::optional<double> missing = {}) const;

 private:
  enum class Kind { even, by_bits, searched };

  /// Whether there is at most one edge in each cell.
  template <class Cells>
  bool fill(const Cells& cells, std::size_t count);
  template <class Cells>
  void find_in(const Cells& cells, std::span<const double> values, std::span<std::uint32_t> bins) const;
  void search(std::span<const double> values, std::span<std::uint32_t> bins) const;

  std::shared_ptr<const std::vector<double>> edges_;
  Kind kind_ = Kind::searched;
  EvenCells even_;
  CellsByBits by_bits_;
  std::vector<double> begins_;         ///< where what is below ends, bins, and what is above begins
  std::vector<std::uint32_t> before_;  ///< by cell: how many of `begins_` are in cells before it
};

}  // namespace pileus::distributions
