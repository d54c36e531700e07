#include "held/held_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "held/held_bytes.h"

namespace pileus {
namespace {

using Values = std::vector<double>;

/// Of a field "w" along x, of which ranks have parts, and a field "u" that does not hold.
class HeldValuesTest : public ::testing::Test {
 protected:
  HeldValuesTest() {
    plan_.layout = {2, 1};
    plan_.regions = std::vector<std::vector<Region>>{{{{0}, {3}}, {{0}, {3}}}, {{{3}, {1}}, {{3}, {1}}}};
    for (const char* const name : {"w", "u"}) {
      PlannedField field;
      field.name = name;
      field.value = ValueId(plan_.values.size());
      field.is_held = plan_.fields.empty();
      plan_.values.emplace_back().field = FieldId(plan_.fields.size());
      plan_.fields.push_back(field);
    }
  }

  HeldValues values(Index first, Index count, const StateEntries* continued = nullptr,
                    ClientRank client = 0) const {
    const Region part{{first}, {count}};
    return {plan_, client, {part, part}, continued};
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

TEST_F(HeldValuesTest, the_last_value_holds_until_the_next_one) {
  HeldValues held = values(0, 2);

  EXPECT_TRUE(is_absent(held.take(FieldId(0), 1, Absent{})));
  EXPECT_EQ(numbers(held.take(FieldId(0), 2, sample({1, 2}))), (Values{1, 2}));
  EXPECT_EQ(numbers(held.take(FieldId(0), 3, Absent{})), (Values{1, 2}));
  EXPECT_EQ(numbers(held.take(FieldId(0), 4, sample({3, 4}))), (Values{3, 4}));
  EXPECT_EQ(numbers(held.take(FieldId(0), 9, Absent{})), (Values{3, 4}));
}

TEST_F(HeldValuesTest, what_holds_is_a_copy) {
  HeldValues held = values(0, 2);
  auto numbers_of_model = std::make_shared<Values>(Values{1, 2});
  const auto* const first = reinterpret_cast<const std::byte*>(numbers_of_model->data());
  held.take(FieldId(0), 1, Array{ElementType::float64, {2}, {numbers_of_model, first}});

  (*numbers_of_model)[0] = 7;

  EXPECT_EQ(numbers(held.take(FieldId(0), 2, Absent{})), (Values{1, 2}));
}

TEST_F(HeldValuesTest, a_state_has_what_held_after_the_last_step_that_is_closed) {
  HeldValues held = values(0, 2);
  held.take(FieldId(0), 1, sample({1, 2}));
  held.close(1);
  held.take(FieldId(0), 2, sample({3, 4}));
  held.take(FieldId(0), 3, sample({5, 6}));
  EXPECT_EQ(held.size_bytes(), 6 * sizeof(double));

  const std::vector<StateEntry> entries = held.state();

  ASSERT_EQ(entries.size(), 1U);
  StateEntries kept;
  kept.add(entries[0]);
  EXPECT_EQ(numbers(values(0, 2, &kept).take(FieldId(0), 2, Absent{})), (Values{1, 2}));
  held.close(3);
  EXPECT_EQ(held.size_bytes(), 2 * sizeof(double));
}

TEST_F(HeldValuesTest, there_is_no_state_of_what_came_in_open_steps_alone) {
  HeldValues held = values(0, 2);
  held.close(1);
  held.take(FieldId(0), 2, sample({3, 4}));

  EXPECT_TRUE(held.state().empty());
}

TEST_F(HeldValuesTest, pieces_go_together_in_another_layout) {
  HeldValues left = values(0, 3), right = values(3, 1, nullptr, 1);
  left.take(FieldId(0), 1, sample({1, 2, 3}));
  right.take(FieldId(0), 1, sample({4}));
  StateEntries kept;
  for (HeldValues* const one : {&left, &right}) {
    one->close(1);
    for (StateEntry& entry : one->state()) kept.add(std::move(entry));
  }

  EXPECT_EQ(numbers(values(1, 3, &kept).take(FieldId(0), 2, Absent{})), (Values{2, 3, 4}));
  EXPECT_TRUE(is_absent(values(1, 4, &kept).take(FieldId(0), 2, Absent{})));  // a piece lacks
}

TEST_F(HeldValuesTest, refuses_damaged_entries_and_leaves_other_types_out) {
  HeldValues held = values(0, 3);
  held.take(FieldId(0), 1, sample({1, 2, 3}));
  held.close(1);
  StateEntry entry = held.state()[0];
  entry.bytes.resize(entry.bytes.size() - 1);
  StateEntries damaged;
  damaged.add(entry);
  EXPECT_THROW(values(0, 3, &damaged), TransportError);

  StateEntries kept;
  kept.add(held.state()[0]);
  plan_.fields[0].type = ElementType::float32;
  EXPECT_TRUE(is_absent(values(0, 3, &kept).take(FieldId(0), 2, Absent{})));
}

TEST_F(HeldValuesTest, bytes_are_an_upper_bound_with_any_steps_open) {
  plan_.fields[0].is_sent_by_all = true;
  const std::vector<KeptOfSteps> kept = kept_of_held(plan_);
  ASSERT_EQ(kept.size(), 1U);
  const std::uint64_t copy = kept[0].of_ranks[0];
  HeldValues held = values(0, 4);
  std::size_t most = 0;
  for (std::int64_t step = 1; step <= 50; ++step) {
    const std::int64_t open = step % 7;
    held.take(FieldId(0), step,
              step % 5 == 0 ? Sample(Absent{}) : sample({1, 2, 3, 1.0 * static_cast<double>(step)}));
    held.close(step - open);
    EXPECT_LE(held.size_bytes(), (kept[0].stays + static_cast<std::uint64_t>(open)) * copy) << step;
    most = std::max(most, held.size_bytes());
  }
  EXPECT_GT(most, 3 * 4 * sizeof(double));  // more than what holds, and what comes in its place
}

TEST_F(HeldValuesTest, keeps_one_copy_of_what_comes_again_and_again) {
  HeldValues held = values(0, 3);
  for (std::int64_t step = 1; step <= 9; ++step) held.take(FieldId(0), step, sample({1, NAN, 3}));
  EXPECT_EQ(held.size_bytes(), 3 * sizeof(double));

  held.take(FieldId(0), 10, sample({1, NAN, 4}));
  held.close(10);
  EXPECT_EQ(held.size_bytes(), 3 * sizeof(double));
  EXPECT_EQ(numbers(held.take(FieldId(0), 11, Absent{})).back(), 4);
}

}  // namespace
}  // namespace pileus
