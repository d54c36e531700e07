#pragma once
// How many values are in each bin, on the way there.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pileus::distributions {

class BinCounts {
 public:
  /// `columns`: that are counted side by side.
  BinCounts(std::size_t bins, std::size_t columns)
      : bins_(bins), columns_(columns), sets_(columns == 1 && bins <= 1024 ? kSets : 1) {
    counts_.assign(sets_ * stride(), 0);
  }

  /// Bins of values as BinFinder numbers them. REQUIRES: one column.
  void add(std::span<const std::uint32_t> bins) {
    std::size_t i = 0;
    if (sets_ == kSets) {
      std::size_t* const counts = counts_.data();
      const std::size_t next = stride();
      for (; i + kSets <= bins.size(); i += kSets) {
        ++counts[bins[i]];
        ++counts[next + bins[i + 1]];
        ++counts[2 * next + bins[i + 2]];
        ++counts[3 * next + bins[i + 3]];
      }
    }
    for (; i < bins.size(); ++i) ++counts_[bins[i] * columns_];
  }
  /// One bin for each column, or of the first ones.
  void add_columns(std::span<const std::uint32_t> bins) {
    for (std::size_t i = 0; i < bins.size(); ++i) ++counts_[bins[i] * columns_ + i];
  }

  /// Calls take(bin from 0 on, column, ones) for what is not 0, with as many numbers as were counted, some at
  /// once. All is 0 then.
  template <class Take>
  void take(const Take& take) {
    static const std::vector<double> ones(kOnes, 1.0);
    for (std::size_t place = columns_; place < (bins_ + 1) * columns_; ++place) {
      std::size_t left = 0;
      for (std::size_t set = 0; set < sets_; ++set) left += counts_[set * stride() + place];
      for (std::size_t some = 0; left > 0; left -= some) {
        some = std::min(left, kOnes);
        take(place / columns_ - 1, place % columns_, std::span(ones).first(some));
      }
    }
    std::ranges::fill(counts_, 0);
  }

 private:
  static constexpr std::size_t kOnes = 2048;
  static constexpr std::size_t kSets = 4;  // filled in turn, as a count waits for the same one before it
  std::size_t stride() const { return (bins_ + 2) * columns_; }

  std::size_t bins_, columns_, sets_;
  std::vector<std::size_t> counts_;  ///< by set, by bin, by column
};

}  // namespace pileus::distributions
