// The functions that bench/functions.py calls. They time each way to compute a function of many numbers.

#include <time.h>

#include <cmath>
#include <span>
#include <string_view>

#include "functions/elementary.h"
#include "functions/power.h"

namespace {

struct Arguments {
  const double *x, *y;
  std::size_t count;
};

template <class Function>
void each(const Arguments& arguments, double* out, Function function) {
  for (std::size_t i = 0; i < arguments.count; ++i) out[i] = function(arguments.x[i], arguments.y[i]);
}

void together(std::string_view name, const Arguments& arguments, double* out) {
  const std::span<const double> x(arguments.x, arguments.count);
  if (name == "exp") return pileus::exponentials(x, out);
  if (name == "log") return pileus::logarithms(x, out);
  if (name == "power") return pileus::powers(x, arguments.y, out);
  each(arguments, out, [](double a, double) { return pileus::sine(a); });
}

void one_by_one(std::string_view name, const Arguments& arguments, double* out) {
  if (name == "exp") return each(arguments, out, [](double a, double) { return pileus::exponential(a); });
  if (name == "log") return each(arguments, out, [](double a, double) { return pileus::logarithm(a); });
  if (name == "power") return each(arguments, out, [](double a, double b) { return pileus::power(a, b); });
  each(arguments, out, [](double a, double) { return pileus::sine(a); });
}

void of_c(std::string_view name, const Arguments& arguments, double* out) {
  if (name == "exp") return each(arguments, out, [](double a, double) { return std::exp(a); });
  if (name == "log") return each(arguments, out, [](double a, double) { return std::log(a); });
  if (name == "power") return each(arguments, out, [](double a, double b) { return std::pow(a, b); });
  each(arguments, out, [](double a, double) { return std::sin(a); });
}

}  // namespace

/// Nanoseconds of this thread for out[i] = function(x[i]), or x[i]^y[i] for power; -1 for an unknown way.
/// `function`: "exp", "log", "power" or "sin".
extern "C" double bench_function_ns(const char* way, const char* function, const double* x, const double* y,
                                    std::size_t count, double* out) {
  const std::string_view name(way);
  void (*const run)(std::string_view, const Arguments&, double*) = name == "together"     ? together
                                                                   : name == "one by one" ? one_by_one
                                                                   : name == "C library"  ? of_c
                                                                                          : nullptr;
  if (run == nullptr) return -1;
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
  };
  const double begin = now();
  run(function, {x, y, count}, out);
  return now() - begin;
}
