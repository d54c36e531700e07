// The functions that bench/averages.py and running_means.py call. They time one step of an array's average
// over time, and a plain loop; and running means.

#include <time.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "loops/sum_kernel.h"
#include "time/manipulations/list.h"
#include "time/window.h"

namespace {

double now_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

/// Reads and writes the same arrays as an average, and multiplies.
[[gnu::noinline]] void plain_loop(std::span<const double> values, double weight, double* __restrict high,
                                  double* __restrict low) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    high[i] += weight * values[i];
    low[i] += values[i];
  }
}

}  // namespace

/// Times `steps` steps of the average of `count` doubles with the instruction set `set`, in turn with the
/// plain loop. `average_ns` and `loop_ns` get nanoseconds of this thread for each step.
/// Returns 0 for a set that this processor does not have.
extern "C" int bench_average_ns(const char* set, const double* values, std::size_t count, int steps,
                                double* average_ns, double* loop_ns) {
  using namespace pileus;
  const detail::SumKernel* chosen = nullptr;
  for (const detail::SumKernel* kernel : detail::sum_kernels())
    if (std::string_view(set) == kernel->name && detail::is_usable(*kernel)) chosen = kernel;
  if (chosen == nullptr) return 0;
  detail::use_sum_kernel(*chosen);
  const auto owner = std::make_shared<std::vector<double>>(values, values + count);
  const auto* const first = reinterpret_cast<const std::byte*>(owner->data());
  const Sample sample = Array{
      ElementType::float64, {static_cast<Index>(count)}, std::shared_ptr<const std::byte>(owner, first)};
  const std::unique_ptr<Window> window = manipulations::averaged().make_window(false, {});
  std::vector<double> high(count), low(count);
  for (int step = 0; step < steps; ++step) {
    const double weight = 0.9 + 0.001 * step, begin = now_ns();
    window->add(sample, weight);
    const double between = now_ns();
    plain_loop(*owner, weight, high.data(), low.data());
    average_ns[step] = between - begin;
    loop_ns[step] = now_ns() - between;
  }
  return 1;
}

/// Running means over `hours` hours, each hour, of `points` series with `an_hour` samples an hour, one step
/// behind the other. Each of the windows under way takes all samples, or in a chain the means of hours.
/// `out`: by record, then by point. Returns nanoseconds.
extern "C" double bench_running_mean_ns(std::int64_t points, std::int64_t samples, std::int64_t an_hour,
                                        std::int64_t hours, int is_chain, const double* series, double* out) {
  using namespace pileus;
  const auto owner = std::make_shared<std::vector<double>>(series, series + samples * points);
  std::vector<std::unique_ptr<Window>> running;
  for (std::int64_t i = 0; i < hours; ++i) running.push_back(manipulations::averaged().make_window(true, {}));
  const std::unique_ptr<Window> hour = manipulations::averaged().make_window(true, {});
  const double begin = now_ns();
  for (std::int64_t s = 0; s < samples; ++s) {
    const auto* const first = reinterpret_cast<const std::byte*>(owner->data() + s * points);
    const std::int64_t done = s / an_hour, begun = std::min(hours, done + 1);
    std::optional<Array> sample =
        Array{ElementType::float64, {points}, std::shared_ptr<const std::byte>(owner, first)};
    const bool ends_hour = (s + 1) % an_hour == 0;
    if (is_chain != 0) {
      hour->add(*sample, 1.0);
      sample = ends_hour ? hour->take_record() : std::nullopt;
    }
    for (std::int64_t i = 0; sample && i < begun; ++i)
      running[static_cast<std::size_t>(i)]->add(*sample, 1.0);
    if (!ends_hour || done + 1 < hours) continue;
    const std::optional<Array> record = running[static_cast<std::size_t>((done + 1) % hours)]->take_record();
    const auto values = record->as<double>();
    out = std::copy(values.begin(), values.end(), out);
  }
  return now_ns() - begin;
}
