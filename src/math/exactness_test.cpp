#include "math/exactness.h"

#include <gtest/gtest.h>

#include <cfenv>

#include "loops/sum_kernel.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace pileus {
namespace {

TEST(Exactness, finds_nothing_wrong_with_this_build_on_any_set_of_loops) {
  const detail::SumKernel& usual = detail::sum_kernel();
  for (const detail::SumKernel* kernel : detail::sum_kernels()) {
    if (!detail::is_usable(*kernel)) continue;
    detail::use_sum_kernel(*kernel);

    EXPECT_EQ(what_is_not_exact(), "") << kernel->name;
  }
  detail::use_sum_kernel(usual);
  EXPECT_NO_THROW(require_exact());
}

TEST(Exactness, names_another_rounding_mode) {
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    std::fesetround(mode);

    const std::string what = what_is_not_exact();

    std::fesetround(FE_TONEAREST);
    EXPECT_NE(what.find("rounding mode"), std::string::npos) << mode;
  }
}

#if defined(__x86_64__)
TEST(Exactness, names_flush_to_zero) {
  const unsigned usual = _mm_getcsr();
  _mm_setcsr(usual | 0x8040U);

  const std::string what = what_is_not_exact();

  _mm_setcsr(usual);
  EXPECT_NE(what.find("flush-to-zero"), std::string::npos);
}
#endif

/// A block as fast-math makes it. It takes (s + x) - s for x, so that nothing is left of the small parts.
void forgetful_block(const double* values, std::size_t count, const double* bases, int folds,
                     detail::BlockSum& result) {
  detail::sum_kernels()[0]->of_doubles.sum_block(values, count, bases, folds, result);
  result.parts[folds] = 0;
}

/// And of columns, where the last one is forgotten.
void forgetful_columns(const double* values, std::size_t rows, std::ptrdiff_t stride,
                       const detail::ColumnBases& bases, int folds, detail::ColumnSums& result) {
  detail::sum_kernels()[0]->of_doubles.sum_columns(values, rows, stride, bases, folds, result);
  result.parts[0][detail::kStrip - 1] = 0;
}

TEST(Exactness, names_loops_that_lose_something) {
  const detail::SumKernel& usual = detail::sum_kernel();
  detail::SumKernel forgets_blocks = *detail::sum_kernels()[0];
  forgets_blocks.name = "forgetful";
  detail::SumKernel forgets_columns = forgets_blocks;
  forgets_blocks.of_doubles.sum_block = forgetful_block;
  forgets_columns.of_doubles.sum_columns = forgetful_columns;
  for (const detail::SumKernel* kernel : {&forgets_blocks, &forgets_columns}) {
    detail::use_sum_kernel(*kernel);

    const std::string what = what_is_not_exact();

    detail::use_sum_kernel(usual);
    EXPECT_NE(what.find("\"forgetful\""), std::string::npos) << what;
  }
}

}  // namespace
}  // namespace pileus
