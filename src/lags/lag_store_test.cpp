#include "lags/lag_store.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace pileus {
namespace {

using Values = std::vector<double>;

/// Of a field "w" along x, of which ranks have parts, lags go back two hand-overs and one.
class LagStoreTest : public ::testing::Test {
 protected:
  LagStoreTest() {
    plan_.layout = {2, 1};
    plan_.regions = std::vector<std::vector<Region>>{{{{0}, {3}}}, {{{3}, {1}}}};
    PlannedField field;
    field.name = "w";
    field.value = ValueId(0);
    plan_.fields = {field};
    plan_.values.resize(3);
    plan_.values[0].field = FieldId(0);
    for (std::size_t v = 1; v < 3; ++v) {
      plan_.values[v].rule = RuleId(v - 1);
      Rule rule;
      rule.inputs = {ValueId(0)};
      rule.output = ValueId(v);
      rule.action = Lag{v == 1 ? 2 : 1, false};
      plan_.rules.push_back(rule);
    }
  }

  LagStore store(Index first, Index count, const StateEntries* continued = nullptr) const {
    const Region part{{first}, {count}};
    return LagStore(plan_, 0, {part, part, part}, continued);
  }
  static Sample sample(Values values) {
    const auto size = static_cast<Index>(values.size());
    return make_array(std::move(values), {size});
  }
  static Values numbers(const Sample& sample) {
    const auto* const array = std::get_if<Array>(&sample);
    if (array == nullptr) return {};
    return {array->as<double>().begin(), array->as<double>().end()};
  }

  Plan plan_;
};

TEST_F(LagStoreTest, goes_back_hand_overs_and_has_nothing_before_the_first) {
  LagStore lags = store(0, 2);
  ASSERT_EQ(lags.size(), 1U);
  EXPECT_EQ(lags.lags(0).size(), 2U);

  lags.take(0, 3, sample({1, 2}));
  EXPECT_TRUE(is_absent(lags.before(0, 1)));
  lags.take(0, 6, sample({3, 4}));
  lags.take(0, 9, sample({5, 6}));

  EXPECT_EQ(numbers(lags.before(0, 1)), (Values{3, 4}));
  EXPECT_EQ(numbers(lags.before(0, 2)), (Values{1, 2}));
}

TEST_F(LagStoreTest, counts_a_hand_over_without_a_value) {
  LagStore lags = store(0, 1);

  lags.take(0, 1, sample({1}));
  lags.take(0, 2, Absent{});
  lags.take(0, 3, sample({3}));

  EXPECT_TRUE(is_absent(lags.before(0, 1)));
  EXPECT_EQ(numbers(lags.before(0, 2)), (Values{1}));
}

TEST_F(LagStoreTest, keeps_what_steps_that_are_open_and_a_checkpoint_need_and_no_more) {
  LagStore lags = store(0, 1);
  for (std::int64_t step = 1; step <= 100; ++step) {
    lags.take(0, step, sample({static_cast<double>(step)}));
    if (step > 3) lags.close(step - 3);  // three are open
  }

  EXPECT_EQ(lags.size_bytes(), (2 + 3) * sizeof(double));
}

TEST_F(LagStoreTest, bytes_are_an_upper_bound_with_any_steps_open) {
  std::uint64_t stays = 0, of_step = 0;
  for (const KeptOfSteps& kept : kept_of_lags(plan_)) {
    stays += kept.stays * kept.of_ranks[0];
    of_step += kept.of_ranks[0];
  }
  LagStore lags = store(0, 3);
  for (std::int64_t step = 1; step <= 50; ++step) {
    const std::int64_t open = step % 7;
    lags.take(0, step, sample({1, 2, 3}));
    lags.close(step - open);
    EXPECT_LE(lags.size_bytes(), stays + static_cast<std::uint64_t>(open) * of_step) << step;
  }
}

TEST_F(LagStoreTest, bytes_are_counted_once_for_each_cadence_of_a_value) {
  plan_.values[0].spread = Spread::distributed;
  ASSERT_EQ(kept_of_lags(plan_).size(), 2U);  // rank 0, and rank 1
  EXPECT_EQ(kept_of_lags(plan_)[0].stays, 2U);
  EXPECT_EQ(kept_of_lags(plan_)[0].by_server(plan_.layout)[0], kKeptArrayBytes + 3 * sizeof(double));

  plan_.values[2].cadence = Cadence(2);

  EXPECT_EQ(kept_of_lags(plan_).size(), 4U);
}

TEST_F(LagStoreTest, goes_on_after_the_step_that_was_closed_last_on_other_parts) {
  LagStore left = store(0, 3), right = store(3, 1);
  for (std::int64_t step = 1; step <= 5; ++step) {
    const double n = 10.0 * static_cast<double>(step);
    left.take(0, step, sample({n, n + 1, n + 2}));
    right.take(0, step, sample({n + 3}));
  }
  left.close(4);
  right.close(4);
  StateEntries entries;
  for (const LagStore* one : {&left, &right})
    for (StateEntry& entry : one->state()) entries.add(std::move(entry));

  LagStore middle = store(1, 3, &entries);
  middle.take(0, 5, sample({51, 52, 53}));

  EXPECT_EQ(numbers(middle.before(0, 1)), (Values{41, 42, 43}));
  EXPECT_EQ(numbers(middle.before(0, 2)), (Values{31, 32, 33}));
}

TEST_F(LagStoreTest, goes_on_twice_with_nothing_handed_over_between) {
  LagStore first = store(0, 1);
  for (std::int64_t step = 1; step <= 3; ++step)
    first.take(0, step, sample({1.0 * static_cast<double>(step)}));
  first.close(3);
  StateEntries entries, again;
  for (StateEntry& entry : first.state()) entries.add(std::move(entry));
  const LagStore second = store(0, 1, &entries);
  for (StateEntry& entry : second.state()) again.add(std::move(entry));

  LagStore third = store(0, 1, &again);
  third.take(0, 4, sample({4}));

  EXPECT_EQ(numbers(third.before(0, 1)), (Values{3}));
  EXPECT_EQ(numbers(third.before(0, 2)), (Values{2}));
}

TEST_F(LagStoreTest, keeps_hand_overs_at_the_end_of_a_run_apart) {
  std::get<Lag>(plan_.rules[1].action).at_end = true;

  EXPECT_EQ(store(0, 1).size(), 2U);
  EXPECT_NE(lag_key(plan_, plan_.rules[0], 1), lag_key(plan_, plan_.rules[1], 1));
}

TEST_F(LagStoreTest, has_nothing_where_a_checkpoint_lacks_a_part) {
  LagStore left = store(0, 3);
  left.take(0, 1, sample({1, 2, 3}));
  left.close(1);
  StateEntries entries;
  for (StateEntry& entry : left.state()) entries.add(std::move(entry));

  LagStore all = store(0, 4, &entries);
  all.take(0, 2, sample({1, 2, 3, 4}));

  EXPECT_TRUE(is_absent(all.before(0, 1)));
  EXPECT_TRUE(is_absent(all.before(0, 2)));
}

TEST_F(LagStoreTest, refuses_a_damaged_entry) {
  StateEntry entry{kLagKind, lag_key(plan_, plan_.rules[0], 1), {{0}, {4}}, {}};
  entry.bytes.resize(5);
  StateEntries entries;
  entries.add(entry);

  EXPECT_THROW(store(0, 4, &entries), TransportError);
}

}  // namespace
}  // namespace pileus
