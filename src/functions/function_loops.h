#pragma once

// Quick exponentials, logarithms and powers of many numbers. There is one set of loops for each instruction
// set that the kernel of the sums knows. The loops report the numbers that they are not sure of. All others
// are the nearest doubles, so that all sets, and the functions of elementary.h, give the same bits. Used in
// this room only.

#include <cstddef>
#include <cstdint>

namespace pileus::detail {

/// The tables of the loops.
struct FunctionTables {
  static constexpr int kRoots = 128;
  static constexpr int kFirst = 90, kLast = 182;
  /// 2^(i / 128) as two doubles: the upper has 26 bits.
  double root_high[kRoots], root_low[kRoots];
  /// About 128 / i, with 12 bits, at i - kFirst; and the logarithm of its inverse as two doubles, the upper
  /// of which is a multiple of 2^-42.
  double reciprocal[kLast - kFirst + 1];
  double log_high[kLast - kFirst + 1], log_low[kLast - kFirst + 1];
};

struct FunctionLoops {
  const char* name;
  /// Sets unsure[i] to a number other than 0 where out[i] may not be the double nearest to e^x[i]. `out` may
  /// not be one of the inputs.
  void (*exponential)(const FunctionTables& tables, const double* x, std::size_t count, double* out,
                      std::uint8_t* unsure);
  /// Does the same for the natural logarithm.
  void (*logarithm)(const FunctionTables& tables, const double* x, std::size_t count, double* out,
                    std::uint8_t* unsure);
  /// Does the same for x[i]^y[i].
  void (*power)(const FunctionTables& tables, const double* x, const double* y, std::size_t count,
                double* out, std::uint8_t* unsure);
};

/// The set of loops with the same name as that of sum_kernel().
const FunctionLoops& function_loops();
const FunctionTables& function_tables();

}  // namespace pileus::detail
