// The records of instants, of every sample, and of the state at the start of a run, worked out by hand.

#include "time/testing/schedule_rows.h"

namespace pileus::testing {
namespace {

const Row kInstants[] = {
    {"first_time_at_or_after_the_target",
     kInstant,
     5,
     100,
     0,
     {3, 5, 8, 11},
     {"1.0 @5 by 2", "1.1 @11 by 4"}},
    // 17 passes 5, 10 and 15: one record. 20 is the next target.
    {"several_targets_in_one_step", kInstant, 5, 100, 0, {3, 17, 18, 20}, {"1.0 @17 by 2", "1.1 @20 by 4"}},
    // 85 is reached by 89; 90 and 95 by 98.2, the last of file 1; 100 by 101.3, in file 2.
    {"paper_98_2_to_101_3",
     kInstant,
     5,
     100,
     80,
     {89, 98.2, 101.3},
     {"1.0 @89 by 1", "1.1 @98.2 by 2", "2.0 @101.3 by 3"}},
    {"just_before_target_is_on_it", kInstant, 10, 10, 0, {9, 9.9999995, 11}, {"1.0 @10 by 2"}},
    {"further_before_target_is_not_on_it", kInstant, 10, 10, 0, {9, 9.999998, 11}, {"2.0 @11 by 3"}},
    // On the boundary of 10, so in the file that ends there.
    {"just_after_target_is_on_it", kInstant, 10, 10, 0, {9, 10.0000005, 11}, {"1.0 @10 by 2"}},
    {"further_after_target_is_in_the_next_file",
     kInstant,
     10,
     10,
     0,
     {9, 10.000002, 11},
     {"2.0 @10.000002 by 2"}},
    {"tiny_step_onto_a_target_that_was_reached",
     kInstant,
     10,
     100,
     0,
     {9.9, 9.99999999, 10, 10.1},
     {"1.0 @10 by 2"}},
    // 600 - 6e-13 took the target. The final state is 600 itself, with the next time that there is.
    {"tiny_final_step_onto_a_target_that_was_reached",
     kInstant,
     600,
     600,
     0,
     {300, 599.9999999999994, 600},
     {"1.0 @600 by 2", "1.1 @600 by 3"},
     1,
     1,
     true},
    {"start_is_no_target", kInstant, 10, 100, 0, {1, 9}, {}},
    {"first_step_is_long", kInstant, 10, 100, 0, {35, 39, 40}, {"1.0 @35 by 1", "1.1 @40 by 3"}},
    {"start_is_off_a_target", kInstant, 5, 100, 3, {4, 6}, {"1.0 @6 by 2"}},
    // Targets -10, -5, 0, 5; file 0 holds (-100, 0].
    {"start_is_negative",
     kInstant,
     5,
     100,
     -12,
     {-10, -4, 1, 5},
     {"0.0 @-10 by 1", "0.1 @-4 by 2", "1.0 @1 by 3", "1.1 @5 by 4"}},
    {"end_brings_no_record", kInstant, 10, 100, 0, {10, 15}, {"1.0 @10 by 1"}},
    {"output_does_not_divide_write",
     kInstant,
     30,
     100,
     0,
     {30, 60, 90, 120},
     {"1.0 @30 by 1", "1.1 @60 by 2", "1.2 @90 by 3", "2.0 @120 by 4"}},
    {"output_is_longer_than_write",
     kInstant,
     250,
     100,
     0,
     {100, 200, 300, 400, 500},
     {"3.0 @300 by 3", "5.0 @500 by 5"}},
    {"step_spans_three_files", kInstant, 100, 100, 0, {50, 350, 400}, {"4.0 @350 by 2", "4.1 @400 by 3"}},
    // Only 9 and 16 are samples: 5 is reached by 9; 10 and 15 by 16.
    {"cadence_two", kInstant, 5, 100, 0, {4, 9, 11, 16}, {"1.0 @9 by 2", "1.1 @16 by 4"}, 2},
    // Only 5 and 14 are samples: 4 is reached by 5; 8 and 12 by 14.
    {"cadence_three", kInstant, 4, 100, 0, {2, 4, 5, 9, 13, 14}, {"1.0 @5 by 3", "1.1 @14 by 6"}, 3},
    // The third time is 0.30000000000000004: still in the file that ends at 0.3.
    {"tenths_in_a_file_of_three",
     kInstant,
     0.1,
     0.3,
     0,
     steps_of(0, 0.1, 4),
     {"1.0 @0.1 by 1", "1.1 @0.2 by 2", "1.2 @0.3 by 3", "2.0 @0.4 by 4"}},
    {"output_of_three_tenths",
     kInstant,
     0.3,
     0.9,
     0,
     steps_of(0, 0.1, 10),
     {"1.0 @0.3 by 3", "1.1 @0.6 by 6", "1.2 @0.9 by 9"}},
    {"after_a_thousand_million_seconds",
     kInstant,
     10,
     100,
     1e9,
     {1e9 + 4, 1e9 + 10, 1e9 + 25},
     {"10000001.0 @1000000010 by 2", "10000001.1 @1000000025 by 3"}},
    {"run_continues_from_3600",
     kInstant,
     600,
     3600,
     3600,
     {3900, 4200, 7200, 7500},
     {"2.0 @4200 by 2", "2.1 @7200 by 3"}},
    {"run_continues_from_just_below_3600",
     kInstant,
     3600,
     3600,
     3599.9999999999,
     {3900, 7200},
     {"2.0 @7200 by 2"}},
};
INSTANTIATE_TEST_SUITE_P(instantaneous, ScheduleCursorRow, ::testing::ValuesIn(kInstants), name_of);

const Row kEverySample[] = {
    {"every_sample",
     kNone,
     0,
     10,
     0,
     {4, 9, 10, 12},
     {"1.0 @4 by 1", "1.1 @9 by 2", "1.2 @10 by 3", "2.0 @12 by 4"}},
    {"cadence_two", kNone, 0, 10, 0, {4, 9, 10, 12}, {"1.0 @9 by 2", "2.0 @12 by 4"}, 2},
    {"cadence_three_from_step_zero", kNone, 0, 10, 0, {1, 2, 3, 4}, {"1.0 @1 by 0", "1.1 @4 by 3"}, 3, 0},
    {"start_is_negative", kNone, 0, 10, -3, {-2, 0, 1}, {"0.0 @-2 by 1", "0.1 @0 by 2", "1.0 @1 by 3"}},
    {"step_spans_four_files", kNone, 0, 10, 0, {5, 45}, {"1.0 @5 by 1", "5.0 @45 by 2"}},
    {"just_after_file_boundary_is_on_it",
     kNone,
     0,
     10,
     0,
     {9, 10.0000005},
     {"1.0 @9 by 1", "1.1 @10.0000005 by 2"}},
    {"further_after_file_boundary_is_not",
     kNone,
     0,
     10,
     0,
     {9, 10.000002},
     {"1.0 @9 by 1", "2.0 @10.000002 by 2"}},
    // Step 2 has nearly reached 10, so that file 1 still takes what step 3 brings.
    {"tiny_step_onto_a_boundary_that_was_reached",
     kNone,
     0,
     10,
     0,
     {9.9, 9.99999999, 10, 10.1},
     {"1.0 @9.9 by 1", "1.1 @9.99999999 by 2", "1.2 @10 by 3", "2.0 @10.1 by 4"}},
};
INSTANTIATE_TEST_SUITE_P(none, ScheduleCursorRow, ::testing::ValuesIn(kEverySample), name_of);

// ---- The state at the start: a first step of no length. Times of such rows begin with the start ----

const Row kStarts[] = {
    {"instants_have_a_record_of_it", kInstant, 10, 100, 0, {0, 4, 10}, {"1.0 @0 by 0", "1.1 @10 by 2"}, 1, 0},
    // Boundary 100 is the last moment of file 1, but the run begins with file 2.
    {"it_lies_in_the_first_file_of_what_follows",
     kInstant,
     50,
     100,
     100,
     {100, 150, 200},
     {"2.0 @100 by 0", "2.1 @150 by 1", "2.2 @200 by 2"},
     1,
     0},
    {"a_start_just_before_a_boundary_is_on_it",
     kInstant,
     50,
     100,
     99.99999999999,
     {99.99999999999, 150},
     {"2.0 @100 by 0", "2.1 @150 by 1"},
     1,
     0},
    {"a_start_off_a_target_has_a_record",
     kInstant,
     10,
     100,
     3,
     {3, 9, 11},
     {"1.0 @3 by 0", "1.1 @11 by 2"},
     1,
     0},
    {"every_sample_has_it",
     kNone,
     0,
     10,
     0,
     {0, 4, 10},
     {"1.0 @0 by 0", "1.1 @4 by 1", "1.2 @10 by 2"},
     1,
     0},
    {"no_window_has_it", kMean, 10, 100, 0, {0, 4, 10}, {"1.0 (0,10] 1*4 2*6"}, 1, 0},
    {"no_extremum_has_it", manipulations::maximum(), 10, 100, 0, {0, 4, 10}, {"1.0 (0,10] 1*4 2*6"}, 1, 0},
    // Steps 8 and 12 are samples, and the start, whatever its index.
    {"every_cadence_has_it", kNone, 0, 100, 0, {0, 1, 2, 3, 4}, {"1.0 @0 by 7", "1.1 @1 by 8"}, 4, 7},
};
INSTANTIATE_TEST_SUITE_P(state_at_the_start, ScheduleCursorRow, ::testing::ValuesIn(kStarts), name_of);

// ---- Long runs: the rounding of a thousand additions of 0.1 is well within the tolerance ----

TEST(ScheduleCursor, gives_instants_on_each_target_in_a_thousand_steps_of_a_tenth) {
  // Target k is reached by step 10 k (or 100 k), not by the one after, whatever the rounding.
  std::vector<std::string> each_second, each_ten;
  for (int k = 1; k <= 100; ++k) {
    each_second.push_back(std::to_string((k - 1) / 10 + 1) + "." + std::to_string((k - 1) % 10) + " @" +
                          std::to_string(k) + " by " + std::to_string(10 * k));
  }
  for (int k = 1; k <= 10; ++k) {
    each_ten.push_back(std::to_string(k) + ".0 @" + std::to_string(10 * k) + " by " +
                       std::to_string(100 * k));
  }

  EXPECT_EQ(records_of({"", kInstant, 1, 10, 0, steps_of(0, 0.1, 1000), {}}), each_second);
  EXPECT_EQ(records_of({"", kInstant, 10, 10, 0, steps_of(0, 0.1, 1000), {}}), each_ten);
}

}  // namespace
}  // namespace pileus::testing
