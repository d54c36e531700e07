// Triggers step by step, lines that people write, and which records lack.

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "steering/control.h"
#include "steering/steering.h"
#include "steering/trigger_state.h"
#include "time/manipulations/list.h"

namespace pileus {
namespace {

Step step_at(double time, double length = 1) { return {static_cast<std::int64_t>(time), time, length}; }

/// In which of the steps 1, 2, … it is on. `conditions`: "+" where it begins, "-" where it ends, "." neither.
std::string course(PlannedTrigger trigger, const std::string& conditions) {
  trigger.until = VariableId(0);
  TriggerState state(trigger);
  std::string on;
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    on += state.is_on() ? 'x' : '.';
    state.take(step_at(static_cast<double>(i + 1)), conditions[i] == '+',
               conditions[i] == '.' ? std::optional(false) : std::optional(conditions[i] == '-'));
  }
  return on;
}

TEST(TriggerState, is_on_from_the_step_after_it_begins_to_the_one_that_ends_it) {
  EXPECT_EQ(course({}, "..+.+..-..+-+-"), "...xxxxx...x.x");
}

TEST(TriggerState, changes_nothing_where_a_condition_is_not_known) {
  PlannedTrigger with_until;
  with_until.until = VariableId(0);
  TriggerState one(with_until), other(PlannedTrigger{});
  EXPECT_FALSE(one.take(step_at(1), std::nullopt, true));
  EXPECT_TRUE(one.take(step_at(2), true, std::nullopt));
  EXPECT_FALSE(one.take(step_at(3), false, std::nullopt));
  EXPECT_TRUE(one.take(step_at(4), std::nullopt, true));
  const PlannedTrigger alone;
  other = TriggerState(alone);
  EXPECT_TRUE(other.take(step_at(1), true, std::nullopt));
  EXPECT_FALSE(other.take(step_at(2), std::nullopt, std::nullopt));
  EXPECT_TRUE(other.take(step_at(3), false, std::nullopt));
}

TEST(TriggerState, of_an_event_before_the_state_at_the_start_is_on_for_it_alone) {
  PlannedTrigger trigger;
  trigger.event = "storm";
  TriggerState state(trigger);

  EXPECT_TRUE(state.take_event(step_at(0, 0)));
  EXPECT_TRUE(state.end_if_over(step_at(1)));
}

TEST(TriggerState, lasts_at_least_so_long) {
  PlannedTrigger trigger;
  trigger.lasts_s = 3;

  EXPECT_EQ(course(trigger, "+-----+..---"), ".xxx...xxx..");
}

TEST(TriggerState, begins_at_most_so_often) {
  PlannedTrigger trigger;
  trigger.at_most_every_s = 5;

  EXPECT_EQ(course(trigger, "+-+++++-++"), ".x....xx..");
  EXPECT_EQ(course(trigger, "+-...+-"), ".x....x");
}

TEST(TriggerState, of_an_event_is_on_for_one_step_or_as_long_as_it_lasts) {
  for (const auto& [lasts_s, expected] : {std::pair{0.0, "..x.x"}, {1.0, "..x.x"}, {2.5, "..xxx"}}) {
    PlannedTrigger trigger;
    trigger.event = "storm";
    trigger.lasts_s = lasts_s;
    TriggerState state(trigger);
    std::string on;
    for (int n = 1; n <= 5; ++n) {
      state.end_if_over(step_at(n));
      if (n == 3 || n == 5) state.take_event(step_at(n));
      on += state.is_on() ? 'x' : '.';
    }
    EXPECT_EQ(on, expected) << lasts_s;
  }
}

TEST(TriggerState, goes_on_from_its_state) {
  PlannedTrigger trigger;
  trigger.lasts_s = 3;
  TriggerState before(trigger), after(trigger);
  before.take(step_at(7), true, std::nullopt);
  Bytes bytes;
  Encoder out(bytes);
  before.encode(out);

  Decoder in(bytes);
  after.restore(in);

  EXPECT_TRUE(after.is_on());
  EXPECT_EQ(after.times(), 1);
  EXPECT_FALSE(after.take(step_at(9), false, std::nullopt));
  EXPECT_TRUE(after.take(step_at(10), false, std::nullopt));
  bytes.front() = std::byte{1};
  bytes[1] = std::byte{0};
  Decoder damaged(bytes);
  EXPECT_THROW(after.restore(damaged), TransportError);
}

TEST(ControlRequest, is_read_from_a_line_and_written_as_one) {
  for (const char* line : {"on w.nc", "off a b.nc", "frequency a b.nc 60", "frequency w.nc 0.25"}) {
    const ControlRequest request = read_request(line);
    EXPECT_FALSE(request.verb.empty()) << line;
    EXPECT_EQ(line_of(request), line);
  }
  EXPECT_EQ(read_request("  off\t w.nc \r").file, "w.nc");
  for (const char* line :
       {"", "on", "off ", "of w.nc", "frequency w.nc", "frequency w.nc 0", "frequency 60",
        "frequency w.nc -1", "frequency w.nc inf", "frequency w.nc nan", "frequency w.nc 6s"})
    EXPECT_EQ(read_request(line).verb, "") << line;
}

Manipulation manipulation_of(const std::string& name) {
  const std::vector<Manipulation> all = all_manipulations();
  return *std::ranges::find(all, name, [](const Manipulation& one) { return std::string(one->name); });
}

/// Two files of instants and one of averages.
Plan three_files() {
  Plan plan;
  for (const char* name : {"a.nc", "b.nc", "means.nc"}) {
    PlannedFile file;
    file.name = name;
    file.schedules = {ScheduleId(plan.schedules.size())};
    const bool is_of_means = file.name == "means.nc";
    plan.schedules.push_back(Schedule{FileId(plan.files.size()),
                                      manipulation_of(is_of_means ? "averaged" : "none"),
                                      is_of_means ? Frequency(10) : Frequency(), 1, "time"});
    plan.files.push_back(file);
  }
  return plan;
}

std::string records(Control& control, int from, int to, std::size_t file = 0) {
  std::string written;
  for (int n = from; n <= to; ++n) {
    DroppedAxes dropped;
    control.add_dropped(step_at(n), dropped);
    bool is_there = true;
    for (const DroppedAxes::Axis& one : dropped.axes()) is_there = is_there && one.axis.index != file;
    written += is_there ? 'x' : '.';
  }
  return written;
}

TEST(Control, leaves_out_records_from_one_request_to_the_next) {
  const Plan plan = three_files();
  Control control(plan);

  EXPECT_EQ(records(control, 1, 3), "xxx");
  EXPECT_EQ(control.take(read_request("off a.nc")), "");
  EXPECT_EQ(records(control, 4, 6), "...");
  EXPECT_EQ(records(control, 7, 7, 1), "x");
  EXPECT_EQ(control.take(read_request("on a.nc")), "");
  EXPECT_EQ(records(control, 8, 9), "xx");
  EXPECT_EQ(control.take(read_request("frequency a.nc 4")), "");
  EXPECT_EQ(records(control, 10, 20), "..x...x...x");
  EXPECT_EQ(control.take(read_request("on a.nc")), "");
  EXPECT_EQ(records(control, 21, 22), "xx");
}

TEST(Control, slows_down_what_comes_seldom_anyway) {
  Plan plan = three_files();
  for (Schedule& schedule : plan.schedules) {
    if (!schedule.manipulation.covers_window()) schedule.manipulation = manipulation_of("instantaneous");
    schedule.output_frequency = Frequency(10);
  }
  Control control(plan);
  EXPECT_EQ(control.take(read_request("frequency a.nc 25")), "");

  std::vector<int> written;
  for (int n = 1; n <= 120; ++n) {
    const bool is_due = n % 10 == 0;
    if (records(control, n, n) == "x" && is_due) written.push_back(n);
  }

  EXPECT_EQ(written, (std::vector<int>{30, 50, 80, 100}));
}

TEST(Control, keeps_the_last_step_of_a_run) {
  const Plan plan = three_files();
  Control control(plan);
  EXPECT_EQ(control.take(read_request("frequency a.nc 1000")), "");
  DroppedAxes dropped;
  Step last = step_at(1);
  last.is_final = 1;

  control.add_dropped(last, dropped);

  EXPECT_TRUE(dropped.empty());
}

TEST(Control, refuses_what_cannot_be_done) {
  Plan plan = three_files();
  plan.triggers.emplace_back().when = VariableId(0);
  plan.variables.emplace_back().file = FileId(1);
  Control control(plan);

  EXPECT_NE(control.take(read_request("off c.nc")).find("no file is called \"c.nc\""), std::string::npos);
  EXPECT_NE(control.take(read_request("off means.nc")).find("averaged"), std::string::npos);
  EXPECT_NE(control.take(read_request("stop")).find("it is none of"), std::string::npos);
  EXPECT_NE(control.take(read_request("off b.nc")).find("triggers"), std::string::npos);
  EXPECT_EQ(records(control, 1, 3, 1), "xxx");
}

TEST(Control, refuses_another_frequency_of_what_cannot_have_one) {
  Plan plan = three_files();
  plan.schedules[0].is_from_last = true;
  plan.schedules[1].lookback = {3, 0, 3};
  Control control(plan);

  EXPECT_NE(control.take(read_request("frequency a.nc 10")).find("counts its records from the last one"),
            std::string::npos);
  EXPECT_NE(control.take(read_request("frequency b.nc 10")).find("before its trigger on"), std::string::npos);
  EXPECT_EQ(control.take(read_request("off b.nc")), "");
}

TEST(Control, goes_on_from_its_state) {
  const Plan plan = three_files();
  Control before(plan), after(plan);
  ControlRequest request = read_request("frequency a.nc 4");
  request.through = 17;
  EXPECT_EQ(before.take(request), "");
  EXPECT_EQ(records(before, 1, 6), "...x..");
  Bytes bytes;
  Encoder out(bytes);
  before.encode(out);

  Decoder in(bytes);
  after.restore(in);

  EXPECT_EQ(after.through(), 17U);
  EXPECT_EQ(records(after, 7, 12), ".x...x");
  bytes.resize(bytes.size() - 1);
  Decoder cut(bytes);
  EXPECT_THROW(after.restore(cut), TransportError);
}

/// Remembers what it is told.
struct Told : SteeringHost, StateSink {
  void triggered(const PlannedTrigger& trigger, bool begins, const Step& step) override {
    said += (begins ? "+" : "-") + trigger.name + std::to_string(step.index) + " ";
  }
  void happened(const std::string& word, const Step& step) override {
    said += word + std::to_string(step.index) + " ";
  }
  void controlled(const ControlRequest& request, const std::string& problem, const Step&) override {
    said += (problem.empty() ? "" : "no ") + request.verb + " ";
  }
  void keep(std::int64_t step, std::vector<StateEntry> entries, std::string error) override {
    kept.push_back({step, std::move(entries), std::move(error)});
  }

  struct Kept {
    std::int64_t step;
    std::vector<StateEntry> entries;
    std::string error;
  };
  std::string said;
  std::vector<Kept> kept;
};

/// A trigger whose conditions are both in the first file, and a second file of it.
class SteeringTest : public ::testing::Test {
 protected:
  SteeringTest() {
    for (int i = 0; i < 2; ++i) {
      Variable& variable = plan.variables.emplace_back();
      variable.name = i == 0 ? "storm" : "storm_until";
      variable.file = FileId(0);
      variable.schedule = ScheduleId(0);
    }
    PlannedTrigger& trigger = plan.triggers.emplace_back();
    trigger.name = "storm";
    trigger.when = VariableId(0);
    trigger.until = VariableId(1);
    plan.files[1].trigger = 0;
  }

  /// Lets a step through, and returns whether the file of the trigger has a record.
  bool pass(Steering& steering, int n, bool is_checkpoint = false,
            const std::vector<std::string>& events = {}) {
    Step step = step_at(n);
    step.is_checkpoint = is_checkpoint ? 1 : 0;
    EXPECT_TRUE(steering.is_ready()) << n;
    const DroppedAxes dropped = steering.advance(step, events);
    EXPECT_EQ(steering.advance(step, events), dropped) << "the same where it is asked again";
    const ScheduleActions actions = cursors.advance(step, 0, dropped);
    last = actions.of(ScheduleId(0)).back().mark;
    steering.expect(step, actions);
    return !dropped.has(ScheduleId(1));
  }
  /// Of the last step.
  TriggerFrame condition(std::size_t variable, bool holds) const {
    return {VariableId(variable), last.period, last.record, holds, false};
  }
  void know(Steering& steering, bool when, bool until) {
    steering.take(condition(1, until));
    EXPECT_FALSE(steering.is_ready());
    EXPECT_NE(steering.wait_text().find("storm"), std::string::npos);
    steering.take(condition(0, when));
    EXPECT_EQ(steering.wait_text(), "");
  }

  Plan plan = three_files();
  Told told;
  ScheduleCursors cursors{plan};
  RecordMark last;
};

TEST_F(SteeringTest, lets_no_step_through_before_the_conditions_of_the_last_are_known) {
  Steering steering(plan, told, told, nullptr);

  EXPECT_FALSE(pass(steering, 1));
  EXPECT_FALSE(steering.is_ready());
  know(steering, true, false);
  EXPECT_TRUE(pass(steering, 2, false, {"look"}));
  know(steering, false, true);
  EXPECT_FALSE(pass(steering, 3));
  EXPECT_EQ(told.said, "+storm1 look2 -storm2 ");
  steering.take(condition(0, true));
  EXPECT_THROW(steering.take(condition(0, true)), TransportError) << "twice";
}

TEST_F(SteeringTest, keeps_the_state_of_a_step_once_when_its_conditions_are_known) {
  Steering before(plan, told, told, nullptr);
  EXPECT_FALSE(pass(before, 1, true));
  EXPECT_TRUE(told.kept.empty());
  know(before, true, false);
  ASSERT_EQ(told.kept.size(), 1U);
  EXPECT_EQ(told.kept[0].error, "");
  StateEntries entries;
  for (const StateEntry& entry : told.kept[0].entries) entries.add(entry);

  Steering after(plan, told, told, &entries);

  EXPECT_TRUE(pass(after, 2));
}

TEST_F(SteeringTest, waits_for_nobody_who_has_left) {
  Steering steering(plan, told, told, nullptr);
  EXPECT_FALSE(pass(steering, 1));
  know(steering, true, false);
  EXPECT_TRUE(pass(steering, 2, true));

  for (const std::size_t variable : {0U, 1U}) steering.take({VariableId(variable), 0, 0, false, true});

  EXPECT_TRUE(steering.is_ready());
  EXPECT_EQ(told.kept.size(), 1U);
  EXPECT_TRUE(pass(steering, 3)) << "what begins with nobody's word ends with none";
  steering.take(condition(0, true));  // on its way when it left
}

TEST_F(SteeringTest, waits_for_nothing_in_a_run_that_is_stopped_and_keeps_no_state_that_lacks_something) {
  Steering steering(plan, told, told, nullptr);
  EXPECT_FALSE(pass(steering, 1, true));

  steering.open_for_good();

  EXPECT_TRUE(steering.is_ready());
  pass(steering, 2);
  ASSERT_EQ(told.kept.size(), 1U);
  EXPECT_NE(told.kept[0].error, "");
  steering.take(condition(0, true));
}

TEST_F(SteeringTest, does_what_is_asked_for_from_the_next_step_on) {
  plan.files[1].trigger.reset();
  Steering steering(plan, told, told, nullptr);
  EXPECT_TRUE(pass(steering, 1));
  steering.ask(read_request("off b.nc"));
  steering.ask(read_request("off a.nc"));
  know(steering, false, false);

  EXPECT_FALSE(pass(steering, 2));
  EXPECT_EQ(told.said, "off no off ");
}

}  // namespace
}  // namespace pileus
