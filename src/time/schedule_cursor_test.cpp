// The table of D11: the records of each run and the weight of every sample, worked out by hand. This file has
// the averages; the others of the table are in schedule_cursor_instants_test.cpp.

#include "time/schedule_cursor.h"

#include "core/error.h"
#include "time/testing/schedule_rows.h"

namespace pileus::testing {
namespace {

TEST_P(ScheduleCursorRow, gives_the_records_that_were_worked_out_by_hand) {
  EXPECT_EQ(records_of(GetParam()), GetParam().expected);
}

const Row kMeans[] = {
    // (0, 10] = (0, 4] + (4, 10]: 4 s and 6 s. The run ends on the boundary, so nothing is left over.
    {"step_ends_on_boundary", kMean, 10, 100, 0, {4, 10}, {"1.0 (0,10] 1*4 2*6"}},
    // The step (4, 16] gives 6 s to each side of 10.
    {"step_spans_two_windows", kMean, 10, 100, 0, {4, 16, 20}, {"1.0 (0,10] 1*4 2*6", "1.1 (10,20] 2*6 3*4"}},
    // The step (4, 27] gives 6 s, a whole window of 10 s, and 7 s to what the end leaves over.
    {"step_spans_three_windows",
     kMean,
     10,
     100,
     0,
     {4, 27},
     {"1.0 (0,10] 1*4 2*6", "1.1 (10,20] 2*10", "1.2 (20,27] 2*7"}},
    // The very first step is longer than two windows.
    {"first_step_is_long",
     kMean,
     10,
     100,
     0,
     {25},
     {"1.0 (0,10] 1*10", "1.1 (10,20] 1*10", "1.2 (20,25] 1*5"}},
    {"first_step_is_short", kMean, 10, 100, 0, {0.5, 10}, {"1.0 (0,10] 1*0.5 2*9.5"}},
    // From 3 the first window is the 7 s that are left of it: (3, 8] and (8, 10].
    {"start_is_off_a_boundary", kMean, 10, 100, 3, {8, 14}, {"1.0 (3,10] 1*5 2*2", "1.1 (10,14] 2*4"}},
    {"first_step_from_off_a_boundary_spans_windows",
     kMean,
     10,
     100,
     3,
     {21},
     {"1.0 (3,10] 1*7", "1.1 (10,20] 1*10", "1.2 (20,21] 1*1"}},
    // Boundaries count from 0 in both directions; file 0 holds (-100, 0]. (-12, 2] gives 2, 10 and 2 s.
    {"start_is_negative",
     kMean,
     10,
     100,
     -15,
     {-12, 2, 10},
     {"0.0 (-15,-10] 1*3 2*2", "0.1 (-10,0] 2*10", "1.0 (0,10] 2*2 3*8"}},
    {"start_is_a_negative_boundary",
     kMean,
     10,
     10,
     -20,
     {-10, 0},
     {"-1.0 (-20,-10] 1*10", "0.0 (-10,0] 2*10"}},
    {"end_in_mid_window", kMean, 10, 100, 0, {5, 10, 13}, {"1.0 (0,10] 1-2*5", "1.1 (10,13] 3*3"}},
    {"end_before_the_first_boundary", kMean, 10, 100, 0, {2, 4}, {"1.0 (0,4] 1-2*2"}},
    {"end_on_a_file_boundary", kMean, 10, 20, 0, {10, 20}, {"1.0 (0,10] 1*10", "1.1 (10,20] 2*10"}},
    {"no_step_at_all", kMean, 10, 100, 0, {}, {}},
    // The paper's case: of (98.2, 101.3] 1.8 s belong to (90, 100] in file 1, 1.3 s to file 2.
    {"paper_98_2_to_101_3",
     kMean,
     10,
     100,
     80,
     {89, 98.2, 101.3},
     {"1.0 (80,90] 1*9 2*1", "1.1 (90,100] 2*8.2 3*1.8", "2.0 (100,101.3] 3*1.3"}},
    // A step of nearly 1 s has a tolerance of nearly 1e-6 s, so 0.5e-6 before 10 is on 10.
    {"just_before_boundary_is_on_it",
     kMean,
     10,
     100,
     0,
     {9, 9.9999995, 11},
     {"1.0 (0,10] 1*9 2*1", "1.1 (10,11] 3*1"}},
    // 2e-6 before 10 is not: those 2e-6 s come from the next step.
    {"further_before_boundary_is_not_on_it",
     kMean,
     10,
     100,
     0,
     {9, 9.999998, 11},
     {"1.0 (0,10] 1*9 2*0.999998 3*2e-06", "1.1 (10,11] 3*1"}},
    {"just_after_boundary_is_on_it",
     kMean,
     10,
     100,
     0,
     {9, 10.0000005, 11},
     {"1.0 (0,10] 1*9 2*1", "1.1 (10,11] 3*1"}},
    {"further_after_boundary_is_not_on_it",
     kMean,
     10,
     100,
     0,
     {9, 10.000002, 11},
     {"1.0 (0,10] 1*9 2*1", "1.1 (10,11] 2*2e-06 3*0.999998"}},
    // A step of 0.01 s has a tolerance of 1e-8 s: 1e-7 before the boundary is off it, 5e-9 is on it.
    {"short_step_has_small_tolerance",
     kMean,
     10,
     100,
     0,
     {9.99, 9.9999999, 10.01},
     {"1.0 (0,10] 1*9.99 2*0.0099999 3*1e-07", "1.1 (10,10.01] 3*0.01"}},
    {"short_step_within_its_tolerance",
     kMean,
     10,
     100,
     0,
     {9.99, 9.999999995, 10.01},
     {"1.0 (0,10] 1*9.99 2*0.01", "1.1 (10,10.01] 3*0.01"}},
    // The boundary of 10 is reached by step 2; step 3 makes up its last 1e-8 s, and counts with these.
    {"tiny_step_onto_a_boundary_that_was_reached",
     kMean,
     10,
     100,
     0,
     {9.9, 9.99999999, 10, 10.1},
     {"1.0 (0,10] 1*9.9 2*0.1 3*1e-08", "1.1 (10,10.1] 4*0.1"}},
    {"tiny_last_step_onto_a_boundary_that_was_reached",
     kMean,
     10,
     10,
     0,
     {9.9, 9.99999999, 10},
     {"1.0 (0,10] 1*9.9 2*0.1 3*1e-08"}},
    {"run_that_ends_just_before_a_boundary", kMean, 10, 10, 0, {9.9, 9.99999999}, {"1.0 (0,10] 1*9.9 2*0.1"}},
    // Two slivers: the first is within a millionth of 9e-9 s of 10, so that step 4 makes up the last 1e-11.
    {"tiny_steps_onto_a_boundary_that_was_reached",
     kMean,
     10,
     10,
     0,
     {9.9, 9.99999999, 9.99999999999999, 10},
     {"1.0 (0,10] 1*9.9 2*0.1 3*9.99999e-09 4*1.06581e-14"}},
    // Ends 30, 60, 90 lie in file 1, 120 and 150 in file 2.
    {"output_does_not_divide_write",
     kMean,
     30,
     100,
     0,
     {30, 60, 90, 120, 150},
     {"1.0 (0,30] 1*30", "1.1 (30,60] 2*30", "1.2 (60,90] 3*30", "2.0 (90,120] 4*30", "2.1 (120,150] 5*30"}},
    // (30, 60] = 20 s of step 1 + 10 s of step 2. What is left over ends at 100: the last moment of file 1.
    {"end_on_a_file_boundary_in_mid_window",
     kMean,
     30,
     100,
     0,
     {50, 100},
     {"1.0 (0,30] 1*30", "1.1 (30,60] 1*20 2*10", "1.2 (60,90] 2*30", "1.3 (90,100] 2*10"}},
    // Ends 250 and 500 lie in the files of 300 and 500; what is left over ends at 600.
    {"output_is_longer_than_write",
     kMean,
     250,
     100,
     0,
     {100, 200, 300, 400, 500, 600},
     {"3.0 (0,250] 1-2*100 3*50", "5.0 (250,500] 3*50 4-5*100", "6.0 (500,600] 6*100"}},
    {"step_spans_three_files",
     kMean,
     100,
     100,
     0,
     {50, 350},
     {"1.0 (0,100] 1-2*50", "2.0 (100,200] 2*100", "3.0 (200,300] 2*100", "4.0 (300,350] 2*50"}},
    // 3 * 0.1 is 0.30000000000000004: it is the end of file 1 nevertheless.
    {"window_ends_are_inexact_tenths",
     kMean,
     0.1,
     0.3,
     0,
     {0.1, 0.2, 0.3, 0.4},
     {"1.0 (0,0.1] 1*0.1", "1.1 (0.1,0.2] 2*0.1", "1.2 (0.2,0.3] 3*0.1", "2.0 (0.3,0.4] 4*0.1"}},
    {"one_step_over_inexact_tenths",
     kMean,
     0.1,
     0.3,
     0,
     {0.7},
     {"1.0 (0,0.1] 1*0.1", "1.1 (0.1,0.2] 1*0.1", "1.2 (0.2,0.3] 1*0.1", "2.0 (0.3,0.4] 1*0.1",
      "2.1 (0.4,0.5] 1*0.1", "2.2 (0.5,0.6] 1*0.1", "3.0 (0.6,0.7] 1*0.1"}},
    // 0.1 added nine times is 0.8999999999999999, like 3 * 0.3.
    {"output_of_three_tenths",
     kMean,
     0.3,
     0.9,
     0,
     steps_of(0, 0.1, 10),
     {"1.0 (0,0.3] 1-3*0.1", "1.1 (0.3,0.6] 4-6*0.1", "1.2 (0.6,0.9] 7-9*0.1", "2.0 (0.9,1] 10*0.1"}},
    // 1e9 is the end of file 1e7.
    {"after_a_thousand_million_seconds",
     kMean,
     10,
     100,
     1e9,
     {1e9 + 4, 1e9 + 16, 1e9 + 20},
     {"10000001.0 (1000000000,1000000010] 1*4 2*6", "10000001.1 (1000000010,1000000020] 2*6 3*4"}},
    {"quarter_seconds_after_a_thousand_million",
     kMean,
     1,
     2,
     1e9,
     steps_of(1e9, 0.25, 10),
     {"500000001.0 (1000000000,1000000001] 1-4*0.25", "500000001.1 (1000000001,1000000002] 5-8*0.25",
      "500000002.0 (1000000002,1000000002.5] 9-10*0.25"}},
    {"run_continues_from_3600",
     kMean,
     600,
     3600,
     3600,
     {3900, 4200, 4500},
     {"2.0 (3600,4200] 1-2*300", "2.1 (4200,4500] 3*300"}},
    {"run_continues_from_just_above_3600",
     kMean,
     600,
     3600,
     3600.0000000001,
     {3900, 4200},
     {"2.0 (3600,4200] 1-2*300"}},
    {"run_continues_from_just_below_3600",
     kMean,
     600,
     3600,
     3599.9999999999,
     {3900, 4200},
     {"2.0 (3600,4200] 1-2*300"}},
    {"run_continues_in_mid_window", kMean, 600, 3600, 3650, {3900, 4200}, {"2.0 (3650,4200] 1*250 2*300"}},
    // Only steps 2 and 4 are samples; they stand for (0, 7] and (7, 20].
    {"cadence_two", kMean, 10, 100, 0, {3, 7, 12, 20}, {"1.0 (0,10] 2*7 4*3", "1.1 (10,20] 4*10"}, 2},
    // Samples 3 and 6 stand for (0, 4] and (4, 16]. Nothing stands for the last step: the window ends at 16.
    {"cadence_three",
     kMean,
     10,
     100,
     0,
     {1, 2, 4, 7, 11, 16, 22},
     {"1.0 (0,10] 3*4 6*6", "1.1 (10,16] 6*6"},
     3},
    {"run_shorter_than_its_cadence", kMean, 10, 100, 0, {10, 20, 30}, {}, 5},
    // The steps 0 and 2 are samples: (0, 5] and (5, 15].
    {"cadence_counts_from_step_zero",
     kMean,
     10,
     100,
     0,
     {5, 10, 15},
     {"1.0 (0,10] 0*5 2*5", "1.1 (10,15] 2*5"},
     2,
     0},
    // Of a continued run the steps 102 and 104 are samples: (3600, 3700] and (3700, 4000].
    {"cadence_of_a_continued_run",
     kMean,
     200,
     3600,
     3600,
     {3650, 3700, 3900, 4000},
     {"2.0 (3600,3800] 102*100 104*100", "2.1 (3800,4000] 104*200"},
     2,
     101},
};
INSTANTIATE_TEST_SUITE_P(averaged, ScheduleCursorRow, ::testing::ValuesIn(kMeans), name_of);

// ---- Long runs: the rounding of a thousand additions of 0.1 is well within the tolerance ----

TEST(ScheduleCursor, gives_means_of_a_hundred_steps_each_in_a_thousand_steps_of_a_tenth) {
  // Window k is (10 (k - 1), 10 k] with samples 100 (k - 1) + 1 to 100 k of 0.1 s; files of 50 s hold five.
  std::vector<std::string> expected;
  for (int k = 1; k <= 10; ++k) {
    expected.push_back(std::to_string((k - 1) / 5 + 1) + "." + std::to_string((k - 1) % 5) + " (" +
                       std::to_string(10 * (k - 1)) + "," + std::to_string(10 * k) + "] " +
                       std::to_string(100 * (k - 1) + 1) + "-" + std::to_string(100 * k) + "*0.1");
  }

  EXPECT_EQ(records_of({"", kMean, 10, 50, 0, steps_of(0, 0.1, 1000), {}}), expected);
}

TEST(ScheduleCursor, gives_means_of_ten_steps_each_in_a_thousand_steps_of_a_tenth) {
  std::vector<std::string> expected;
  for (int k = 1; k <= 100; ++k) {
    expected.push_back(std::to_string((k - 1) / 10 + 1) + "." + std::to_string((k - 1) % 10) + " (" +
                       std::to_string(k - 1) + "," + std::to_string(k) + "] " + std::to_string(10 * k - 9) +
                       "-" + std::to_string(10 * k) + "*0.1");
  }

  EXPECT_EQ(records_of({"", kMean, 1, 10, 0, steps_of(0, 0.1, 1000), {}}), expected);
}

TEST(ScheduleCursor, refuses_a_step_that_ends_a_hundred_thousand_records) {
  const Schedule schedule{FileId(), kMean, Frequency(1e-3), 1, ""};
  const auto cursor = [&] { return ScheduleCursor(schedule, Frequency(1000), 0); };

  EXPECT_EQ(cursor().advance({1, 100, 100}).size(), 100'000U);
  try {
    cursor().advance({1, 200, 200});
    ADD_FAILURE() << "200 000 records of a step were taken";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("averaged every step each 0.001 s"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace pileus::testing
