#include "expression/program_builder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace pileus::planning {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(ProgramBuilder, folds_what_the_processor_would_compute) {
  EXPECT_EQ(folded(Operation::square_root, 2.25, 0), 1.5);
  EXPECT_EQ(folded(Operation::absolute, -3, 0), 3);
  EXPECT_EQ(folded(Operation::minimum, 2, -3), -3);
  EXPECT_EQ(folded(Operation::maximum, 2, -3), 2);
}

TEST(ProgramBuilder, leaves_to_evaluation_what_is_delicate) {
  EXPECT_FALSE(folded(Operation::exponential, 1, 0));
  EXPECT_FALSE(folded(Operation::logarithm, 2, 0));
  EXPECT_FALSE(folded(Operation::sine, 1, 0));
  EXPECT_FALSE(folded(Operation::cosine, 1, 0));
  EXPECT_FALSE(folded(Operation::modulo, 7, 3));
  EXPECT_FALSE(folded(Operation::square_root, -1, 0));
  EXPECT_FALSE(folded(Operation::minimum, 0.0, -0.0));
  EXPECT_FALSE(folded(Operation::maximum, kNan, 1));
}

TEST(ProgramBuilder, extrema_are_one_instruction_whatever_the_order) {
  ProgramBuilder builder;
  const auto a = builder.input(0), b = builder.input(1);

  EXPECT_EQ(builder.operation(Operation::minimum, a, b), builder.operation(Operation::minimum, b, a));
  EXPECT_EQ(builder.operation(Operation::maximum, b, a), builder.operation(Operation::maximum, a, b));
  EXPECT_NE(builder.operation(Operation::modulo, a, b), builder.operation(Operation::modulo, b, a));
}

TEST(ProgramBuilder, a_selection_keeps_its_three_operands) {
  ProgramBuilder builder;
  builder.input(7);  // it is not used
  const auto a = builder.input(0), b = builder.input(1), condition = builder.input(2);

  const Program program = builder.finish(builder.select(condition, a, b));

  const Program expected{{{Operation::input, 0, 0},
                          {Operation::input, 0, 1},
                          {Operation::input, 0, 2},
                          {Operation::select, 0, 0, 1, 2}}};
  EXPECT_EQ(program, expected);
  EXPECT_NE(builder.select(condition, a, b), builder.select(condition, b, a));
  EXPECT_NE(builder.select(condition, a, b), builder.select(a, condition, b));
}

TEST(ProgramBuilder, a_known_condition_selects_already) {
  ProgramBuilder builder;
  const auto a = builder.input(0), b = builder.input(1);

  EXPECT_EQ(builder.select(builder.constant(2), a, b), a);
  EXPECT_EQ(builder.select(builder.constant(-0.0), a, b), b);
  const auto unknown = builder.select(builder.constant(kNan), a, b);
  EXPECT_TRUE(unknown != a && unknown != b) << "an option that is not known yet is a NaN";
}

}  // namespace
}  // namespace pileus::planning
