#include "analytics/operators/arithmetic.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "analytics/testing/handmade_plan.h"
#include "loops/sum_kernel.h"

namespace pileus {
namespace {

using testing::Equation;
using Values = std::vector<double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Values values_of(const Array& array) {
  const auto values = array.as<double>();
  return {values.begin(), values.end()};
}

/// One operation on two rows of numbers.
Values two_rows(Operation operation, const Values& a, const Values& b) {
  const auto size = static_cast<Index>(a.size());
  return values_of(evaluate(Equation::of_two(operation),
                            {{make_array(a, {size}), 0, {1}}, {make_array(b, {size}), 0, {1}}}, {size}));
}

TEST(Arithmetic, has_the_operations_of_school) {
  EXPECT_EQ(two_rows(Operation::add, {1, -2, 0.5}, {2, 3, 0.25}), (Values{3, 1, 0.75}));
  EXPECT_EQ(two_rows(Operation::subtract, {1, -2, 0.5}, {2, 3, 0.25}), (Values{-1, -5, 0.25}));
  EXPECT_EQ(two_rows(Operation::multiply, {1, -2, 0.5}, {2, 3, 0.25}), (Values{2, -6, 0.125}));
  EXPECT_EQ(two_rows(Operation::divide, {1, -3, 0.5}, {2, 3, 0.25}), (Values{0.5, -1, 2}));
  EXPECT_EQ(two_rows(Operation::power, {2, -3, 9, 5}, {10, 3, 0.5, 0}), (Values{1024, -27, 3, 1}));
}

TEST(Arithmetic, negates_zeros_too) {
  Equation equation;
  equation.negate(equation.input(0));

  const Array result = evaluate(equation.program(), {{make_array({1, -2, 0}, {3}), 0, {1}}}, {3});

  EXPECT_EQ(values_of(result), (Values{-1, 2, 0}));
  EXPECT_TRUE(std::signbit(values_of(result)[2]));
}

TEST(Arithmetic, follows_ieee_where_there_is_no_number) {
  const Values quotients = two_rows(Operation::divide, {1, -1, 0, kInfinity}, {0, 0, 0, 2});
  const Values sums = two_rows(Operation::add, {kNan, kInfinity, kInfinity}, {1, 1, -kInfinity});

  EXPECT_EQ(quotients[0], kInfinity);
  EXPECT_EQ(quotients[1], -kInfinity);
  EXPECT_TRUE(std::isnan(quotients[2]));
  EXPECT_EQ(quotients[3], kInfinity);
  EXPECT_TRUE(std::isnan(sums[0]));
  EXPECT_EQ(sums[1], kInfinity);
  EXPECT_TRUE(std::isnan(sums[2]));
  EXPECT_TRUE(std::isnan(two_rows(Operation::power, {-1}, {0.5})[0]));
}

TEST(Arithmetic, makes_one_nan_of_all_with_every_set_of_loops) {
  const detail::SumKernel& usual = detail::sum_kernel();
  const double others[] = {-kNan, std::bit_cast<double>(0x7FF0000000000001),
                           std::bit_cast<double>(0xFFF8000000001234)};
  for (const detail::SumKernel* kernel : detail::sum_kernels()) {
    if (!detail::is_usable(*kernel)) continue;
    detail::use_sum_kernel(*kernel);
    for (const std::size_t size : {1UL, 7UL, 64UL, 700UL, 3000UL}) {
      Values a(size, 0), b(size, 0);
      for (std::size_t i = 0; i < size; ++i) {
        a[i] = i % 4 == 3 ? 0 : others[i % 4];
        b[i] = i % 3 == 2 ? -kNan : 0;
      }
      for (const Operation operation : {Operation::add, Operation::subtract, Operation::multiply,
                                        Operation::divide, Operation::modulo, Operation::power}) {
        for (const double value : two_rows(operation, a, b)) {
          if (!std::isnan(value)) continue;
          ASSERT_EQ(std::bit_cast<std::uint64_t>(value), std::bit_cast<std::uint64_t>(kNan))
              << kernel->name << ", operation " << static_cast<int>(operation) << " on " << size;
        }
      }
    }
  }
  detail::use_sum_kernel(usual);
}

TEST(Arithmetic, keeps_a_nan_to_its_element) {
  const Values products = two_rows(Operation::multiply, {1, kNan, 3}, {2, 0, 2});

  EXPECT_EQ(products[0], 2);
  EXPECT_TRUE(std::isnan(products[1]));
  EXPECT_EQ(products[2], 6);
}

TEST(Arithmetic, does_not_fuse_a_product_with_a_sum) {
  // (1 + e) (1 - e) = 1 - e e rounds to 1 for e = 2^-30, so the difference from 1 is 0; fused it is -2^-60.
  Equation equation;
  const std::uint32_t a = equation.input(0), b = equation.input(1);
  const std::uint32_t product = equation.apply(Operation::multiply, a, b);
  equation.apply(Operation::subtract, product, equation.constant(1));
  const Array result =
      evaluate(equation.program(),
               {{make_array({1 + 0x1p-30}, {}), 0, {}}, {make_array({1 - 0x1p-30}, {}), 0, {}}}, {});

  EXPECT_EQ(values_of(result), Values{0});
}

TEST(Arithmetic, on_scalars_gives_a_scalar) {
  const Array result = evaluate(Equation::of_two(Operation::subtract),
                                {{make_array({5}, {}), 0, {}}, {make_array({3}, {}), 0, {}}}, {});

  EXPECT_EQ(result.extents, std::vector<Index>{});
  EXPECT_EQ(values_of(result), Values{2});
}

TEST(Arithmetic, without_inputs_fills_the_shape) {
  Equation equation;
  equation.constant(7);

  EXPECT_EQ(values_of(evaluate(equation.program(), {}, {2, 2})), (Values{7, 7, 7, 7}));
}

TEST(Arithmetic, uses_an_instruction_as_often_as_it_is_named) {
  // (a + 1) (a + 1) - a
  Equation equation;
  const std::uint32_t a = equation.input(0);
  const std::uint32_t next = equation.apply(Operation::add, a, equation.constant(1));
  equation.apply(Operation::subtract, equation.apply(Operation::multiply, next, next), a);

  EXPECT_EQ(values_of(evaluate(equation.program(), {{make_array({1, 2, 3}, {3}), 0, {1}}}, {3})),
            (Values{3, 7, 13}));
}

TEST(Arithmetic, repeats_inputs_along_the_dimensions_that_they_lack) {
  // x = (1, 2, 3) runs fastest, y = (10, 20): x + y over (x, y).
  const AlignedInput x{make_array({1, 2, 3}, {3}), 0, {1, 0}};
  const AlignedInput y{make_array({10, 20}, {2}), 0, {0, 1}};

  EXPECT_EQ(values_of(evaluate(Equation::of_two(Operation::add), {x, y}, {3, 2})),
            (Values{11, 12, 13, 21, 22, 23}));
}

TEST(Arithmetic, repeats_single_numbers_along_rows_of_any_length) {
  // c x + x / c + (x where c is not 0, else c), which is 5.25 x for c = 4.
  const Index length = 3001;
  Values row(static_cast<std::size_t>(length));
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = static_cast<double>(i);
  const AlignedInput x{make_array(row, {length}), 0, {1}}, c{make_array({4}, {1}), 0, {0}};
  const Program program{{{Operation::input, 0, 0},
                         {Operation::input, 0, 1},
                         {Operation::multiply, 0, 1, 0},
                         {Operation::divide, 0, 0, 1},
                         {Operation::select, 0, 0, 1, 1},
                         {Operation::add, 0, 2, 3},
                         {Operation::add, 0, 5, 4}}};

  const Values made = values_of(evaluate(program, {x, c}, {length}));

  for (std::size_t i = 0; i < row.size(); ++i) ASSERT_EQ(made[i], 5.25 * row[i]);
}

TEST(Arithmetic, takes_a_part_of_a_larger_input) {
  // Of 0 … 11 as (4, 3) the part from (1, 1) on, (2, 2) large: 5 6 / 9 10. Its first element is number 5.
  Values all(12);
  for (int i = 0; i < 12; ++i) all[static_cast<std::size_t>(i)] = i;
  Equation equation;
  equation.input(0);

  EXPECT_EQ(values_of(evaluate(equation.program(), {{make_array(all, {4, 3}), 5, {1, 4}}}, {2, 2})),
            (Values{5, 6, 9, 10}));
}

TEST(Arithmetic, takes_an_input_whose_dimensions_run_in_another_order) {
  // The input holds (y, x) = (2, 3), y fastest: element (x, y) is 2 x + y.
  Equation equation;
  equation.input(0);

  EXPECT_EQ(
      values_of(evaluate(equation.program(), {{make_array({0, 1, 2, 3, 4, 5}, {2, 3}), 0, {2, 1}}}, {3, 2})),
      (Values{0, 2, 4, 1, 3, 5}));
}

TEST(Arithmetic, of_empty_shapes_is_empty) {
  const AlignedInput none{make_array({}, {0, 3}), 0, {1, 0}};

  const Array result = evaluate(Equation::of_two(Operation::add), {none, none}, {0, 3});

  EXPECT_EQ(result.extents, (std::vector<Index>{0, 3}));
  EXPECT_EQ(result.size(), 0);
}

TEST(Arithmetic, is_the_same_on_rows_of_any_length) {
  // Rows about and beyond the blocks of 256: element i of row r is (1000 r + i) - i.
  for (Index row : {1, 255, 256, 257, 511, 512, 513, 1000}) {
    Values values, numbers;
    for (Index r = 0; r < 3; ++r) {
      for (Index i = 0; i < row; ++i) values.push_back(static_cast<double>(1000 * r + i));
    }
    for (Index i = 0; i < row; ++i) numbers.push_back(static_cast<double>(i));

    const Array result = evaluate(
        Equation::of_two(Operation::subtract),
        {{make_array(values, {row, 3}), 0, {1, row}}, {make_array(numbers, {row}), 0, {1, 0}}}, {row, 3});

    for (Index i = 0; i < 3 * row; ++i) {
      ASSERT_EQ(result.as<double>()[static_cast<std::size_t>(i)], static_cast<double>(1000 * (i / row)))
          << row;
    }
  }
}

// ---- Against a loop over elements ----

template <class T>
Array array_of(ElementType type, const Values& values, const std::vector<Index>& extents) {
  auto owner = std::make_shared<std::vector<T>>(values.begin(), values.end());
  return {type, extents,
          std::shared_ptr<const std::byte>(owner, reinterpret_cast<const std::byte*>(owner->data()))};
}

Array array_of_type(ElementType type, const Values& values, const std::vector<Index>& extents) {
  switch (type) {
    case ElementType::float64: return array_of<double>(type, values, extents);
    case ElementType::float32: return array_of<float>(type, values, extents);
    case ElementType::int32: return array_of<std::int32_t>(type, values, extents);
    case ElementType::int64: return array_of<std::int64_t>(type, values, extents);
    case ElementType::boolean: return array_of<std::int8_t>(type, values, extents);
    case ElementType::character: break;  // no number
  }
  return {};
}

/// An input with some of the result's dimensions, larger than the result and laid against it at `first`.
struct Operand {
  Values values;
  std::vector<std::size_t> dimensions;  // of the result, in the input's order
  std::vector<Index> extents, first;

  double at(const std::vector<Index>& position) const {
    Index offset = 0, stride = 1;
    for (std::size_t j = 0; j < dimensions.size(); ++j) {
      offset += (first[j] + position[dimensions[j]]) * stride;
      stride *= extents[j];
    }
    return values[static_cast<std::size_t>(offset)];
  }
  AlignedInput aligned(ElementType type, std::size_t rank) const {
    AlignedInput input{array_of_type(type, values, extents), 0, std::vector<Index>(rank, 0)};
    Index stride = 1;
    for (std::size_t j = 0; j < dimensions.size(); ++j) {
      input.strides[dimensions[j]] = stride;
      input.offset += first[j] * stride;
      stride *= extents[j];
    }
    return input;
  }
};

Operand random_operand(std::mt19937_64& random, const std::vector<Index>& extents) {
  Operand operand;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    if (random() % 3 > 0) operand.dimensions.push_back(d);
  }
  std::shuffle(operand.dimensions.begin(), operand.dimensions.end(), random);
  Index size = 1;
  for (std::size_t d : operand.dimensions) {
    operand.first.push_back(static_cast<Index>(random() % 3));
    operand.extents.push_back(operand.first.back() + extents[d] + static_cast<Index>(random() % 2));
    size *= operand.extents.back();
  }
  for (Index i = 0; i < size; ++i) operand.values.push_back(static_cast<double>(random() % 2000) - 1000);
  return operand;
}

TEST(Arithmetic, agrees_with_a_loop_over_the_elements_for_all_ranks_types_and_offsets) {
  std::mt19937_64 random(5);
  // (a - b) / (c + a), and what IEEE makes of it where c + a is 0.
  Equation equation;
  const std::uint32_t a = equation.input(0), b = equation.input(1), c = equation.input(2);
  const std::uint32_t upper = equation.apply(Operation::subtract, a, b);
  equation.apply(Operation::divide, upper, equation.apply(Operation::add, c, a));

  for (int run = 0; run < 500; ++run) {
    std::vector<Index> extents(static_cast<std::size_t>(run % 5));
    for (Index& extent : extents) extent = 1 + static_cast<Index>(random() % 6);
    if (!extents.empty() && run % 7 == 0) extents[0] = 250 + static_cast<Index>(random() % 300);
    std::vector<Operand> operands;
    std::vector<AlignedInput> inputs;
    for (int i = 0; i < 3; ++i) {
      operands.push_back(random_operand(random, extents));
      inputs.push_back(operands.back().aligned(static_cast<ElementType>(random() % 4), extents.size()));
    }

    const Array result = evaluate(equation.program(), inputs, extents);

    ASSERT_EQ(result.extents, extents);
    std::vector<Index> position(extents.size(), 0);
    for (double value : result.as<double>()) {
      const double x = operands[0].at(position), y = operands[1].at(position), z = operands[2].at(position);
      const double expected = (x - y) / (z + x);
      ASSERT_TRUE(value == expected || (std::isnan(value) && std::isnan(expected))) << "run " << run;
      for (std::size_t d = 0; d < extents.size() && ++position[d] == extents[d]; ++d) position[d] = 0;
    }
  }
}

TEST(Arithmetic, of_what_is_missing_is_missing) {
  const AlignedInput a{array_of_type(ElementType::float64, {1, -1, 3, 4}, {4}), 0, {1}, -1.0};
  const AlignedInput b{array_of_type(ElementType::float32, {2, 2, 9.5, 2}, {4}), 0, {1}, 9.5};

  const Array result = evaluate(Equation::of_two(Operation::multiply), {a, b}, {4});

  EXPECT_EQ(result.as<double>()[0], 2);
  EXPECT_EQ(result.as<double>()[1], 0x1.ep+122);
  EXPECT_EQ(result.as<double>()[2], 0x1.ep+122);
  EXPECT_EQ(result.as<double>()[3], 8);
}

TEST(Filter, keeps_elements_where_the_comparison_holds) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), missing = 0x1.ep+122;
  const AlignedInput a{array_of_type(ElementType::float64, {10, 20, 30, 40, 50}, {5}), 0, {1}};
  const AlignedInput b{array_of_type(ElementType::float64, {1, 2, 3, nan, -1}, {5}), 0, {1}};
  const auto kept = [&](Operation comparison) {
    Program program;
    program.instructions = {{Operation::input, 0, 0, 0},
                            {Operation::input, 0, 1, 0},
                            {Operation::constant, 2, 0, 0},
                            {comparison, 0, 1, 2},
                            {Operation::keep, 0, 0, 3}};
    const Array result = evaluate(program, {a, b}, {5});
    const auto values = result.as<double>();
    return std::vector<double>(values.begin(), values.end());
  };

  // Against 2: an equal value counts for <= and ==, a NaN for != alone.
  EXPECT_EQ(kept(Operation::less), (std::vector<double>{10, missing, missing, missing, 50}));
  EXPECT_EQ(kept(Operation::less_equal), (std::vector<double>{10, 20, missing, missing, 50}));
  EXPECT_EQ(kept(Operation::equal), (std::vector<double>{missing, 20, missing, missing, missing}));
  EXPECT_EQ(kept(Operation::not_equal), (std::vector<double>{10, missing, 30, 40, 50}));
}

TEST(Arithmetic, has_the_functions_of_one_number) {
  const auto of_one = [](Operation operation, const Values& a) {
    const Program program{{{Operation::input}, {operation, 0, 0}}};
    const auto size = static_cast<Index>(a.size());
    return values_of(evaluate(program, {{make_array(a, {size}), 0, {1}}}, {size}));
  };

  EXPECT_EQ(of_one(Operation::square_root, {4, 2.25, 0}), (Values{2, 1.5, 0}));
  EXPECT_EQ(of_one(Operation::absolute, {-4, 2, -kInfinity}), (Values{4, 2, kInfinity}));
  EXPECT_EQ(of_one(Operation::exponential, {0, -kInfinity}), (Values{1, 0}));
  EXPECT_EQ(of_one(Operation::logarithm, {1, kInfinity}), (Values{0, kInfinity}));
  EXPECT_EQ(of_one(Operation::sine, {0}), (Values{0}));
  EXPECT_EQ(of_one(Operation::cosine, {0}), (Values{1}));
  // e and π/3 as doubles; the values are those of 50 digits, rounded.
  EXPECT_EQ(of_one(Operation::exponential, {1})[0], 0x1.5bf0a8b145769p+1);
  EXPECT_EQ(of_one(Operation::logarithm, {10})[0], 0x1.26bb1bbb55516p+1);
  EXPECT_EQ(of_one(Operation::sine, {0.5})[0], 0x1.eaee8744b05f0p-2);
  EXPECT_EQ(of_one(Operation::cosine, {0.5})[0], 0x1.c1528065b7d50p-1);
}

TEST(Arithmetic, has_extrema_and_the_modulo_of_two_numbers) {
  EXPECT_EQ(two_rows(Operation::modulo, {7, -7, 5.5}, {3, 3, 2}), (Values{1, 2, 1.5}));
  EXPECT_EQ(two_rows(Operation::minimum, {1, -2, 5}, {2, -3, kInfinity}), (Values{1, -3, 5}));
  EXPECT_EQ(two_rows(Operation::maximum, {1, -2, 5}, {2, -3, -kInfinity}), (Values{2, -2, 5}));
  EXPECT_TRUE(std::isnan(two_rows(Operation::minimum, {kNan}, {0})[0]));
  EXPECT_TRUE(std::isnan(two_rows(Operation::maximum, {0}, {kNan})[0]));
}

/// Inputs 0 and 1, by whether input 2 is 0.
const Program kSelection{{{Operation::input, 0, 0},
                          {Operation::input, 0, 1},
                          {Operation::input, 0, 2},
                          {Operation::select, 0, 0, 1, 2}}};

TEST(Arithmetic, selects_where_a_condition_is_not_zero) {
  const AlignedInput a{make_array({1, 2, 3, 4, 5}, {5}), 0, {1}};
  const AlignedInput b{make_array({10, 20, 30, 40, 50}, {5}), 0, {1}};
  const AlignedInput condition{make_array({1, 0, -0.0, kNan, -0.5}, {5}), 0, {1}};

  const Array result = evaluate(kSelection, {a, b, condition}, {5});

  EXPECT_EQ(values_of(result), (Values{1, 20, 30, 4, 5})) << "a NaN is not zero, as in NumPy's where";
}

TEST(Arithmetic, selects_what_is_there_though_the_other_is_missing) {
  const AlignedInput a{make_array({-9, 2, -9, 4}, {4}), 0, {1}, -9};
  const AlignedInput b{make_array({10, -9, -9, 40}, {4}), 0, {1}, -9};
  const AlignedInput condition{make_array({0, 1, 1, 7}, {4}), 0, {1}, 7};
  const double missing = 0x1.ep+122;

  const Array result = evaluate(kSelection, {a, b, condition}, {4});

  EXPECT_EQ(values_of(result), (Values{10, 2, missing, missing})) << "the last condition is missing";
}

TEST(Arithmetic, of_a_selection_is_missing_only_where_that_is) {
  Program program = kSelection;
  program.instructions.push_back({Operation::add, 0, 3, 0});
  const AlignedInput a{make_array({1, -9, 3}, {3}), 0, {1}, -9};
  const AlignedInput b{make_array({-9, 20, -9}, {3}), 0, {1}, -9};
  const AlignedInput condition{make_array({1, 0, 0}, {3}), 0, {1}};
  const double missing = 0x1.ep+122;

  const Array result = evaluate(program, {a, b, condition}, {3});

  EXPECT_EQ(values_of(result), (Values{2, missing, missing}));
}

}  // namespace
}  // namespace pileus
