// How much an exact sum costs beside a naive one: nanoseconds an element, medians over interleaved repeats.

#include <chrono>
#include <string>
#include <vector>

#include "figures.h"
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

int main(int argc, char** argv) {
  const pileus::bench::Settings settings = pileus::bench::read_settings(argc, argv);
  pileus::bench::Figures figures("exact_sum", settings);
  for (std::size_t size : {60UL, 4096UL, 65536UL, 1048576UL}) {
    std::vector<double> values(size);
    for (std::size_t i = 0; i < size; ++i)
      values[i] = 290.0 + static_cast<double>((i * 2654435761U) % 1000) / 97.0;
    std::vector<double> naive_ns, exact_ns, ratios;
    volatile double result = 0;
    for (int repeat = 0; repeat < (settings.is_quick ? 1 : kRepeats); ++repeat) {
      naive_ns.push_back(nanoseconds_per_element(naive, values, result));
      exact_ns.push_back(nanoseconds_per_element(exact, values, result));
      ratios.push_back(exact_ns.back() / naive_ns.back());
    }
    const std::string of = " sum of " + std::to_string(size);
    figures.add("naive" + of, "ns/element", naive_ns);
    figures.add("exact" + of, "ns/element", exact_ns);
    figures.add("exact over naive" + of, "1", ratios);
  }
  return figures.report();
}
