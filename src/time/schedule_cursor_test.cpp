// The table of D11: the records of each run and the weight of every sample, worked out by hand.

#include "time/schedule_cursor.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <ostream>
#include <string>
#include <vector>

#include "core/error.h"
#include "time/manipulations/list.h"

namespace pileus {
namespace {

const Manipulation kMean = manipulations::averaged();
const Manipulation kInstant = manipulations::instantaneous();
const Manipulation kNone = manipulations::none();

struct Row {
  const char* name;
  Manipulation manipulation;
  double output_s, write_s;
  double start_s;
  std::vector<double> times;  // of the steps; a length is the distance to the time before
  std::vector<std::string> expected;
  std::int64_t cadence = 1;
  std::int64_t first_index = 1;
  bool has_final = false;
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

std::string number(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

/// The text says what a server would do with the actions. A mean is "file.record (begin,end] sample*weight
/// ...", and 3-5*2 says that samples 3, 4 and 5 count 2 s each; a point in time is "file.record @time by
/// sample".
class Journal {
 public:
  void note(std::int64_t sample, const std::vector<SampleAction>& actions) {
    for (const SampleAction& action : actions) {
      if (action.weight_s != 0) count(sample, number(action.weight_s, 6));
      if (action.ends_record) end_record(sample, action.mark);
    }
  }
  const std::vector<std::string>& records() const { return records_; }

 private:
  struct Share {
    std::int64_t first, last;
    std::string weight;
  };
  void count(std::int64_t sample, std::string weight) {
    if (!shares_.empty() && shares_.back().weight == weight && shares_.back().last + 1 == sample) {
      shares_.back().last = sample;
    } else {
      shares_.push_back({sample, sample, std::move(weight)});
    }
  }
  void end_record(std::int64_t sample, const RecordMark& mark) {
    std::string text = std::to_string(mark.period) + "." + std::to_string(mark.record);
    if (mark.begin_s == mark.end_s) {
      text += " @" + number(mark.time_s, 12) + " by " + std::to_string(sample);
    } else {
      text += " (" + number(mark.begin_s, 12) + "," + number(mark.end_s, 12) + "]";
    }
    for (const Share& share : shares_) {
      text += " " + std::to_string(share.first);
      if (share.last > share.first) text += "-" + std::to_string(share.last);
      text += "*" + share.weight;
    }
    EXPECT_EQ(mark.time_s, mark.end_s) << text;
    records_.push_back(text);
    shares_.clear();
  }

  std::vector<Share> shares_;
  std::vector<std::string> records_;
};

std::vector<std::string> records_of(const Row& row) {
  ScheduleCursor cursor({FileId(0), row.manipulation, row.output_s, row.cadence, "time"}, row.write_s,
                        row.start_s);
  Journal journal;
  double before = row.start_s;
  std::int64_t index = row.first_index;
  for (const double& time : row.times) {
    const bool is_final = row.has_final && &time == &row.times.back();
    journal.note(index, cursor.advance({index, time, time - before, is_final}));
    before = time;
    ++index;
  }
  journal.note(index, cursor.finish());
  return journal.records();
}

/// `count` times, each the one before plus `length_s`, with the rounding that this brings.
std::vector<double> steps_of(double start_s, double length_s, int count) {
  std::vector<double> times;
  for (double time = start_s; static_cast<int>(times.size()) < count;) times.push_back(time += length_s);
  return times;
}

class ScheduleCursorRow : public testing::TestWithParam<Row> {};

TEST_P(ScheduleCursorRow, gives_the_records_that_were_worked_out_by_hand) {
  EXPECT_EQ(records_of(GetParam()), GetParam().expected);
}

std::string name_of(const testing::TestParamInfo<Row>& row) { return row.param.name; }

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
INSTANTIATE_TEST_SUITE_P(averaged, ScheduleCursorRow, testing::ValuesIn(kMeans), name_of);

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
INSTANTIATE_TEST_SUITE_P(instantaneous, ScheduleCursorRow, testing::ValuesIn(kInstants), name_of);

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
INSTANTIATE_TEST_SUITE_P(none, ScheduleCursorRow, testing::ValuesIn(kEverySample), name_of);

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
INSTANTIATE_TEST_SUITE_P(state_at_the_start, ScheduleCursorRow, testing::ValuesIn(kStarts), name_of);

TEST(FilePeriods, of_steps_have_the_state_at_the_start_in_the_file_of_the_step_after_it) {
  ScheduleCursor cursor({FileId(0), kNone, 0, 1, "time"}, FilePeriods(Frequency(), 5), 0);

  EXPECT_EQ(cursor.advance({10, 0, 0}).at(0).mark.period, 3);  // steps 11 to 15
  EXPECT_EQ(cursor.closed_through(), 2);
  EXPECT_EQ(cursor.advance({11, 1, 1}).at(0).mark, (RecordMark{3, 1, 1, 1, 1}));
}

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

/// "period.record" of what each step ends, and which files are full then; the run ends with the last step.
std::vector<std::string> places(Schedule schedule, const FilePeriods& files, std::int64_t steps) {
  ScheduleCursor cursor(schedule, files, 0);
  std::vector<std::string> places;
  auto note = [&](const std::vector<SampleAction>& actions) {
    std::string text;
    for (const SampleAction& action : actions) {
      if (action.ends_record)
        text += std::to_string(action.mark.period) + "." + std::to_string(action.mark.record) + " ";
    }
    places.push_back(text + "full " + std::to_string(cursor.closed_through()));
  };
  for (std::int64_t i = 1; i <= steps; ++i) {
    note(cursor.advance({i, 10.0 * static_cast<double>(i), 10, static_cast<std::uint8_t>(i == steps)}));
  }
  note(cursor.finish());
  return places;
}

using Places = std::vector<std::string>;

TEST(FilePeriods, of_steps_end_at_multiples_of_their_number) {
  const Schedule every{FileId(0), manipulations::none(), 0, 1, "time"};

  EXPECT_EQ(places(every, {0, 2}, 5),
            (Places{"1.0 full 0", "1.1 full 1", "2.0 full 1", "2.1 full 2", "3.0 full 2", "full 2"}));
}

TEST(FilePeriods, of_steps_stay_open_for_a_window_that_the_end_of_the_run_may_cut_off) {
  const Schedule averages{FileId(0), manipulations::averaged(), 30, 1, "time"};

  // Windows end at 30, in step 3; the run ends at 40, and with it the window from 30 in the file of step 4.
  EXPECT_EQ(places(averages, {0, 2}, 4), (Places{"full 0", "full 0", "2.0 full 1", "full 1", "2.1 full 1"}));
}

TEST(FilePeriods, of_the_whole_run_are_one_that_is_never_full) {
  const Schedule every{FileId(0), manipulations::none(), 0, 2, "time"};

  EXPECT_EQ(places(every, {0, 0}, 4), (Places{"full 0", "1.0 full 0", "full 0", "1.1 full 0", "full 0"}));
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

TEST(FinalStep, is_a_sample_where_fields_are_sent_at_the_end) {
  Schedule schedule{FileId(0), manipulations::none(), 0, 0, "time"};
  schedule.at_end = true;

  EXPECT_EQ(places(schedule, {0, 0}, 3), (Places{"full 0", "full 0", "1.0 full 0", "full 0"}));
  schedule.cadence = 2;
  EXPECT_EQ(places(schedule, {0, 0}, 3), (Places{"full 0", "1.0 full 0", "1.1 full 0", "full 0"}));
  schedule.at_end = false;
  EXPECT_EQ(places(schedule, {0, 0}, 3), (Places{"full 0", "1.0 full 0", "full 0", "full 0"}));
}

TEST(FinalStep, is_an_instant_of_files_that_are_written_at_the_end) {
  Schedule schedule{FileId(0), manipulations::instantaneous(), 20, 1, "time"};

  EXPECT_EQ(places(schedule, {0, 0}, 3), (Places{"full 0", "1.0 full 0", "full 0", "full 0"}));
  schedule.takes_last = true;
  EXPECT_EQ(places(schedule, {0, 0}, 3), (Places{"full 0", "1.0 full 0", "1.1 full 0", "full 0"}));
  EXPECT_EQ(places(schedule, {0, 0}, 2), (Places{"full 0", "1.0 full 0", "full 0"}));
}

/// The places of what three steps of 10 s end, and of what a closing step after them ends.
Places places_with_closing(const Schedule& schedule, const FilePeriods& files) {
  ScheduleCursor cursor(schedule, files, 0);
  for (std::int64_t n = 1; n <= 3; ++n) cursor.advance({n, 10.0 * static_cast<double>(n), 10});
  const std::int64_t closed = cursor.closed_through();
  Places places;
  for (const SampleAction& action : cursor.advance({4, 30, 10, 1, 0, 0, 1})) {
    EXPECT_EQ(action.weight_s, 0);
    places.push_back(std::to_string(action.mark.period) + "." + std::to_string(action.mark.record) + " @" +
                     number(action.mark.time_s, 6));
  }
  places.push_back("full " + std::to_string(closed));
  return places;
}

TEST(ClosingStep, is_a_record_of_the_file_that_the_last_step_would_be_in_as_the_final_one) {
  Schedule last{FileId(0), manipulations::instantaneous(), 20, 1, "time"};
  last.takes_last = true;

  EXPECT_EQ(places_with_closing(last, {0, 0}), (Places{"1.1 @30", "full 0"}));
  // The file of the last step may not be closed before it is known whether it was the last.
  EXPECT_EQ(places_with_closing(last, {30, 0}), (Places{"1.1 @30", "full 0"}));
  EXPECT_EQ(places_with_closing(last, {0, 3}), (Places{"1.1 @30", "full 0"}));
  last.output_frequency = 30;
  EXPECT_EQ(places_with_closing(last, {30, 0}), (Places{"full 1"}));
}

TEST(ClosingStep, is_a_sample_where_fields_are_sent_at_the_end_but_of_no_interval) {
  Schedule sent{FileId(0), manipulations::none(), 0, 0, "time"};
  sent.at_end = true;

  EXPECT_EQ(places_with_closing(sent, {0, 0}), (Places{"1.0 @30", "full 0"}));
  EXPECT_EQ(places_with_closing(sent, {30, 0}), (Places{"1.0 @30", "full 0"}));
  sent.cadence = 3;
  EXPECT_EQ(places_with_closing(sent, {0, 0}), (Places{"full 0"}));
  sent.cadence = 2;
  EXPECT_EQ(places_with_closing(sent, {0, 3}), (Places{"1.1 @30", "full 0"}));
  sent.manipulation = manipulations::averaged();
  sent.output_frequency = 20;
  EXPECT_EQ(places_with_closing(sent, {0, 0}), (Places{"full 0"}));
}

}  // namespace
}  // namespace pileus
