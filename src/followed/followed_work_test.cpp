#include "followed/followed_work.h"

#include <gtest/gtest.h>

namespace pileus {
namespace {

using operators::Moment;
using operators::Part;
using operators::Piece;

/// Of a value along x of which a rank has all: rules know the sum of what has come.
class FollowedWorkTest : public ::testing::Test {
 protected:
  FollowedWorkTest() {
    plan_.layout = {1, 1};
    plan_.values.resize(3);
    operators::Prepared prepared;
    prepared.followed.emplace();
    operators::Followed& followed = *prepared.followed;
    followed.text = "sum";
    followed.inputs = {0};
    followed.follow = [](const void* before, const Moment&, const std::vector<Part>& inputs) {
      const double sum = before == nullptr ? 0 : *static_cast<const double*>(before);
      return std::make_shared<const double>(sum + inputs.front().number(0));
    };
    followed.keep = [](const void* known, const operators::Region& part) {
      const auto* const first = static_cast<const std::byte*>(known);
      return std::vector<Piece>{{part, {first, first + sizeof(double)}}};
    };
    followed.restore = [](const operators::Region&, const std::vector<Piece>& pieces) {
      double sum = 0;
      std::memcpy(&sum, pieces.front().bytes.data(), sizeof sum);
      return std::make_shared<const double>(sum);
    };
    const auto shared = std::make_shared<const operators::Prepared>(std::move(prepared));
    for (std::size_t r = 0; r < 2; ++r) {
      Rule rule;
      rule.inputs = {ValueId(0)};
      rule.output = ValueId(r + 1);
      rule.action = Apply{shared, "sum", false, r == 0 ? "b" : "a"};
      plan_.rules.push_back(rule);
    }
  }

  FollowedWork work() const {
    const Region part{{0}, {1}};
    return {plan_, {part, part, part}};
  }
  static double known(FollowedWork& work, std::size_t rule, std::int64_t step, double number) {
    const Part part{operators::Type::float64, &number, {{0}, {1}}};
    const auto what = work.known(RuleId(rule), {step, 0}, {part});
    work.done(RuleId(rule), step);
    return *static_cast<const double*>(what.get());
  }
  static bool all(ValueId) { return true; }

  Plan plan_;
};

TEST_F(FollowedWorkTest, is_done_once_for_rules_that_follow_the_same) {
  FollowedWork work = this->work();
  for (std::size_t rule : {0, 1}) work.expect(RuleId(rule), 1);

  EXPECT_EQ(known(work, 0, 1, 5), 5);
  EXPECT_EQ(known(work, 1, 1, 5), 5);
}

TEST_F(FollowedWorkTest, makes_steps_wait_for_those_before) {
  FollowedWork work = this->work();
  for (std::int64_t step : {1, 3})
    for (std::size_t rule : {0, 1}) work.expect(RuleId(rule), step);

  EXPECT_TRUE(work.is_turn(RuleId(0), 1));
  EXPECT_FALSE(work.is_turn(RuleId(0), 3));
  EXPECT_EQ(known(work, 0, 1, 5), 5);
  EXPECT_FALSE(work.is_turn(RuleId(0), 3));
  work.done(RuleId(1), 1);  // an input of its is absent
  EXPECT_TRUE(work.is_turn(RuleId(1), 3));
  EXPECT_EQ(known(work, 1, 3, 2), 7);
}

TEST_F(FollowedWorkTest, goes_on_after_the_step_that_was_closed_last) {
  FollowedWork first = work();
  for (std::int64_t step : {1, 2, 3}) {
    first.expect(RuleId(0), step);
    known(first, 0, step, 10.0 * static_cast<double>(step));
    if (step == 2) first.close(2);
  }
  StateEntries entries;
  for (StateEntry& entry : first.state(all)) {
    EXPECT_EQ(entry.key, "a");
    entries.add(std::move(entry));
  }

  FollowedWork second = work();
  second.restore(entries, all);
  second.expect(RuleId(1), 3);

  EXPECT_EQ(known(second, 1, 3, 1), 31);
}

TEST_F(FollowedWorkTest, keeps_what_was_kept_where_no_step_came) {
  FollowedWork first = work();
  first.expect(RuleId(0), 1);
  known(first, 0, 1, 4);
  first.close(1);
  StateEntries entries;
  for (StateEntry& entry : first.state(all)) entries.add(std::move(entry));
  FollowedWork second = work();
  second.restore(entries, all);

  EXPECT_EQ(second.state(all).size(), 1U);
  EXPECT_TRUE(second.state([](ValueId) { return false; }).empty());
}

TEST_F(FollowedWorkTest, has_no_state_before_the_first_step_is_closed) {
  FollowedWork work = this->work();
  work.expect(RuleId(0), 7);
  known(work, 0, 7, 4);

  EXPECT_TRUE(work.state(all).empty());
}

}  // namespace
}  // namespace pileus
