#include "math/fp_environment.h"

#include <gtest/gtest.h>

#include <cfenv>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace pileus {
namespace {

TEST(FloatingPointEnvironment, is_exact_as_built) { EXPECT_TRUE(is_exact()); }

TEST(FloatingPointEnvironment, sets_rounding_to_nearest_and_puts_the_old_mode_back) {
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    std::fesetround(mode);

    const bool before = is_exact();
    bool inside = false;
    {
      const FloatingPointEnvironment environment;
      inside = is_exact();
    }
    const bool after = is_exact();

    std::fesetround(FE_TONEAREST);
    EXPECT_FALSE(before);
    EXPECT_TRUE(inside);
    EXPECT_FALSE(after);
  }
}

#if defined(__x86_64__)

TEST(FloatingPointEnvironment, keeps_subnormals_where_the_model_flushes_them) {
  const unsigned usual = _mm_getcsr();
  for (const unsigned flush : {0x8000U, 0x0040U, 0x8040U}) {  // FTZ, DAZ, both
    _mm_setcsr(usual | flush);

    const bool before = is_exact();
    bool inside = false;
    {
      const FloatingPointEnvironment environment;
      inside = is_exact();
    }
    const unsigned after = _mm_getcsr();

    _mm_setcsr(usual);
    EXPECT_FALSE(before) << flush;
    EXPECT_TRUE(inside) << flush;
    EXPECT_EQ(after & 0xFFC0U, (usual | flush) & 0xFFC0U);
  }
}

TEST(FloatingPointEnvironment, masks_traps_and_puts_them_back) {
  const unsigned usual = _mm_getcsr();
  _mm_setcsr(usual & ~0x0200U & ~0x003FU);  // a division by zero would trap

  double quotient = 0;
  {
    const FloatingPointEnvironment environment;
    volatile double zero = 0;
    quotient = 1 / zero;
  }
  const unsigned after = _mm_getcsr();

  _mm_setcsr(usual);
  EXPECT_GT(quotient, 1e308);
  EXPECT_EQ(after & 0x0200U, 0U);
  EXPECT_EQ(after & 0x003FU, 0U) << "a flag of the division would be left for the model";
}

#endif

}  // namespace
}  // namespace pileus
