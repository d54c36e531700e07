#include "analytics/operators/reduce_tuples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "analytics/testing/handmade_plan.h"

namespace pileus {
namespace {

using testing::numbers_of;
using Values = std::vector<double>;

template <class T>
Array array_of(ElementType type, const Values& values, const std::vector<Index>& extents) {
  auto owner = std::make_shared<std::vector<T>>(values.begin(), values.end());
  return {type, extents,
          std::shared_ptr<const std::byte>(owner, reinterpret_cast<const std::byte*>(owner->data()))};
}

/// Of the same shape as what it is laid against.
AlignedInput beside(Array array, std::optional<double> missing = {}) {
  std::vector<Index> strides;
  Index stride = 1;
  for (Index extent : array.extents) strides.push_back(stride), stride *= extent;
  return {std::move(array), 0, strides, missing};
}

PartialArray covariances(const Array& array, const AlignedInput& other, const std::vector<int>& axes,
                         const ReducedShape& shape, std::optional<double> missing = {}) {
  return reduce_tuples(array, std::span(&other, 1), Reduction::covariance, axes, shape, missing);
}

TEST(ReduceTuples, gives_the_covariance_of_each_row_and_column) {
  // x: rows (1 2 3) and (4 5 6); y: rows (2 4 6) and (1 0 -1).
  const Array x = make_array({1, 2, 3, 4, 5, 6}, {3, 2}), y = make_array({2, 4, 6, 1, 0, -1}, {3, 2});

  EXPECT_EQ(numbers_of(covariances(x, beside(y), {0}, {{2}, {0}})), (Values{4.0 / 3, -2.0 / 3}));
  // Columns: (1 4) with (2 1), (2 5) with (4 0), (3 6) with (6 -1).
  EXPECT_EQ(numbers_of(covariances(x, beside(y), {1}, {{3}, {0}})), (Values{-0.75, -3, -5.25}));
  EXPECT_EQ(numbers_of(covariances(x, beside(y), {}, {{3, 2}, {0, 0}})), Values(6, 0.0));
}

TEST(ReduceTuples, repeats_the_other_where_it_has_no_extent) {
  // The other has one value for each column: 1 2 4.
  const Array x = make_array({1, 2, 3, 4, 5, 9}, {3, 2});
  const AlignedInput other{make_array({1, 2, 4}, {3}), 0, {1, 0}};
  const Array repeated = make_array({1, 2, 4, 1, 2, 4}, {3, 2});

  for (const std::vector<int>& axes : {std::vector<int>{0}, {1}, {0, 1}}) {
    const ReducedShape shape{
        axes.size() == 2 ? std::vector<Index>{} : std::vector<Index>{axes[0] == 0 ? 2 : 3},
        std::vector<Index>(2 - axes.size(), 0)};
    EXPECT_EQ(numbers_of(covariances(x, other, axes, shape)),
              numbers_of(covariances(x, beside(repeated), axes, shape)));
  }
}

TEST(ReduceTuples, leaves_out_pairs_of_which_one_is_missing) {
  const Array x = make_array({1, -9, 3, 5}, {4});
  const Array y = array_of<float>(ElementType::float32, {2, 7, -0.1F, 4}, {4});

  const PartialArray result = covariances(x, beside(y, -0.1), {0}, {{}, {}}, -9);

  EXPECT_EQ((*result.values)[0].count(), 2);
  EXPECT_EQ(numbers_of(result), Values{2});  // of (1 2) and (5 4)
}

TEST(ReduceTuples, large_integers_count_as_they_are) {
  constexpr std::int64_t kLarge = (std::int64_t{1} << 62) + 1;
  auto owner = std::make_shared<std::vector<std::int64_t>>(std::vector{kLarge, kLarge + 2});
  const Array x{ElementType::int64,
                {2},
                std::shared_ptr<const std::byte>(owner, reinterpret_cast<const std::byte*>(owner->data()))};

  EXPECT_EQ(numbers_of(covariances(x, beside(x), {0}, {{}, {}})), Values{1});
}

TEST(ReduceTuples, take_weights_that_may_lack_dimensions) {
  // Rows (1 2 3) and (4 5 6) with the weights 1 0 3 of the columns; a NaN that has no weight does not count.
  const Array x = make_array({1, std::nan(""), 3, 4, 5, 6}, {3, 2});
  const std::vector<AlignedInput> weights = {{make_array({1, 0, 3}, {3}), 0, {1, 0}}};

  const PartialArray rows = reduce_tuples(x, weights, Reduction::weighted_mean, {0}, {{2}, {0}});
  EXPECT_EQ(numbers_of(rows), (Values{2.5, 5.5}));
  EXPECT_EQ((*rows.values)[0].count(), 2);
  EXPECT_EQ(numbers_of(reduce_tuples(x, weights, Reduction::weighted_sum, {1}, {{3}, {0}})),
            (Values{5, 0, 27}));
  const PartialArray columns = reduce_tuples(x, weights, Reduction::weighted_mean, {1}, {{3}, {0}});
  EXPECT_TRUE(columns.values->is_of_nothing(1));
  EXPECT_EQ(numbers_of(reduce_tuples(x, weights, Reduction::weighted_mean, {0, 1}, {{}, {}})), Values{4});
}

TEST(ReduceTuples, take_pairs_with_weights) {
  const Array x = make_array({1, 3, -9, 8}, {4});
  const std::vector<AlignedInput> others = {beside(make_array({5, 1, 2, -7}, {4}), -7),
                                            beside(array_of<float>(ElementType::float32, {1, 3, 2, 4}, {4}))};

  const PartialArray result = reduce_tuples(x, others, Reduction::weighted_covariance, {0}, {{}, {}}, -9);

  EXPECT_EQ((*result.values)[0].count(), 2);  // one lacks the value, one what it is taken with
  EXPECT_EQ(numbers_of(result), Values{-1.5});
}

TEST(ReduceTuples, many_weighted_values_are_those_of_one_partial) {
  std::mt19937_64 random(5);
  const std::vector<Index> extents = {7, 300, 20};
  Values numbers(7 * 300 * 20), areas(300 * 20);
  for (double& number : numbers) number = std::ldexp(static_cast<double>(random() >> 11), -40);
  for (double& area : areas) area = static_cast<double>(random() % 5);  // some are zero
  const std::vector<AlignedInput> weights = {{make_array(areas, {300, 20}), 0, {0, 1, 300}}};

  const PartialArray result =
      reduce_tuples(make_array(numbers, extents), weights, Reduction::weighted_variance, {1, 2}, {{7}, {0}});

  for (std::size_t z = 0; z < 7; ++z) {
    Partial expected(Reduction::weighted_variance);
    for (std::size_t i = 0; i < areas.size(); ++i)
      if (areas[i] != 0) expected.add_weighted({{&numbers[z + 7 * i], 1}}, {}, {&areas[i], 1});
    EXPECT_EQ(result.values->values()[z], expected.value());
    EXPECT_EQ(result.values->count(z), expected.count());
  }
}

/// Three random fields of four dimensions, by one of fewer; each way of the dimensions, by hand.
TEST(ReduceTuples, in_bins_are_those_of_each_bin) {
  std::mt19937_64 random(11);
  const auto edges = std::make_shared<const Values>(Values{-1, -0.25, 0, 0.5, 1});
  const std::vector<Index> extents = {3, 40, 2, 5};
  const auto some = [&](std::size_t size) {
    Values values(size);
    for (double& value : values) value = std::ldexp(static_cast<double>(random() >> 11), -52) - 1;
    values[size / 2] = std::nan("");
    values[size / 3] = 1;      // an edge, the last one
    values[size / 4] = -0.25;  // an edge
    values[size / 5] = -9;     // missing
    return values;
  };
  const Values x = some(1200), by = some(400), weights = some(400);
  const AlignedInput weight{make_array(weights, {40, 2, 5}), 0, {0, 1, 40, 80}, -9};
  const AlignedInput along{make_array(by, {40, 2, 5}), 0, {0, 1, 40, 80}, -9};
  for (const bool is_weighted : {false, true}) {
    const Reduction reduction = is_weighted ? Reduction::weighted_mean : Reduction::max;
    for (const std::vector<int>& axes : {std::vector<int>{0, 1, 2, 3}, {1, 2, 3}, {0, 1, 3}, {1}, {0}, {}}) {
      std::vector<Index> kept;
      for (int d = 0; d < 4; ++d)
        if (std::ranges::count(axes, d) == 0) kept.push_back(extents[static_cast<std::size_t>(d)]);
      std::vector<Index> shape = kept;
      shape.push_back(4);
      std::vector<Partial> expected(static_cast<std::size_t>(Region{{}, shape}.size()), Partial(reduction));
      for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t position[] = {i % 3, i / 3 % 40, i / 120 % 2, i / 240};
        const double value = by[i / 3];
        if (x[i] == -9 || value == -9 || !(value >= -1 && value <= 1)) continue;
        if (is_weighted && weights[i / 3] == -9) continue;
        std::size_t target = 0, stride = 1;
        for (std::size_t d = 0; d < 4; ++d) {
          if (std::ranges::count(axes, static_cast<int>(d)) > 0) continue;
          target += position[d] * stride;
          stride *= static_cast<std::size_t>(extents[d]);
        }
        const std::size_t bin = value < -0.25 ? 0 : value < 0 ? 1 : value < 0.5 ? 2 : 3;
        Partial& partial = expected[target + bin * stride];
        if (is_weighted) {
          partial.add_weighted({{&x[i], 1}}, {}, {&weights[i / 3], 1});
        } else {
          partial.add(x[i]);
        }
      }
      std::vector<AlignedInput> others = {along};
      if (is_weighted) others.insert(others.begin(), weight);

      const PartialArray made = reduce_tuples(make_array(x, extents), others, {reduction, edges}, axes,
                                              {shape, std::vector<Index>(shape.size(), 0)}, -9);

      ASSERT_EQ(made.values->size(), expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(made.values->count(i), expected[i].count()) << i;
        std::vector<std::byte> bytes, right;
        (*made.values)[i].encode(bytes);
        expected[i].encode(right);
        EXPECT_EQ(bytes, right) << i << " of " << axes.size() << " axes";
      }
    }
  }
}

TEST(ReduceTuples, in_very_many_bins_take_no_memory_for_each) {
  auto edges = std::make_shared<Values>();
  for (int i = 0; i <= 16384; ++i) edges->push_back(i);
  Values x, by;
  for (int i = 0; i < 16384; ++i) {
    x.insert(x.end(), {i + 0.5, -i - 0.5});
    by.push_back(16383 - i);
  }
  const std::vector<AlignedInput> others = {{make_array(by, {16384}), 0, {0, 1}}};
  const PartialArray made =
      reduce_tuples(make_array(x, {2, 16384}), others, {Reduction::sum, edges}, {1}, {{2, 16384}, {0, 0}});
  const std::vector<double> sums = numbers_of(made);
  for (std::size_t i = 0; i < 16384; ++i) ASSERT_EQ(sums[2 * i + 1], -16383.5 + static_cast<double>(i));
}

TEST(ReduceTuples, of_an_empty_array_says_nothing) {
  const PartialArray result =
      covariances(make_array({}, {0, 2}), beside(make_array({}, {0, 2})), {0}, {{3}, {1}});

  for (const Partial& partial : result.values->each()) EXPECT_EQ(partial.count(), 0);
}

TEST(ReduceTuples, agrees_with_the_variance_for_every_subset_of_axes) {
  std::mt19937_64 random(11);
  for (std::size_t rank = 1; rank <= 4; ++rank) {
    for (unsigned subset = 0; subset < 1U << rank; ++subset) {
      std::vector<Index> extents;
      std::vector<int> axes;
      ReducedShape shape;
      Index size = 1;
      for (std::size_t d = 0; d < rank; ++d) {
        extents.push_back(1 + static_cast<Index>(random() % (rank == 1 ? 5000 : rank == 2 ? 300 : 25)));
        size *= extents[d];
        if (subset >> d & 1) {
          axes.push_back(static_cast<int>(d));
        } else {
          shape.start.push_back(static_cast<Index>(random() % 3));
          shape.extents.push_back(shape.start.back() + extents[d] + 1);
        }
      }
      Values values;
      for (Index i = 0; i < size; ++i)
        values.push_back(std::ldexp(double(random() >> 11), int(random() % 9)));
      const Array array = make_array(values, extents);

      const PartialArray pairs = covariances(array, beside(array), axes, shape, values.front());
      const PartialArray squares = local_reduce(array, Reduction::variance, axes, shape, values.front());

      ASSERT_EQ(pairs.extents, squares.extents);
      for (std::size_t i = 0; i < squares.values->size(); ++i) {
        const Partial pair = (*pairs.values)[i], square = (*squares.values)[i];
        ASSERT_EQ(pair.count(), square.count()) << "rank " << rank << ", subset " << subset;
        if (pair.count() == 0) continue;
        ASSERT_EQ(pair.value(), square.value()) << "rank " << rank << ", subset " << subset;
      }
    }
  }
}

}  // namespace
}  // namespace pileus
