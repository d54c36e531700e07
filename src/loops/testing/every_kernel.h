#pragma once
// For tests that hold for each set of loops.

#include <gtest/gtest.h>

#include "loops/sum_kernel.h"

namespace pileus::testing {

/// Each test runs with each set of loops, which the process uses again as before at the end.
class EveryKernel : public ::testing::TestWithParam<const detail::SumKernel*> {
 protected:
  void SetUp() override {
    if (!detail::is_usable(*GetParam())) GTEST_SKIP() << "this processor cannot run " << GetParam()->name;
    detail::use_sum_kernel(*GetParam());
  }
  void TearDown() override { detail::use_sum_kernel(usual_); }

 private:
  const detail::SumKernel& usual_ = detail::sum_kernel();
};

}  // namespace pileus::testing
