// bench/sum.py calls this: each way to sum, timed here, so that only NumPy pays for Python.

#include <cstring>
#include <ctime>
#include <string_view>
#include <vector>

#include "analytics/operators/localreduce.h"
#include "loops/sum_kernel.h"
#include "math/exact_sum.h"
#include "sum_loops.h"

namespace pileus::bench {
namespace {

double exact_sum(const double* values, std::size_t count) {
  ExactSum sum;
  sum.add(std::span<const double>(values, count));
  return sum.round();
}

double exact_variance(const double* values, std::size_t count) {
  Partial partial(pileus::Reduction::variance);
  partial.add(std::span<const double>(values, count));
  return partial.value();
}

/// The sums as a rule of the analytics makes them, the Partials and their rounding included.
template <Reduction kReduction>
void exact_levels(const double* values, std::vector<Index> extents, int reduced_axis, double* sums) {
  const auto* bytes = reinterpret_cast<const std::byte*>(values);
  const Array array{ElementType::float64, extents,
                    std::shared_ptr<const std::byte>(bytes, [](const auto*) {})};
  const Index levels = extents[static_cast<std::size_t>(1 - reduced_axis)];
  const auto result = to_doubles(local_reduce(array, kReduction, {reduced_axis}, {{levels}, {0}}));
  std::memcpy(sums, result.data(), result.size() * sizeof(double));
}

template <Reduction kReduction>
void exact_levels_fastest(const double* values, std::size_t columns, std::size_t levels, double* sums) {
  exact_levels<kReduction>(values, {static_cast<Index>(levels), static_cast<Index>(columns)}, 1, sums);
}

template <Reduction kReduction>
void exact_levels_slowest(const double* values, std::size_t columns, std::size_t levels, double* sums) {
  exact_levels<kReduction>(values, {static_cast<Index>(columns), static_cast<Index>(levels)}, 0, sums);
}

/// The time of this thread on its processor, so that what else runs there counts little.
double spent_ns() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

template <class Work>
double nanoseconds(int times, Work work) {
  const double begin = spent_ns();
  for (int i = 0; i < times; ++i) work();
  return spent_ns() - begin;
}

}  // namespace
}  // namespace pileus::bench

using namespace pileus::bench;

/// Nanoseconds of `times` sums or variances of the array; -1 for an unknown way.
extern "C" double bench_sum_ns(const char* way, const double* values, std::size_t count, int times,
                               double* result) {
  const std::string_view name(way);
  double (*sum)(const double*, std::size_t) = nullptr;
  if (name == "naive") sum = naive_sum;
  if (name == "fast-math") sum = fast_math_sum;
  if (name == "exact") sum = exact_sum;
  if (name == "read") sum = read_all;
  if (name == "naive-variance") sum = naive_variance;
  if (name == "fast-math-variance") sum = fast_math_variance;
  if (name == "variance") sum = exact_variance;
  if (sum == nullptr) return -1;
  volatile double hidden = 0;
  const double time = nanoseconds(times, [&] { hidden = sum(values, count); });
  *result = hidden;
  return time;
}

/// The same for sums of each level, `order` "fastest" or "slowest".
extern "C" double bench_levels_ns(const char* way, const char* order, const double* values,
                                  std::size_t columns, std::size_t levels, int times, double* sums) {
  const std::string_view name(way);
  const bool is_fastest = std::string_view(order) == "fastest";
  LevelSums* sum = nullptr;
  if (name == "naive") sum = is_fastest ? naive_levels_fastest : naive_levels_slowest;
  if (name == "fast-math") sum = is_fastest ? fast_math_levels_fastest : fast_math_levels_slowest;
  if (name == "exact") {
    sum = is_fastest ? exact_levels_fastest<pileus::Reduction::sum>
                     : exact_levels_slowest<pileus::Reduction::sum>;
  }
  if (name == "naive-variance") sum = is_fastest ? naive_variances_fastest : naive_variances_slowest;
  if (name == "fast-math-variance")
    sum = is_fastest ? fast_math_variances_fastest : fast_math_variances_slowest;
  if (name == "variance") {
    sum = is_fastest ? exact_levels_fastest<pileus::Reduction::variance>
                     : exact_levels_slowest<pileus::Reduction::variance>;
  }
  if (sum == nullptr) return -1;
  return nanoseconds(times, [&] { sum(values, columns, levels, sums); });
}

/// Uses the loops of that name from now on; 0 if this processor has not what they need.
extern "C" int bench_use_kernel(const char* name) {
  for (const auto* kernel : pileus::detail::sum_kernels()) {
    if (std::string_view(name) != kernel->name || !pileus::detail::is_usable(*kernel)) continue;
    pileus::detail::use_sum_kernel(*kernel);
    return 1;
  }
  return 0;
}
