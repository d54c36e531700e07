#include "math/exactness.h"

#include <array>
#include <cstdint>
#include <span>

#include "core/error.h"
#include "functions/power.h"
#include "loops/sum_kernel.h"
#include "math/exact_sum.h"
#include "math/fp_environment.h"

namespace pileus {
namespace {

constexpr std::size_t kColumns = detail::kStrip;
constexpr std::size_t kTurns = 5;
constexpr double kPower = 0x1.ce72271343c54p-1;  // 0.7^0.2854
constexpr double kCube = 0x1.54bc6a7ef9db4p+0;   // 1.1^3

/// Columns of c, -c, 3 s, c s, … where s is small, and `less` added to each first c, which a plain sum of
/// doubles loses against the splitting constants.
template <class T>
bool sums_are(T small, T less) {
  std::array<T, 4 * kTurns * kColumns> values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T c = static_cast<T>(1 + i % kColumns);
    const T of_row[] = {c + less, -c, 3 * small, c * small};
    values[i] = of_row[i / kColumns % 4];
  }
  ExactSum whole;
  std::array<ExactSum, kColumns> columns;
  std::array<ExactSum*, kColumns> places;
  for (std::size_t c = 0; c < kColumns; ++c) places[c] = &columns[c];

  whole.add(std::span<const T>(values));
  ExactSum::add_columns(std::span<ExactSum* const>(places), values.data(), 4 * kTurns,
                        static_cast<std::ptrdiff_t>(kColumns));

  // Worked out by hand: all of this fits in a double.
  const double wide_small = small, wide_less = less;
  bool are_right = whole.round() == kTurns * (16 * wide_less + (48 + 136) * wide_small);
  for (std::size_t c = 0; c < kColumns; ++c) {
    are_right = are_right &&
                columns[c].round() == kTurns * (wide_less + (3 + 1 + static_cast<double>(c)) * wide_small);
  }
  return are_right;
}

std::string tested() {
  const FloatingPointEnvironment environment;
  return what_is_not_exact();
}

}  // namespace

std::string what_is_not_exact() {
  if (!is_exact())
    return "floating-point arithmetic is not that of IEEE 754 (another rounding mode, flush-to-zero, or "
           "compiled with fast-math)";
  if (!sums_are<double>(0x1p-27, 0x1p-45) || !sums_are<float>(0x1p-12F, 0x1p-18F))
    return std::string("the loops \"") + detail::sum_kernel().name + "\" of exact sums lose something";
  // Python's decimal arithmetic with 80 digits says so.
  if (power(0.7, 0.2854) != kPower || power(1.1, 3) != kCube) return "powers are not what they should be";
  return "";
}

void require_exact() {
  static const std::string what = tested();
  if (what.empty()) return;
  throw PluginError("this build of Pileus does not compute exactly on this processor: " + what +
                    "; compile it without -ffast-math and -Ofast");
}

}  // namespace pileus
