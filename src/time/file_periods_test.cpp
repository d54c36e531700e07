// The file in which a record lies, and when a file is full: of steps, of the whole run, and at its end.

#include "time/testing/schedule_rows.h"

namespace pileus::testing {
namespace {

using Places = std::vector<std::string>;

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

TEST(FilePeriods, of_steps_have_the_state_at_the_start_in_the_file_of_the_step_after_it) {
  ScheduleCursor cursor({FileId(0), kNone, 0, 1, "time"}, FilePeriods(Frequency(), 5), 0);

  EXPECT_EQ(cursor.advance({10, 0, 0}).at(0).mark.period, 3);  // steps 11 to 15
  EXPECT_EQ(cursor.closed_through(), 2);
  EXPECT_EQ(cursor.advance({11, 1, 1}).at(0).mark, (RecordMark{3, 1, 1, 1, 1}));
}

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
}  // namespace pileus::testing
