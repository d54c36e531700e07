#include "analytics/operators/localreduce.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "analytics/testing/handmade_plan.h"

namespace pileus {
namespace {

using testing::numbers_of;
using Values = std::vector<double>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr Reduction kReductions[] = {Reduction::sum, Reduction::mean, Reduction::min, Reduction::max};

/// All but those of several operands.
std::vector<Reduction> reductions_of_numbers() {
  std::vector<Reduction> all;
  for (const ReductionDeclaration& declared : kDeclaredReductions)
    if (declared.operands() == 1) all.push_back(declared.reduction);
  return all;
}

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

TEST(LocalReduce, over_all_axes_gives_one_number) {
  const Array array = make_array({1, 2, 3, 4, 5, 6}, {3, 2});

  EXPECT_EQ(numbers_of(local_reduce(array, Reduction::sum, {0, 1}, {{}, {}})), Values{21});
  EXPECT_EQ(numbers_of(local_reduce(array, Reduction::mean, {0, 1}, {{}, {}})), Values{3.5});
  EXPECT_EQ(numbers_of(local_reduce(array, Reduction::min, {0, 1}, {{}, {}})), Values{1});
  EXPECT_EQ(numbers_of(local_reduce(array, Reduction::max, {0, 1}, {{}, {}})), Values{6});
}

TEST(LocalReduce, over_one_axis_keeps_the_other) {
  const Array array = make_array({1, 2, 3, 4, 5, 6}, {3, 2});  // rows (1 2 3) and (4 5 6)

  EXPECT_EQ(numbers_of(local_reduce(array, Reduction::sum, {0}, {{2}, {0}})), (Values{6, 15}));
  EXPECT_EQ(numbers_of(local_reduce(array, Reduction::sum, {1}, {{3}, {0}})), (Values{5, 7, 9}));
  EXPECT_EQ(numbers_of(local_reduce(array, Reduction::sum, {}, {{3, 2}, {0, 0}})),
            (Values{1, 2, 3, 4, 5, 6}));
}

TEST(LocalReduce, of_a_scalar_is_its_value) {
  const PartialArray result = local_reduce(make_array({4}, {}), Reduction::mean, {}, {{}, {}});

  EXPECT_EQ(result.extents, std::vector<Index>{});
  EXPECT_EQ(numbers_of(result), Values{4});
  EXPECT_EQ((*result.values)[0].count(), 1);
}

TEST(LocalReduce, puts_its_part_where_it_lies_in_the_whole) {
  // Levels 2 and 3 of 5: the others hold nothing of this part.
  const PartialArray result = local_reduce(make_array({1, 2, 3, 4}, {2, 2}), Reduction::sum, {0}, {{5}, {2}});

  EXPECT_EQ(numbers_of(result), (Values{0, 0, 3, 7, 0}));
  EXPECT_EQ((*result.values)[1].count(), 0);
  EXPECT_EQ((*result.values)[2].count(), 2);
}

TEST(LocalReduce, of_an_empty_array_says_nothing) {
  for (Reduction reduction : kReductions) {
    const PartialArray column = local_reduce(make_array({}, {0, 2}), reduction, {0}, {{4}, {1}});
    const PartialArray all = local_reduce(make_array({}, {3, 0}), reduction, {0, 1}, {{}, {}});

    EXPECT_EQ(column.extents, std::vector<Index>{4});
    ASSERT_EQ(column.values->size(), 4U);
    ASSERT_EQ(all.values->size(), 1U);
    for (const Partial& partial : column.values->each()) EXPECT_EQ(partial.count(), 0);
    EXPECT_EQ((*all.values)[0].count(), 0);
  }
}

TEST(LocalReduce, keeps_a_nan_to_its_result) {
  const Array array = make_array({1, kNan, 3, 4, 5, 6}, {3, 2});
  for (Reduction reduction : kReductions) {
    const Values rows = numbers_of(local_reduce(array, reduction, {0}, {{2}, {0}}));
    const Values columns = numbers_of(local_reduce(array, reduction, {1}, {{3}, {0}}));

    EXPECT_TRUE(std::isnan(rows[0]));
    EXPECT_FALSE(std::isnan(rows[1]));
    EXPECT_FALSE(std::isnan(columns[0]));
    EXPECT_TRUE(std::isnan(columns[1]));
    EXPECT_FALSE(std::isnan(columns[2]));
  }
}

TEST(LocalReduce, sums_without_rounding_on_every_path) {
  // 1e16 + 1 - 1e16 is 1. As one row, as columns, and as rows of a block that is reduced over its first axis.
  const Values hard{1e16, 1, -1e16};

  EXPECT_EQ(numbers_of(local_reduce(make_array(hard, {3}), Reduction::sum, {0}, {{}, {}})), Values{1});
  EXPECT_EQ(numbers_of(local_reduce(make_array(hard, {1, 3}), Reduction::sum, {1}, {{1}, {0}})), Values{1});
  EXPECT_EQ(numbers_of(local_reduce(make_array(hard, {3, 1}), Reduction::sum, {0}, {{1}, {0}})), Values{1});
  EXPECT_EQ(numbers_of(local_reduce(make_array(hard, {1, 3, 1}), Reduction::sum, {1}, {{1, 1}, {0, 0}})),
            Values{1});
}

TEST(LocalReduce, of_floats_sums_what_they_are) {
  // 0.1F is 13421773 / 2^27; three of them are exactly three times that.
  const PartialArray sum = local_reduce(array_of<float>(ElementType::float32, {0.1, 0.1, 0.1}, {3}),
                                        Reduction::sum, {0}, {{}, {}});

  EXPECT_EQ(numbers_of(sum), Values{3 * 13421773.0 / 0x1p27});
}

// ---- Against a loop over elements ----

struct Naive {
  std::vector<Values> collected;  // by element of the result

  double value(std::size_t i, Reduction reduction) const {
    const Values& values = collected[i];
    const auto count = static_cast<double>(values.size());
    const auto zeros = std::ranges::count(values, 0.0);
    double sum = 0, squares = 0;  // exact, as the numbers are small multiples of 1/8
    for (double value : values) sum += value, squares += value * value;
    const double variance = (count * squares - sum * sum) / (count * count);
    switch (reduction) {
      case Reduction::sum: return sum;
      case Reduction::mean: return sum / count;
      case Reduction::min: return std::ranges::min(values);
      case Reduction::max: return std::ranges::max(values);
      case Reduction::variance: return variance;
      case Reduction::standard_deviation: return std::sqrt(variance);
      case Reduction::count: return count;
      case Reduction::any: return zeros < std::ssize(values);
      case Reduction::all: return zeros == 0;
      case Reduction::root_mean_square: return std::sqrt(squares / count);
      default: break;
    }
    ADD_FAILURE() << "there is no loop for " << word_of(reduction);
    return 0;
  }
};

bool is_near(double value, double expected) {
  return std::abs(value - expected) <= 2 * std::numeric_limits<double>::epsilon() * expected;
}

struct Case {
  std::vector<Index> extents;
  Values values;
  std::vector<int> axes;
  ReducedShape shape;
};

Case random_case(std::mt19937_64& random, std::size_t rank, unsigned subset, bool are_integers) {
  Case one;
  Index size = 1;
  for (std::size_t d = 0; d < rank; ++d) {
    one.extents.push_back(1 + static_cast<Index>(random() % (rank == 1 ? 5000 : rank == 2 ? 60 : 7)));
    size *= one.extents[d];
    if (subset >> d & 1) {
      one.axes.push_back(static_cast<int>(d));
    } else {
      one.shape.start.push_back(static_cast<Index>(random() % 3));
      one.shape.extents.push_back(one.shape.start.back() + one.extents[d] + static_cast<Index>(random() % 3));
    }
  }
  // With and without many zeros; 5000² times the square of the largest is less than 2^53.
  const std::uint64_t range = random() % 2 == 0 ? 3 : 4000;
  for (Index i = 0; i < size; ++i) {
    const double eighths = static_cast<double>(random() % range) - static_cast<double>(range / 2);
    one.values.push_back(are_integers ? eighths : eighths / 8);
  }
  return one;
}

Naive naive_of(const Case& one) {
  Naive naive;
  naive.collected.resize(static_cast<std::size_t>(Region{{}, one.shape.extents}.size()));
  std::vector<Index> position(one.extents.size(), 0);
  for (double value : one.values) {
    Index target = 0, stride = 1;
    std::size_t kept = 0;
    for (std::size_t d = 0; d < position.size(); ++d) {
      if (std::ranges::count(one.axes, static_cast<int>(d)) > 0) continue;
      target += (one.shape.start[kept] + position[d]) * stride;
      stride *= one.shape.extents[kept++];
    }
    naive.collected[static_cast<std::size_t>(target)].push_back(value);
    for (std::size_t d = 0; d < position.size() && ++position[d] == one.extents[d]; ++d) position[d] = 0;
  }
  return naive;
}

TEST(LocalReduce, agrees_with_a_loop_over_the_elements_for_every_subset_of_axes) {
  const std::vector<Reduction> reductions = reductions_of_numbers();
  std::mt19937_64 random(7);
  for (std::size_t rank = 1; rank <= 4; ++rank) {
    for (unsigned subset = 0; subset < 1U << rank; ++subset) {
      for (std::size_t run = 0; run < 4 * reductions.size(); ++run) {
        const auto type = static_cast<ElementType>(run % 4);
        const Reduction reduction = reductions[run / 4];
        const Case one =
            random_case(random, rank, subset, type == ElementType::int32 || type == ElementType::int64);
        const Naive naive = naive_of(one);

        const PartialArray result =
            local_reduce(array_of_type(type, one.values, one.extents), reduction, one.axes, one.shape);

        ASSERT_EQ(result.extents, one.shape.extents);
        ASSERT_EQ(result.values->size(), naive.collected.size());
        for (std::size_t i = 0; i < naive.collected.size(); ++i) {
          const Partial partial = (*result.values)[i];
          ASSERT_EQ(partial.reduction(), reduction);
          ASSERT_EQ(partial.count(), static_cast<std::int64_t>(naive.collected[i].size()));
          if (partial.count() == 0) continue;
          const double value = partial.value(), expected = naive.value(i, reduction);
          // A loop rounds a root twice.
          ASSERT_TRUE(declaration_of(reduction).is_root ? is_near(value, expected) : value == expected)
              << word_of(reduction) << ": " << value << " for " << expected << ", rank " << rank
              << ", subset " << subset << ", run " << run;
        }
      }
    }
  }
}

TEST(LocalReduce, of_parts_merges_to_the_bytes_of_the_whole) {
  // A row of 40 cut in three, each part alone and where it lies.
  std::mt19937_64 random(9);
  Values values;
  for (int i = 0; i < 80; ++i) values.push_back(std::ldexp(double(random() >> 11), int(random() % 60)));
  const PartialArray whole = local_reduce(make_array(values, {2, 40}), Reduction::sum, {0}, {{40}, {0}});

  PartialArray merged = local_reduce(make_array({}, {2, 0}), Reduction::sum, {0}, {{40}, {0}});
  Partials joined = *merged.values;
  for (auto [begin, end] : {std::pair<Index, Index>{13, 40}, {0, 5}, {5, 13}}) {
    const Values part(values.begin() + 2 * begin, values.begin() + 2 * end);
    const PartialArray one =
        local_reduce(make_array(part, {2, end - begin}), Reduction::sum, {0}, {{40}, {begin}});
    joined.merge(*one.values);
  }

  std::vector<std::byte> expected, bytes;
  for (const Partial& partial : whole.values->each()) partial.encode(expected);
  for (const Partial& partial : joined.each()) partial.encode(bytes);
  EXPECT_EQ(bytes, expected);
}

TEST(LocalReduce, truth_values_are_zeros_and_ones) {
  const Array array = array_of_type(ElementType::boolean, {1, 0, 1, 1, 0, 0}, {2, 3});

  EXPECT_EQ(numbers_of(local_reduce(array, Reduction::sum, {0, 1}, {{}, {}})), (Values{3}));
  EXPECT_EQ(numbers_of(local_reduce(array, Reduction::mean, {1}, {{2}, {0}})), (Values{2.0 / 3, 1.0 / 3}));
}

TEST(Lifted, numbers_are_partials_of_one_value_each) {
  for (ElementType type :
       {ElementType::float64, ElementType::float32, ElementType::int32, ElementType::int64}) {
    const PartialArray result = lifted(array_of_type(type, {1, -2, 3, 4}, {2, 2}), Reduction::mean);

    EXPECT_EQ(result.extents, (std::vector<Index>{2, 2}));
    EXPECT_EQ(numbers_of(result), (Values{1, -2, 3, 4}));
    for (const Partial& partial : result.values->each()) EXPECT_EQ(partial.count(), 1);
  }
  EXPECT_TRUE(lifted(make_array({}, {0}), Reduction::sum).values->size() == 0);
}

TEST(LocalReduce, leaves_out_what_is_missing) {
  const Array array = array_of_type(ElementType::float32, {1, -999.9F, 3, -999.9F, 5, -999.9F}, {2, 3});

  // A float holds the number nearest to -999.9. Columns: 1, 3, 5 and nothing.
  const PartialArray mean = local_reduce(array, Reduction::mean, {1}, {{2}, {0}}, -999.9);
  EXPECT_EQ((*mean.values)[0].value(), 3);
  EXPECT_EQ((*mean.values)[0].count(), 3);
  EXPECT_EQ((*mean.values)[1].count(), 0);
  EXPECT_EQ(numbers_of(local_reduce(array, Reduction::sum, {0, 1}, {{}, {}}, -999.9)), Values{9});
  EXPECT_EQ(numbers_of(local_reduce(array, Reduction::min, {0, 1}, {{}, {}}, -999.9)), Values{1});
  EXPECT_EQ((*lifted(array, Reduction::max, -999.9).values)[1].count(), 0);
}

}  // namespace
}  // namespace pileus
