#include "files/value_layout.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "core/rounding.h"
#include "files/testing/small_plan.h"
#include "time/manipulations/list.h"

namespace pileus::testing {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kFill = 9.9692099683868690e+36;  // NC_FILL_DOUBLE

template <class T>
Array array_of(ElementType type, std::vector<T> values) {
  auto owner = std::make_shared<std::vector<T>>(std::move(values));
  const auto* first = reinterpret_cast<const std::byte*>(owner->data());
  return {type, {static_cast<Index>(owner->size())}, std::shared_ptr<const std::byte>(owner, first)};
}

template <class To>
std::vector<To> converted(const Array& array, const ValueLayout& layout) {
  const Record part{
      VariableId(0), {}, {std::vector<Index>(array.extents.size(), 0), array.extents}, array, nullptr};
  std::vector<To> out(static_cast<std::size_t>(array.size()));
  convert(part, layout, in_file(part.region, layout), std::as_writable_bytes(std::span(out)));
  return out;
}

TEST(ValueLayout, is_that_of_memory_where_nothing_is_asked_for) {
  const Record part{VariableId(0), {}, {{0}, {3}}, numbers({3}, 0), nullptr};

  EXPECT_TRUE(has_layout(part, {}));
  EXPECT_FALSE(has_layout(part, {ElementType::float32}));
  EXPECT_FALSE(has_layout(part, {ElementType::float64, {}, 10}));
  EXPECT_FALSE(has_layout(part, {ElementType::float64, {}, 0, 1e20}));
  EXPECT_FALSE(has_layout({VariableId(0), {}, {{0}, {3}}, std::nullopt, nullptr}, {}));
}

TEST(ValueLayout, rounds_to_multiples_with_no_larger_an_error_than_half_of_one) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> any(-1, 1);
  for (int n = 0; n < 20000; ++n) {
    ValueLayout layout;
    layout.step = std::ldexp(1.0, static_cast<int>(random() % 60) - 40);
    const double x = std::ldexp(any(random), static_cast<int>(random() % 80) - 40);
    const double found = converted<double>(array_of<double>(ElementType::float64, {x}), layout).front();
    EXPECT_LE(std::abs(found - x), layout.step / 2) << x << " by " << layout.step;
    EXPECT_TRUE(std::abs(x) >= std::ldexp(layout.step, 52) || std::fmod(found, layout.step) == 0);
    EXPECT_EQ(converted<double>(array_of<double>(ElementType::float64, {found}), layout).front(), found);
  }
}

TEST(ValueLayout, rounds_to_even_multiples_and_leaves_what_is_no_number) {
  ValueLayout layout;
  layout.step = 0.25;
  layout.missing_value = -999;
  const Array values = array_of<double>(
      ElementType::float64, {0.125, 0.375, -0.125, 1e300, kNan, kInfinity, -kInfinity, -999, 0.1, 5e-324});
  const std::vector<double> found = converted<double>(values, layout);

  const std::vector<double> expected = {0, 0.5, 0, 1e300, kNan, kInfinity, -kInfinity, kFill, 0, 0};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (i == 4) {
      EXPECT_TRUE(std::isnan(found[i]));
    } else {
      EXPECT_EQ(found[i], expected[i]) << i;
    }
  }
  EXPECT_FALSE(has_layout({VariableId(0), {}, {{0}, {10}}, values, nullptr}, layout));
  layout.missing_value.reset();
  EXPECT_FALSE(has_layout({VariableId(0), {}, {{0}, {10}}, values, nullptr}, layout));
  EXPECT_EQ(converted<std::int32_t>(array_of<std::int32_t>(ElementType::int32, {7}),
                                    {ElementType::int32, {}, 0, {}, {}, 4})
                .front(),
            7)
      << "whole numbers stay";
}

TEST(ValueLayout, follows_the_dimensions_of_the_variable) {
  SmallPlan small;
  const DimensionId x = small.dimension("x", 3), y = small.dimension("y", 4), z = small.dimension("z", 2);
  small.variable("w", small.axis(small.file("f.nc", 10), manipulations::none(), 0), Spread::distributed,
                 {x, y, z});
  EXPECT_FALSE(value_layout(small.plan, VariableId(0)).is_reordered());

  small.plan.variables[0].dimensions = {z, x, y};

  const ValueLayout layout = value_layout(small.plan, VariableId(0));
  EXPECT_EQ(layout.axes, (std::vector<int>{2, 0, 1}));
  EXPECT_EQ(in_file({{1, 2, 0}, {2, 1, 2}}, layout), (Region{{0, 1, 2}, {2, 2, 1}}));
}

TEST(Convert, between_all_pairs_of_types) {
  const std::vector<Array> arrays = {array_of<double>(ElementType::float64, {-2, 3}),
                                     array_of<float>(ElementType::float32, {-2, 3}),
                                     array_of<std::int32_t>(ElementType::int32, {-2, 3}),
                                     array_of<std::int64_t>(ElementType::int64, {-2, 3})};

  for (const Array& from : arrays) {
    for (const Array& to : arrays) {
      const Record part{VariableId(0), {}, {{0}, {2}}, from, nullptr};
      std::vector<std::byte> out(to.size_bytes());
      convert(part, {to.type}, {{0}, {2}}, out);
      EXPECT_EQ(std::memcmp(out.data(), to.bytes.get(), out.size()), 0);
    }
  }
}

TEST(Convert, rounds_to_float_and_cuts_to_integers) {
  const Array array = array_of<double>(ElementType::float64, {1 + 0x1p-30, -2.75});

  // 1 + 2^-30 lies nearer to 1 than to the next float, 1 + 2^-23.
  EXPECT_EQ(converted<float>(array, {ElementType::float32})[0], 1.0F);
  EXPECT_EQ(converted<std::int32_t>(array, {ElementType::int32})[1], -2);
}

TEST(Convert, makes_the_fill_value_of_the_missing_one_and_leaves_nan_alone) {
  const Array array = array_of<double>(ElementType::float64, {1, -999, kNan, kInfinity});

  const auto found = converted<double>(array, {ElementType::float64, {}, 10, -999.0});
  EXPECT_EQ(found[0], 1);
  EXPECT_EQ(found[1], kFill);
  EXPECT_TRUE(std::isnan(found[2]));
  EXPECT_EQ(found[3], kInfinity);
  EXPECT_EQ(converted<double>(array, {ElementType::float64, {}, 0, kNan})[2], kFill);
  const Array integers = array_of<std::int32_t>(ElementType::int32, {-999, 5});
  EXPECT_EQ(converted<std::int32_t>(integers, {ElementType::int32, {}, 0, -999.0}),
            (std::vector<std::int32_t>{-2147483647, 5}));
}

TEST(Convert, turns_any_box_of_up_to_six_dimensions_as_the_naive_loop_does) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const std::size_t rank = 1 + random() % 6;
    Region part_region, box;
    std::vector<int> axes;
    for (std::size_t d = 0; d < rank; ++d) {
      part_region.start.push_back(static_cast<Index>(random() % 5));
      part_region.count.push_back(static_cast<Index>(1 + random() % (rank < 3 ? 80 : 6)));
      axes.push_back(static_cast<int>(d));
    }
    std::shuffle(axes.begin(), axes.end(), random);
    const ValueLayout layout{ElementType::float32, axes};
    const Record part{VariableId(0), {}, part_region, numbers(part_region.count, 0), nullptr};
    box = in_file(part_region, layout);
    for (std::size_t d = 0; d < rank; ++d) {
      const Index skipped = static_cast<Index>(random() % static_cast<std::size_t>(box.count[d]));
      box.start[d] += skipped;
      box.count[d] -= skipped;
    }

    std::vector<float> found(static_cast<std::size_t>(box.size()), -1);
    convert(part, layout, box, std::as_writable_bytes(std::span(found)));

    for (Index at = 0; at < box.size(); ++at) {
      Index rest = at;
      std::vector<Index> in_memory(rank);
      for (std::size_t d = 0; d < rank; ++d) {
        const auto axis = static_cast<std::size_t>(axes[d]);
        in_memory[axis] = box.start[d] + rest % box.count[d] - part_region.start[axis];
        rest /= box.count[d];
      }
      Index place = 0;
      for (std::size_t d = rank; d-- > 0;) place = place * part_region.count[d] + in_memory[d];
      ASSERT_EQ(found[static_cast<std::size_t>(at)], static_cast<float>(place)) << round << " at " << at;
    }
  }
}

TEST(RoundedTo, takes_the_nearest_and_of_two_the_even_one) {
  // With 2 bits of fraction the numbers from 1 to 2 are 1, 1.25, 1.5, 1.75.
  EXPECT_EQ(rounded_to(1.1, 2), 1);
  EXPECT_EQ(rounded_to(1.2, 2), 1.25);
  EXPECT_EQ(rounded_to(1.125, 2), 1);    // half way: 1 is 1.00b, even
  EXPECT_EQ(rounded_to(1.375, 2), 1.5);  // half way: 1.25 is 1.01b, odd
  EXPECT_EQ(rounded_to(1.3750001, 2), 1.5);
  EXPECT_EQ(rounded_to(1.3749999, 2), 1.25);
  EXPECT_EQ(rounded_to(1.9, 2), 2);
  EXPECT_EQ(rounded_to(-1.2, 2), -1.25);
  EXPECT_EQ(rounded_to(0.0, 2), 0);
  EXPECT_TRUE(std::signbit(rounded_to(-0.0, 2)));
  EXPECT_EQ(rounded_to(1.1, 52), 1.1);
}

TEST(RoundedTo, leaves_what_is_no_number_and_what_would_be_none) {
  EXPECT_TRUE(std::isnan(rounded_to(kNan, 3)));
  EXPECT_EQ(rounded_to(-kInfinity, 3), -kInfinity);
  EXPECT_EQ(rounded_to(std::numeric_limits<double>::max(), 3), std::numeric_limits<double>::max());
}

TEST(RoundedTo, is_off_by_at_most_half_a_unit_of_the_last_bit_that_is_kept) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 100000; ++i) {
    const double value =
        std::ldexp(static_cast<double>(random()) - 0x1p63, static_cast<int>(random() % 200) - 150);
    const int bits = 1 + static_cast<int>(random() % 51);
    const double unit = std::ldexp(1.0, std::ilogb(value) - bits);
    const double rounded = rounded_to(value, bits);
    ASSERT_LE(std::abs(rounded - value), unit / 2) << value << " to " << bits;
    ASSERT_EQ(std::fmod(rounded, unit), 0) << value << " to " << bits;
  }
}

}  // namespace
}  // namespace pileus::testing
