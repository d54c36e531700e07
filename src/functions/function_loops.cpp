#include "functions/function_loops.h"

#include <algorithm>
#include <array>

#include "functions/binary_exponents.h"
#include "functions/elementary.h"
#include "functions/power.h"
#include "loops/sum_kernel.h"

namespace pileus {
namespace detail {

extern constinit const FunctionLoops kPortableFunctionLoops;
#ifdef PILEUS_X86_KERNELS
extern constinit const FunctionLoops kAvx2FunctionLoops;
extern constinit const FunctionLoops kAvx512FunctionLoops;
#endif

const FunctionLoops& function_loops() {
  // The sets stand in the order of sum_kernels().
  static constexpr const FunctionLoops* kSets[] = {
      &kPortableFunctionLoops,
#ifdef PILEUS_X86_KERNELS
      &kAvx2FunctionLoops,
      &kAvx512FunctionLoops,
#endif
  };
  return *kSets[sum_kernel_number()];
}

namespace {

FunctionTables make_tables() {
  FunctionTables tables;
  for (int i = 0; i < FunctionTables::kRoots; ++i) {
    const Pair root = power_of_two<4>({static_cast<double>(i) / FunctionTables::kRoots, 0}).value;
    constexpr double kRounder = 0x1.8p27;  // its last place is 2^-25
    tables.root_high[i] = (root.high + kRounder) - kRounder;
    tables.root_low[i] = (root.high - tables.root_high[i]) + root.low;
  }
  for (int i = FunctionTables::kFirst; i <= FunctionTables::kLast; ++i) {
    constexpr double kRounder = 0x1.8p41;     // last place 2^-11
    constexpr double kLogRounder = 0x1.8p10;  // last place 2^-42
    const int at = i - FunctionTables::kFirst;
    const double c = (128.0 / i + kRounder) - kRounder;
    const Pair minus_log = log2_of<5>(split(c)) * kLn2;
    tables.reciprocal[at] = c;
    tables.log_high[at] = (-minus_log.high + kLogRounder) - kLogRounder;
    tables.log_low[at] = (-minus_log.high - tables.log_high[at]) - minus_log.low;
  }
  return tables;
}

}  // namespace

const FunctionTables& function_tables() {
  static const FunctionTables made = make_tables();
  return made;
}

}  // namespace detail

namespace {

constexpr std::size_t kBlock = 512;

/// Computes again, with care, the results that the loops are not sure of.
template <class Run, class Careful>
void in_blocks(std::size_t count, const Run& run, const Careful& careful) {
  std::array<std::uint8_t, kBlock> unsure;
  for (std::size_t first = 0; first < count; first += kBlock) {
    const std::size_t size = std::min(kBlock, count - first);
    run(first, size, unsure.data());
    for (std::size_t i = 0; i < size; ++i) {
      if (unsure[i] != 0) careful(first + i);
    }
  }
}

template <class Loop>
void of_one_argument(std::span<const double> x, double* out, Loop loop, double (*careful)(double)) {
  const detail::FunctionTables& tables = detail::function_tables();
  in_blocks(
      x.size(),
      [&](std::size_t i, std::size_t n, std::uint8_t* unsure) { loop(tables, &x[i], n, out + i, unsure); },
      [&](std::size_t i) { out[i] = careful(x[i]); });
}

}  // namespace

void exponentials(std::span<const double> x, double* out) {
  of_one_argument(x, out, detail::function_loops().exponential, exponential);
}

void logarithms(std::span<const double> x, double* out) {
  of_one_argument(x, out, detail::function_loops().logarithm, logarithm);
}

void powers(std::span<const double> x, const double* y, double* out) {
  const detail::FunctionTables& tables = detail::function_tables();
  const auto loop = detail::function_loops().power;
  in_blocks(
      x.size(),
      [&](std::size_t i, std::size_t n, std::uint8_t* unsure) {
        loop(tables, &x[i], y + i, n, out + i, unsure);
      },
      [&](std::size_t i) { out[i] = power(x[i], y[i]); });
}

}  // namespace pileus
