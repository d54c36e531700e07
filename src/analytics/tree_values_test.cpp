#include "analytics/tree_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>

#include "analytics/sample_code.h"
#include "analytics/testing/handmade_plan.h"
#include "core/error.h"

namespace pileus {
namespace {

using testing::HandmadePlan;
using testing::numbers_of;
using testing::partial_of;
using Values = std::vector<double>;

/// A tree that sums a profile of three levels, takes the mean of Partials and the largest of numbers, and
/// takes rank 0's value of something that is the same everywhere.
enum Communication : std::size_t { kSum, kMean, kMax, kTaken, kCount };

Plan plan_of_four() {
  HandmadePlan hand(4);
  const DimensionId z = hand.dimension("z", 3);
  const GroupId group = hand.group("group");
  const ValueId profile = hand.field(group, "profile", Spread::own, {z});
  const ValueId area = hand.field(group, "area", Spread::own, {z});
  const ValueId peak = hand.field(group, "peak", Spread::own);
  const ValueId clock = hand.field(group, "clock", Spread::same);
  const ValueId local = hand.reduced(area, Reduction::sum, {0});
  hand.tree(0, {hand.reduced_to(0, profile, Reduction::sum), hand.reduced_to(0, local, Reduction::mean),
                hand.reduced_to(0, peak, Reduction::max), hand.taken_to(0, clock)});
  return hand.plan;
}

Sample scalar(const Partial& partial) {
  return PartialArray{{}, std::make_shared<Partials>(partial.reduction(), std::span(&partial, 1))};
}
Sample profile(const Values& values) { return make_array(values, {static_cast<Index>(values.size())}); }
Sample number(double value) { return make_array({value}, {}); }

Bytes bytes_of(const TreeValues& values) {
  Bytes bytes;
  Encoder out(bytes);
  values.encode(out);
  return bytes;
}

/// The same for the same values, however they are kept.
Bytes canonical(const TreeValues& values) {
  Bytes bytes;
  Encoder out(bytes);
  for (std::size_t i = 0; i < 4; ++i) {
    const Sample value = values.value(i);
    if (const auto* partials = std::get_if<PartialArray>(&value)) {
      for (const Partial& partial : partials->values->each()) partial.encode(bytes);
    } else {
      encode_sample(value, out);
    }
  }
  return bytes;
}

class TreeValuesTest : public ::testing::Test {
 protected:
  std::unique_ptr<TreeValues> nothing() const { return std::make_unique<TreeValues>(plan_, 0); }
  std::unique_ptr<TreeValues> decoded(const Bytes& bytes) const {
    Decoder in(bytes);
    auto values = TreeValues::decode(plan_, 0, in);
    EXPECT_TRUE(in.is_at_end());
    return values;
  }
  std::unique_ptr<TreeValues> with(std::size_t communication, const Sample& sample) const {
    auto values = nothing();
    values->set(communication, sample);
    return values;
  }
  /// What a rank might say, all of it.
  std::unique_ptr<TreeValues> random_contribution(std::mt19937_64& random, bool is_rank_zero) const {
    auto any = [&] { return std::ldexp(double(std::int64_t(random())), int(random() % 120) - 90); };
    auto values = nothing();
    values->set(kSum, profile({any(), any(), any()}));
    values->set(kMean, scalar(partial_of(Reduction::sum, Values(random() % 5, any()))));
    values->set(kMax, number(any()));
    if (is_rank_zero) values->set(kTaken, number(42));
    return values;
  }

  const Plan plan_ = plan_of_four();
};

TEST_F(TreeValuesTest, say_nothing_at_first) {
  const auto values = nothing();

  for (std::size_t i = 0; i < kCount; ++i) EXPECT_TRUE(is_absent(values->value(i)));
}

TEST_F(TreeValuesTest, merge_what_ranks_hold) {
  auto values = nothing();
  values->set(kSum, profile({1, 2, 3}));
  values->set(kMax, number(5));
  auto other = nothing();
  other->set(kSum, profile({10, 20, 30}));
  other->set(kMax, number(-5));

  values->merge(*other);

  EXPECT_EQ(numbers_of(values->value(kSum)), (Values{11, 22, 33}));
  EXPECT_EQ(numbers_of(values->value(kMax)), Values{5});
  EXPECT_TRUE(is_absent(values->value(kMean)));
}

TEST_F(TreeValuesTest, weight_a_mean_of_sums_by_the_numbers_in_them) {
  // (1 + 2 + 3) and 10: 16 over 4 numbers, not the mean of 2 and 10. A rank without numbers changes nothing.
  auto values = with(kMean, scalar(partial_of(Reduction::sum, {1, 2, 3})));
  values->merge(*with(kMean, scalar(partial_of(Reduction::sum, {10}))));
  values->merge(*with(kMean, scalar(partial_of(Reduction::sum, {}))));

  EXPECT_EQ(numbers_of(values->value(kMean)), Values{4});
}

TEST_F(TreeValuesTest, weight_a_mean_of_means_by_the_numbers_in_them) {
  auto values = with(kMean, scalar(partial_of(Reduction::mean, {1, 2, 3})));
  values->merge(*with(kMean, scalar(partial_of(Reduction::mean, {10}))));

  EXPECT_EQ(numbers_of(values->value(kMean)), Values{4});
}

TEST_F(TreeValuesTest, keep_the_factor_of_partials) {
  Partial third = partial_of(Reduction::sum, {1, 1});
  Partial more = partial_of(Reduction::sum, {5});
  third.divide(3);
  more.divide(3);

  auto values = with(kMean, scalar(third));
  values->merge(*with(kMean, scalar(more)));

  EXPECT_EQ(numbers_of(values->value(kMean)), Values{7.0 / 9});  // (2 + 5) / 3 / 3 numbers
}

TEST_F(TreeValuesTest, take_the_largest_of_rounded_sums) {
  auto values = with(kMax, scalar(partial_of(Reduction::sum, {1, 2})));
  values->merge(*with(kMax, scalar(partial_of(Reduction::sum, {2.5}))));

  EXPECT_EQ(numbers_of(values->value(kMax)), Values{3});
}

TEST_F(TreeValuesTest, make_a_reduction_absent_if_one_contribution_is) {
  auto first = with(kMax, Absent{});
  first->merge(*with(kMax, number(1)));
  first->merge(*with(kMax, number(2)));
  auto last = with(kMax, number(1));
  last->merge(*with(kMax, number(2)));
  last->merge(*with(kMax, Absent{}));

  EXPECT_TRUE(is_absent(first->value(kMax)));
  EXPECT_TRUE(is_absent(last->value(kMax)));
  EXPECT_EQ(bytes_of(*first), bytes_of(*last));
}

TEST_F(TreeValuesTest, take_rank_zeros_value_whatever_others_say) {
  // Other ranks say nothing of it; for one that has ended all is absent.
  auto first = with(kTaken, number(7));
  first->merge(*with(kMax, number(1)));
  first->merge(*TreeValues::all_absent(plan_, 0));
  auto last = TreeValues::all_absent(plan_, 0);
  last->merge(*with(kMax, number(1)));
  last->merge(*with(kTaken, number(7)));

  EXPECT_EQ(numbers_of(first->value(kTaken)), Values{7});
  EXPECT_TRUE(is_absent(first->value(kMax)));
  EXPECT_EQ(bytes_of(*first), bytes_of(*last));
}

TEST_F(TreeValuesTest, take_an_absent_value_of_rank_zero) {
  auto values = with(kMax, number(1));
  values->merge(*with(kTaken, Absent{}));

  EXPECT_TRUE(is_absent(values->value(kTaken)));
  EXPECT_EQ(numbers_of(values->value(kMax)), Values{1});
}

TEST_F(TreeValuesTest, leave_the_samples_alone_that_they_were_given) {
  const Sample shared = scalar(partial_of(Reduction::mean, {1}));
  auto values = with(kMean, shared);

  values->merge(*with(kMean, scalar(partial_of(Reduction::mean, {3}))));

  EXPECT_EQ(numbers_of(shared), Values{1});
  EXPECT_EQ(numbers_of(values->value(kMean)), Values{2});
}

TEST_F(TreeValuesTest, refuse_different_shapes) {
  auto values = with(kSum, profile({1, 2, 3}));

  EXPECT_THROW(values->merge(*with(kSum, profile({1, 2}))), UsageError);
}

TEST_F(TreeValuesTest, refuse_partials_with_different_factors) {
  Partial scaled = partial_of(Reduction::sum, {1});
  scaled.multiply(3);
  auto values = with(kMean, scalar(scaled));

  EXPECT_THROW(values->merge(*with(kMean, scalar(partial_of(Reduction::sum, {1})))), TransportError);
}

TEST_F(TreeValuesTest, merge_to_the_same_values_in_any_order_and_grouping_and_over_the_wire) {
  for (int run = 0; run < 100; ++run) {
    std::mt19937_64 random(static_cast<std::uint64_t>(run));
    std::vector<std::unique_ptr<TreeValues>> contributions;
    for (int i = 0; i < 7; ++i) contributions.push_back(random_contribution(random, i == 0));
    if (run % 5 == 0) contributions.push_back(TreeValues::all_absent(plan_, 0));
    auto expected = nothing();
    for (const auto& contribution : contributions) expected->merge(*contribution);

    while (contributions.size() > 1) {
      std::shuffle(contributions.begin(), contributions.end(), random);
      std::unique_ptr<TreeValues> last = std::move(contributions.back());
      contributions.pop_back();
      contributions.back()->merge(random() % 2 == 0 ? *last : *decoded(bytes_of(*last)));
      if (random() % 4 == 0) contributions.back() = decoded(bytes_of(*contributions.back()));
    }

    ASSERT_EQ(canonical(*contributions[0]), canonical(*expected)) << "seed " << run;
  }
}

TEST_F(TreeValuesTest, are_exact_where_columns_do_not_hold_the_sums) {
  // Of each level the oracle is one Partial. Some values are too large for columns, some too far apart, some
  // are no numbers; some come as Partials of several parts.
  for (std::uint64_t run = 0; run < 300; ++run) {
    std::mt19937_64 random(run);
    const auto any = [&] {
      if (run % 7 == 0 && random() % 9 == 0) return std::numeric_limits<double>::infinity();
      const int exponent = run % 3 == 0 ? int(random() % 2000) - 1000 : int(random() % 300);
      return std::ldexp(double(std::int64_t(random())), run % 5 == 0 ? 936 : exponent - 60);
    };
    std::vector<Partial> oracle(3, Partial(Reduction::sum));
    auto merged = nothing();
    for (int rank = 0; rank < 6; ++rank) {
      Values values = {any(), any(), any()};
      std::vector<Partial> mine(3, Partial(Reduction::sum));
      for (std::size_t k = 0; k < 3; ++k) mine[k].add(std::span<const double>(&values[k], 1));
      const bool is_of_many = random() % 2 == 0;
      for (std::size_t k = 0; is_of_many && k < 3; ++k)
        mine[k].merge(partial_of(Reduction::sum, {any(), any()}));
      const auto partials = std::make_shared<Partials>(Reduction::sum, std::span<const Partial>(mine));
      auto one = is_of_many ? with(kSum, PartialArray{{3}, partials}) : with(kSum, profile(values));
      for (std::size_t k = 0; k < 3; ++k) oracle[k].merge(mine[k]);
      if (random() % 2 == 0) one = decoded(bytes_of(*one));
      rank == 0 ? merged.swap(one) : merged->merge(*one);
    }

    const Sample sum = decoded(bytes_of(*merged))->value(kSum);
    const std::vector<Sample> taken = merged->take().values;

    for (const Sample& result : {sum, taken[kSum]}) {
      const auto& partials = *std::get<PartialArray>(result).values;
      for (std::size_t k = 0; k < 3; ++k) {
        Bytes bytes, expected;
        partials[k].encode(bytes);
        oracle[k].encode(expected);
        ASSERT_EQ(bytes, expected) << "seed " << run << ", level " << k;
      }
    }
    EXPECT_TRUE(is_absent(merged->value(kSum)));
  }
}

TEST_F(TreeValuesTest, merge_columns_with_what_is_none) {
  // Of the same mean: one rank's sums have a factor of one and lie in a column, the other's are wide.
  Partial wide = partial_of(Reduction::sum, {0x1p1010, 1});
  for (const bool is_column_first : {true, false}) {
    auto column = with(kMean, number(3)), apart = with(kMean, scalar(wide));
    auto& first = is_column_first ? column : apart;

    first->merge(is_column_first ? *apart : *column);

    EXPECT_EQ(numbers_of(first->value(kMean)), Values{0x1p1010 / 3});
    EXPECT_EQ(std::get<PartialArray>(first->value(kMean)).values->count(0), 3);
  }
}

TEST_F(TreeValuesTest, send_one_part_of_a_sum_that_one_double_holds) {
  // Four states, the count of values and three doubles, behind the number of parts.
  auto values = with(kSum, profile({1, 2, 3}));
  values->merge(*with(kSum, profile({10, 20, 30})));

  EXPECT_EQ(bytes_of(*values).size(), 4 + 8 + 1 + 3 * 8U);
}

// ---- Bytes ----

TEST_F(TreeValuesTest, come_back_from_their_bytes) {
  auto values = nothing();
  values->set(kSum, profile({1, 2, 3}));
  values->set(kMean, Absent{});
  values->set(kTaken, number(7));

  const auto copy = decoded(bytes_of(*values));

  EXPECT_EQ(numbers_of(copy->value(kSum)), (Values{1, 2, 3}));
  EXPECT_TRUE(is_absent(copy->value(kMean)));
  EXPECT_TRUE(is_absent(copy->value(kMax)));
  EXPECT_EQ(numbers_of(copy->value(kTaken)), Values{7});
  EXPECT_EQ(bytes_of(*copy), bytes_of(*values));
}

TEST_F(TreeValuesTest, keep_the_difference_between_absent_and_unsaid_in_their_bytes) {
  auto unsaid = decoded(bytes_of(*nothing()));
  auto absent = decoded(bytes_of(*with(kMax, Absent{})));
  unsaid->merge(*with(kMax, number(3)));
  absent->merge(*with(kMax, number(3)));

  EXPECT_EQ(numbers_of(unsaid->value(kMax)), Values{3});
  EXPECT_TRUE(is_absent(absent->value(kMax)));
}

TEST_F(TreeValuesTest, keep_the_type_of_a_taken_value) {
  const auto integer = std::make_shared<const std::int32_t>(12);
  const Array array{ElementType::int32, {}, {integer, reinterpret_cast<const std::byte*>(integer.get())}};

  const auto copy = decoded(bytes_of(*with(kTaken, array)));

  ASSERT_TRUE(std::holds_alternative<Array>(copy->value(kTaken)));
  EXPECT_EQ(std::get<Array>(copy->value(kTaken)).type, ElementType::int32);
  EXPECT_EQ(numbers_of(copy->value(kTaken)), Values{12});
}

TEST_F(TreeValuesTest, of_bytes_that_end_early_are_refused) {
  std::mt19937_64 random(1);
  const Bytes bytes = bytes_of(*random_contribution(random, true));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Decoder in(std::span<const std::byte>(bytes).first(size));
    ASSERT_THROW(TreeValues::decode(plan_, 0, in), TransportError) << size;
  }
}

TEST_F(TreeValuesTest, of_another_shape_than_the_plans_are_refused) {
  const Bytes bytes = bytes_of(*with(kSum, profile({1, 2})));
  Decoder in(bytes);

  EXPECT_THROW(TreeValues::decode(plan_, 0, in), TransportError);
}

TEST_F(TreeValuesTest, of_another_reduction_than_the_plans_are_refused) {
  // The same tree but that the profile's largest values are taken instead of its sums.
  Plan other = plan_;
  std::get<Communicate>(other.rules[other.trees[0].communications[kSum].index].action).reduction =
      Reduction::max;
  TreeValues values(other, 0);
  values.set(kSum, profile({1, 2, 3}));
  const Bytes bytes = bytes_of(values);
  Decoder in(bytes);

  EXPECT_THROW(TreeValues::decode(plan_, 0, in), TransportError);
}

TEST_F(TreeValuesTest, of_plain_numbers_are_refused_where_a_reduction_needs_partials) {
  Plan other = plan_;
  std::get<Communicate>(other.rules[other.trees[0].communications[kMax].index].action).takes_rank_zero = true;
  TreeValues values(other, 0);
  values.set(kMax, number(1));
  const Bytes bytes = bytes_of(values);
  Decoder in(bytes);

  EXPECT_THROW(TreeValues::decode(plan_, 0, in), TransportError);
}

TEST_F(TreeValuesTest, of_impossible_counts_are_refused_as_they_come_and_as_they_merge) {
  const auto values = with(kSum, profile({1, 2, 3}));
  const Bytes bytes = bytes_of(*values);
  const auto counted = [&](std::int64_t count) {
    Bytes damaged = bytes;
    std::memcpy(damaged.data() + 1, &count,
                sizeof count);  // the state of the sum, which is first, is one byte
    return damaged;
  };

  for (const std::int64_t wrong : {Partial::kMostValues, INT64_MAX, std::int64_t{-1}}) {
    const Bytes damaged = counted(wrong);
    Decoder in(damaged);
    EXPECT_THROW(TreeValues::decode(plan_, 0, in), TransportError) << wrong;
  }
  const auto most = decoded(counted(Partial::kMostValues - 1));
  EXPECT_THROW(most->merge(*values), TransportError);
}

TEST_F(TreeValuesTest, of_damaged_bytes_are_refused_or_at_least_harmless) {
  std::mt19937_64 random(23);
  const Bytes good = bytes_of(*random_contribution(random, true));
  int refused = 0;
  for (int run = 0; run < 50000; ++run) {
    Bytes bytes = good;
    for (std::size_t i = 1 + random() % 3; i > 0; --i) {
      bytes[random() % bytes.size()] = random() % 3 == 0 ? std::byte{0xFF} : static_cast<std::byte>(random());
    }
    if (run % 4 == 0) bytes.resize(random() % (bytes.size() + 1));
    try {
      Decoder in(bytes);
      const auto values = TreeValues::decode(plan_, 0, in);
      for (std::size_t i = 0; i < kCount; ++i) numbers_of(values->value(i));
      auto sum = random_contribution(random, false);
      sum->merge(*values);
      bytes_of(*sum);
    } catch (const TransportError&) {
      ++refused;  // anything else ends the test
    }
  }
  EXPECT_GT(refused, 10000);
}

}  // namespace
}  // namespace pileus
