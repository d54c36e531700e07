#include "math/fp_environment.h"

#include <bit>
#include <cmath>
#include <limits>

#include "loops/double_double.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#elif !defined(__aarch64__)
#error "Pileus knows the floating-point modes of x86-64 and aarch64 only"
#endif

namespace pileus {
namespace {

#if defined(__x86_64__)

// MXCSR: all exceptions masked (bits 7 to 12), nearest (13 and 14 zero), no FTZ (15), no DAZ (6), no flags.
// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1, 10.2.3.
constexpr std::uint64_t kExact = 0x1F80;
std::uint64_t read_modes() { return _mm_getcsr(); }
void write_modes(std::uint64_t modes) { _mm_setcsr(static_cast<unsigned>(modes)); }

#else

// FPCR: nearest (RMode 0), no FZ, no FZ16, no trap, no default NaN.
// Source: Arm Architecture Reference Manual for A-profile, C5.2.8.
constexpr std::uint64_t kExact = 0;
std::uint64_t read_modes() {
  std::uint64_t modes = 0;
  asm volatile("mrs %0, fpcr" : "=r"(modes));
  return modes;
}
void write_modes(std::uint64_t modes) { asm volatile("msr fpcr, %0" : : "r"(modes) : "memory"); }

#endif

/// A value that the compiler cannot know, so that nothing is computed while compiling.
double at_run_time(double value) {
  volatile double hidden = value;
  return hidden;
}

bool sums_are_exact() {
  // 1 + 2^-53 is a tie and rounds to even, 1; the lost 2^-53 is the error. Fast-math makes it 0.
  const WithError tie = two_sum(at_run_time(1), at_run_time(0x1p-53));
  // Rounding up would give 1 + 2^-52 and rounding down or to zero -1 + 2^-53 here.
  const WithError minus = two_sum(at_run_time(-1), at_run_time(-0x1p-53));
  const WithError above = two_sum(at_run_time(1), at_run_time(0x1.8p-53));
  return tie.high == 1 && tie.error == 0x1p-53 && minus.high == -1 && minus.error == -0x1p-53 &&
         above.high == 1 + 0x1p-52 && above.error == -0x1p-54;
}

bool products_are_exact() {
  // (1 + 2^-30)² = 1 + 2^-29 + 2^-60, of which the last term does not fit.
  const double a = at_run_time(1 + 0x1p-30);
  const WithError square = two_product(a, a);
  return square.high == 1 + 0x1p-29 && square.error == 0x1p-60;
}

bool nothing_is_contracted() {
  // The product rounds to 1 + 2^-29 first, so the difference is 0; contracted into an fma it is 2^-60.
  const double a = at_run_time(1 + 0x1p-30);
  const double b = at_run_time(1 + 0x1p-30);
  const double c = at_run_time(1 + 0x1p-29);
  return at_run_time(a * b - c) == 0;
}

bool subnormals_are_kept() {
  const double smallest = at_run_time(std::numeric_limits<double>::denorm_min());
  const double twice = at_run_time(smallest + smallest);                       // zero if operands are flushed
  const double half = at_run_time(at_run_time(0x1p-1022) * at_run_time(0.5));  // zero if results are flushed
  return std::bit_cast<std::uint64_t>(twice) == 2 && std::bit_cast<std::uint64_t>(half) == std::uint64_t{1}
                                                                                               << 51;
}

bool non_finite_values_are_kept() {
  const double infinity = at_run_time(std::numeric_limits<double>::infinity());
  const double nan = at_run_time(infinity - infinity);
  return nan != nan && std::isnan(nan) && std::isinf(infinity) && std::signbit(at_run_time(-0.0) + -0.0);
}

}  // namespace

FloatingPointEnvironment::FloatingPointEnvironment() : saved_(read_modes()) {
  if (saved_ != kExact) write_modes(kExact);
}

FloatingPointEnvironment::~FloatingPointEnvironment() {
  if (read_modes() != saved_) write_modes(saved_);
}

bool is_exact() {
  return sums_are_exact() && products_are_exact() && nothing_is_contracted() && subnormals_are_kept() &&
         non_finite_values_are_kept();
}

}  // namespace pileus
