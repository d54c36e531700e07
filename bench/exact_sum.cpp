// How much an exact sum costs beside a naive one: nanoseconds an element, medians over interleaved repeats.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "math/exact_sum.h"

namespace {

constexpr int kRepeats = 21;

double naive(const std::vector<double>& values) {
  double sum = 0;
  for (double value : values) sum += value;
  return sum;
}

double exact(const std::vector<double>& values) {
  pileus::ExactSum sum;
  sum.add(std::span<const double>(values));
  return sum.round();
}

template <class Sum>
double nanoseconds_per_element(Sum sum, const std::vector<double>& values, volatile double& result) {
  const auto begin = std::chrono::steady_clock::now();
  result = sum(values);
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
  return time.count() / static_cast<double>(values.size());
}

}  // namespace

int main() {
  std::printf("%12s %12s %12s %8s %20s\n", "elements", "naive ns", "exact ns", "ratio", "spread of exact ns");
  for (std::size_t size : {60UL, 4096UL, 65536UL, 1048576UL}) {
    std::vector<double> values(size);
    for (std::size_t i = 0; i < size; ++i)
      values[i] = 290.0 + static_cast<double>((i * 2654435761U) % 1000) / 97.0;
    std::vector<double> naive_ns, exact_ns;
    volatile double result = 0;
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
      naive_ns.push_back(nanoseconds_per_element(naive, values, result));
      exact_ns.push_back(nanoseconds_per_element(exact, values, result));
    }
    std::ranges::sort(naive_ns);
    std::ranges::sort(exact_ns);
    const double middle_naive = naive_ns[kRepeats / 2], middle_exact = exact_ns[kRepeats / 2];
    std::printf("%12zu %12.3f %12.3f %8.2f %10.3f-%.3f\n", size, middle_naive, middle_exact,
                middle_exact / middle_naive, exact_ns[kRepeats / 4], exact_ns[3 * kRepeats / 4]);
  }
}
