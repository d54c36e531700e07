#pragma once

// Quick exponentials, logarithms and powers of many numbers, one set of loops for each instruction set: those
// of the sums' kernel. They say of which numbers they are not sure; the others are the nearest doubles, so
// that all sets, and the functions of elementary.h, give the same bits. Used in this room only.

#include <cstddef>
#include <cstdint>

namespace pileus::detail {

/// What the loops look up.
struct FunctionTables {
  static constexpr int kRoots = 128;
  static constexpr int kFirst = 90, kLast = 182;
  /// 2^(i / 128) as two doubles: the upper has 26 bits.
  double root_high[kRoots], root_low[kRoots];
  /// About 128 / i, with 12 bits, at i - kFirst; and ln(1 / that) as two doubles: the upper is a multiple of
  /// 2^-42.
  double reciprocal[kLast - kFirst + 1];
  double log_high[kLast - kFirst + 1], log_low[kLast - kFirst + 1];
};

struct FunctionLoops {
  const char* name;
  /// unsure[i] is not 0 where out[i] may not be the double nearest to e^x[i]. `out` is
  /// none of the others.
  void (*exponential)(const FunctionTables& tables, const double* x, std::size_t count, double* out,
                      std::uint8_t* unsure);
  /// Likewise of the natural logarithm.
  void (*logarithm)(const FunctionTables& tables, const double* x, std::size_t count, double* out,
                    std::uint8_t* unsure);
  /// Likewise of x[i]^y[i].
  void (*power)(const FunctionTables& tables, const double* x, const double* y, std::size_t count,
                double* out, std::uint8_t* unsure);
};

/// The set whose name is that of sum_kernel().
const FunctionLoops& function_loops();
const FunctionTables& function_tables();

}  // namespace pileus::detail
