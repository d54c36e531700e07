#pragma once
// Quantiles of many small groups, some side by side: the same comparisons sort all of them, without branches
// that follow from numbers. Compiled for AVX2 too.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pileus::distributions {

inline constexpr std::size_t kLanes = 8;  // groups side by side

/// Rows whose numbers change their places where the one in `low` is higher.
struct Exchange {
  std::uint16_t low = 0, high = 0;
};
/// `rows`: of kLanes numbers each.
using ApplyExchanges = void (*)(std::span<const Exchange> exchanges, double* rows);
void apply_exchanges(std::span<const Exchange> exchanges, double* rows);
#ifdef PILEUS_X86_KERNELS
void apply_exchanges_avx2(std::span<const Exchange> exchanges, double* rows);
#endif

/// Finds quantiles of groups of as many numbers, as find_quantiles() does.
class LaneQuantiles {
 public:
  /// Numbers of a group; more are faster one by one.
  static constexpr std::size_t kMost = 128;

  /// REQUIRES: from 1 to kMost numbers.
  LaneQuantiles(std::size_t numbers, std::span<const double> quantiles);
  std::size_t numbers() const { return numbers_; }

  /// `rows`: the first number of each lane, then the second, and so on, which come into another order.
  /// `to`: by quantile, then by lane. Lanes with a NaN get anything.
  void find(double* rows, double* to) const;

 private:
  struct At {
    std::size_t first = 0, second = 0;  // rows
    double beyond = 0;
  };
  std::size_t numbers_;
  std::vector<At> at_;  ///< by quantile
  std::vector<Exchange> exchanges_;
};

}  // namespace pileus::distributions
