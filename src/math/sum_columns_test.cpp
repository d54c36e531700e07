#include "math/sum_columns.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "loops/testing/random_values.h"

namespace pileus {
namespace {

using Values = std::vector<double>;

SumColumns of(Values values) { return SumColumns(std::move(values)); }

/// 2^60 + 1 is two doubles.
SumColumns of_two_parts() {
  SumColumns sums = of({0x1p60, 5});
  Values more = {1, 2};
  sums.add(more);
  return sums;
}

Values part(const SumColumns& sums, std::size_t p) { return {sums.part(p).begin(), sums.part(p).end()}; }

std::vector<ExactSum> each(const SumColumns& sums) {
  std::vector<ExactSum> each;
  for (std::size_t i = 0; i < sums.size(); ++i) each.push_back(sums.sum(i));
  return each;
}

TEST(SumColumns, lie_behind_each_other_whatever_parts_they_have) {
  SumColumns all(0);
  all.reserve(3);
  all.append(Values{7, 8});
  all.append(of_two_parts());
  all.append(Values{9});

  ASSERT_EQ(all.size(), 5U);
  ASSERT_EQ(all.part_count(), 2U);
  EXPECT_EQ(part(all, 0), (Values{7, 8, 0x1p60, 7, 9}));
  EXPECT_EQ(part(all, 1), (Values{0, 0, 1, 0, 0}));
}

TEST(SumColumns, lie_in_others_until_they_are_changed) {
  SumColumns whole(0);
  whole.append(Values{7});
  whole.append(of_two_parts());
  const auto all = std::make_shared<const SumColumns>(whole);
  const Values before = part(*all, 0);

  SumColumns piece(all, 1, 2);
  EXPECT_EQ(std::as_const(piece).part(0).data(), all->part(0).data() + 1);
  EXPECT_EQ(piece.part_count(), 2U);
  EXPECT_EQ(SumColumns(all, 0, 1).part_count(), 1U) << "where the second part is zero";
  Values more = {3, 4};
  piece.add(more);

  EXPECT_EQ(part(*all, 0), before);
  ExactSum first;
  first.add(0x1p60);
  first.add(4.0);
  EXPECT_EQ(part(piece, 0)[1], 11);
  EXPECT_TRUE(piece.sum(0) == first);
}

TEST(SumColumns, are_the_same_sums_copied_or_as_a_part_of_others) {
  testing::Random random(5);
  for (int run = 0; run < 200; ++run) {
    SumColumns all(0);
    std::vector<ExactSum> expected;
    for (std::size_t n = testing::below(random, 4); n > 0; --n) {
      SumColumns more(testing::below(random, 4));
      for (std::size_t times = testing::below(random, 5); times > 0; --times) {
        Values values(more.size());
        for (double& value : values)
          value = std::ldexp(double(testing::below(random, 9)), int(random() % 150));
        more.add(values);
      }
      all.append(more);
      for (const ExactSum& sum : each(more)) expected.push_back(sum);
    }
    const std::size_t first = testing::below(random, all.size() + 1);
    const std::size_t size = testing::below(random, all.size() - first + 1);
    const auto shared = std::make_shared<const SumColumns>(all);
    SumColumns cleared = all;
    cleared.make_zero(first, size);

    EXPECT_TRUE(each(all) == expected);
    const std::vector<ExactSum> piece(expected.begin() + std::ptrdiff_t(first),
                                      expected.begin() + std::ptrdiff_t(first + size));
    EXPECT_TRUE(each(SumColumns(shared, first, size)) == piece);
    EXPECT_TRUE(each(all.copy_of(first, size)) == piece);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool is_cleared = i >= first && i < first + size;
      EXPECT_TRUE(cleared.sum(i) == (is_cleared ? ExactSum() : expected[i]));
    }
  }
}

/// A number that a step may add: most are like each other, some leave a rest, few are all but too large.
double addend(testing::Random& random, int rare) {
  if (testing::below(random, 400) == 0) return std::ldexp(1.5, rare) * (random() % 2 == 0 ? 1 : -1);
  return testing::around_one(random, testing::below(random, 20) == 0 ? 150 : 3);
}

TEST(SumColumns, of_many_blocks_lose_nothing_and_give_back_what_does_not_fit) {
  testing::Random random(83);
  bool was_unfit = false;
  for (int run = 0; run < 40; ++run) {
    const std::size_t size = testing::below(random, 900);
    SumColumns sums(size);
    std::vector<ExactSum> expected(size);
    for (int step = 0; step < 12; ++step) {
      const double weight = step % 2 == 0 ? 1 : 0.25;
      Values values(size);
      for (double& value : values) value = addend(random, run % 3 == 0 ? 998 : 400);
      for (std::size_t i = 0; i < size; ++i) expected[i].add(weight * values[i]);
      std::vector<ExactSum> given_back(size);
      const SumColumns::Unfit unfit = sums.add(values, weight);
      for (std::size_t u = 1; u < unfit.size(); ++u) ASSERT_LT(unfit[u - 1].first, unfit[u].first);
      for (const auto& [i, sum] : unfit) given_back[i] = sum;
      for (std::size_t i = 0; i < size; ++i) {
        ExactSum all = sums.sum(i);
        all.merge(given_back[i]);
        ASSERT_TRUE(all == expected[i]) << i << " in step " << step;
        ASSERT_TRUE(given_back[i].is_zero() || sums.sum(i).is_zero());
        if (!given_back[i].is_zero()) expected[i] = ExactSum();
      }
      was_unfit = was_unfit || !unfit.empty();
    }
  }
  EXPECT_TRUE(was_unfit);
}

}  // namespace
}  // namespace pileus
