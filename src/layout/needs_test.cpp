// When values are wanted, and at which steps checkpoints are due.

#include "layout/testing/grouped_fields.h"

namespace pileus {
namespace {

using namespace planning_test;

TEST(Needs, a_value_of_several_groups_is_sampled_when_all_of_them_are) {
  ConfigBuilder config = with_groups();
  config.diagnostic("d");
  config.arithmetic("b*c", "d");
  config.file("f.nc");
  config.include("d", "instantaneous", 5);
  config.include("b", "averaged", 5);

  const Plan plan = plan_of(config, model_of_groups()).plan;

  EXPECT_EQ(value_of(plan, "d").cadence, 12);  // the multiple of 4 and 6 steps
  EXPECT_EQ(plan.needs, (std::vector<Need>{{12, 5}, {4, 0, false, false, false, true}}));
  EXPECT_EQ(value_of(plan, "d").needs, std::vector<std::uint32_t>{0});
  EXPECT_EQ(plan[planning_test::field_of(plan, "b").value].needs, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(plan[planning_test::field_of(plan, "c").value].needs, std::vector<std::uint32_t>{0});
}

TEST(Needs, first_samples_are_not_mentioned_where_every_sample_of_the_cadence_is_wanted) {
  ConfigBuilder config = with_groups();
  config.file("f.nc");
  config.include("a", "instantaneous", 5);
  config.include("a", "none");

  const Plan plan = plan_of(config, model_of_groups()).plan;

  EXPECT_EQ(plan.needs, (std::vector<Need>{{1, 5}, {1, 0}}));
  EXPECT_EQ(plan[planning_test::field_of(plan, "a").value].needs, std::vector<std::uint32_t>{1});
}

TEST(Needs, a_field_that_nothing_wants_is_in_no_group) {
  ConfigBuilder config = with_groups();
  config.diagnostic("unused");
  config.arithmetic("c*2", "unused");
  config.file("f.nc");
  config.include("b");

  const Plan plan = plan_of(config, model_of_groups()).plan;

  ASSERT_EQ(plan.groups.size(), 1U);
  EXPECT_EQ(plan.groups[0].name, "seldom");
  EXPECT_EQ(plan.groups[0].fields, std::vector<FieldId>{FieldId(0)});
  EXPECT_EQ(plan.fields.size(), 1U);
  EXPECT_EQ(plan.regions[1].size(), 1U);
}

TEST(Needs, each_rank_is_told_what_it_has_to_send) {
  ConfigBuilder config = with_groups();
  config.file("f.nc");
  config.include("w", "averaged", 5);
  config.include("a", "instantaneous", 5);

  const Plan plan = plan_of(config, model_of_groups()).plan;
  const Demand first = plan.demand(0, 100), second = plan.demand(1, 100);

  EXPECT_EQ(first.budget_bytes, 100U);
  ASSERT_EQ(first.groups.size(), 1U);
  ASSERT_EQ(first.groups[0].fields.size(), 2U);
  EXPECT_EQ(first.groups[0].fields[0].name, "w");
  EXPECT_EQ(first.groups[0].fields[0].needs, std::vector<std::uint32_t>{0});
  EXPECT_TRUE(first.groups[0].fields[1].is_sent);
  EXPECT_TRUE(second.groups[0].fields[0].is_sent);
  EXPECT_FALSE(second.groups[0].fields[1].is_sent);
}

TEST(Needs, fields_that_are_sent_at_the_end_are_wanted_there) {
  ConfigBuilder config;
  config.group("last", 0).field("state");
  config.group("third", 3).field("t");
  config.config.data_groups.back().send_on_terminate = true;
  config.group("every").field("e");
  config.diagnostic("both");
  config.arithmetic("state + t*e", "both");
  config.diagnostic("often");
  config.arithmetic("t*e", "often");
  config.file("f.nc").include("both", "none");
  config.file("g.nc").include("often", "instantaneous", 10);
  config.config.files.back().write_on_terminate = true;
  ModelBuilder model(1);

  const Plan plan = plan_of(config, model.field("state").field("t").field("e")).plan;

  ASSERT_EQ(plan.schedules.size(), 2U);
  EXPECT_EQ(plan.schedules[0].need(), (Need{0, 0, true, false}));
  EXPECT_EQ(plan.schedules[1].need(), (Need{3, 10, true, true}));
}

TEST(Needs, no_step_has_both_what_comes_at_the_end_and_what_may_not) {
  ConfigBuilder config;
  config.group("last", 0).field("state");
  config.group("third", 3).field("t");
  config.diagnostic("both");
  const Location where = config.arithmetic("state + t", "both").parameters["equation"].where;
  config.file("f.nc").include("both", "none");

  const Findings findings = checked(config);

  ASSERT_EQ(findings.all().size(), 1U) << findings.text();
  EXPECT_NE(findings.text().find("no step has values of all the fields of this rule"), std::string::npos);
  EXPECT_EQ(findings.all()[0].where.line, where.line);
}

/// Of two files with the same records one may lose some. Where all of the other's steps are wanted too, the
/// need of its own stays.
TEST(Needs, of_a_file_that_may_lose_records_are_its_own) {
  ConfigBuilder config = with_groups();
  config.file("kept.nc").include("a", "instantaneous", 10);
  config.file("lossy.nc").include("a", "none");
  config.config.files.back().when_memory_full = WhenMemoryFull::drop;

  const Plan plan = plan_of(config, model_of_groups()).plan;

  ASSERT_EQ(plan.needs.size(), 2U);
  EXPECT_FALSE(plan.needs[0].droppable.is_valid());
  EXPECT_EQ(plan.needs[1].droppable, ScheduleId(1));
  for (const PlannedField& field : plan.fields) {
    if (field.name == "a") {
      EXPECT_EQ(plan[field.value].needs, (std::vector<std::uint32_t>{0, 1}));
    }
  }
}

TEST(Needs, of_means_bear_no_file_that_may_lose_records) {
  ConfigBuilder config = with_groups();
  config.file("lossy.nc").include("a", "averaged", 10);
  config.config.files.back().when_memory_full = WhenMemoryFull::thin;

  const Findings findings = checked(config);

  ASSERT_EQ(findings.all().size(), 1U) << findings.text();
  EXPECT_NE(findings.text().find("may leave records out (when_memory_full=\"thin\")"), std::string::npos);
}

TEST(FilesOfCheckpoints, want_their_values_at_those_steps_and_no_others) {
  ConfigBuilder config = with_groups();
  config.file("dump.nc");
  config.config.files.back().is_of_checkpoints = true;
  config.include("w", "none");
  config.include("b", "none");  // its own group would hand it over every 4 steps
  config.file("f.nc");
  config.include("a", "none");

  const Plan plan = plan_of(config, model_of_groups()).plan;
  NeedTracker tracker(plan.needs, 0);
  std::map<std::string, std::vector<std::int64_t>> wanted;
  for (std::int64_t step = 1; step <= 4; ++step) {
    Step one{step, static_cast<double>(step), 1};
    one.is_checkpoint = step == 3;
    tracker.advance(one);
    for (const PlannedField& field : plan.fields) {
      if (tracker.is_any_met(plan[field.value].needs)) wanted[field.name].push_back(step);
    }
  }

  EXPECT_EQ(wanted["w"], (std::vector<std::int64_t>{3}));
  EXPECT_EQ(wanted["b"], (std::vector<std::int64_t>{3}));
  EXPECT_EQ(wanted["a"], (std::vector<std::int64_t>{1, 2, 3, 4}));
  EXPECT_EQ(plan.files[0].schedules.size(), 1U);  // one time axis, whatever the groups' frequencies
  EXPECT_EQ(plan.files[0].write_frequency_steps, 1);
  EXPECT_FALSE(plan.files[0].write_frequency.is_given());
}

TEST(FilesOfCheckpoints, add_nothing_to_what_is_wanted_at_every_step) {
  ConfigBuilder config = with_groups();
  config.file("dump.nc");
  config.config.files.back().is_of_checkpoints = true;
  config.include("a", "none");
  config.file("f.nc");
  config.include("a", "none");  // a mean does not count the state at the start, while a checkpoint may take
                                // it

  const Plan plan = plan_of(config, model_of_groups()).plan;

  ASSERT_EQ(plan.values.at(0).needs.size(), 1U);
  EXPECT_EQ(plan.needs.at(plan.values[0].needs[0]), (Need{1, 0}));
}

TEST(Checkpoints, are_due_in_months_of_the_calendar) {
  ConfigBuilder config = with_groups();
  config.config.time = {config.text("noleap"), config.text("2000-01-01")};
  config.config.checkpoint.frequency = {0, 3};
  config.config.checkpoint.steps = 7;
  config.file("f.nc");
  config.include("a", "none");

  const Demand demand = plan_of(config, model_of_groups()).plan.demand(0, 1);

  EXPECT_EQ(demand.checkpoints.frequency, Frequency(3, Calendar::noleap, {2000, 1, 1}));
  EXPECT_EQ(demand.checkpoints.steps, 7);
}

}  // namespace
}  // namespace pileus
