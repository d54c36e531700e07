#include "streams/kept_fields.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "step/testing/facts_of_steps.h"
#include "time/manipulations/list.h"

namespace pileus {
namespace {

using testing::FactsOfSteps;

/// The field "summed" is reduced alone, a file has "shown" every 7 s, and "doubled" is averaged as twice what
/// it is; rank 0's "told" goes to the root as it is.
class KeptFieldsTest : public ::testing::Test {
 protected:
  KeptFieldsTest() {
    plan_.layout = {1, 1};
    plan_.needs = {{1, {}}};
    plan_.groups.push_back({"g", 1, {}});
    const ValueId local = made(field("summed"), LocalReduce{Reduction::sum, {}}, Form::partials);
    made(local, Communicate{Reduction::sum, false}, Form::partials);
    const ValueId shown = field("shown");
    const ValueId twice = made(made(field("doubled"), Arithmetic{}), Arithmetic{});
    made(field("told"), Communicate{Reduction::sum, true});
    plan_.files.emplace_back().name = "m.nc";
    plan_.files[0].write_frequency = 100;
    plan_.schedules.push_back({FileId(0), manipulations::averaged(), 10, 1, "means"});
    plan_.schedules.push_back({FileId(0), manipulations::instantaneous(), 7, 1, "instants"});
    variable(shown, 1);
    variable(twice, 0);
  }

  ValueId value(const std::string& name) {
    Value& value = plan_.values.emplace_back();
    value.name = name;
    value.needs = {0};
    return ValueId(plan_.values.size() - 1);
  }
  ValueId field(const std::string& name) {
    const ValueId id = value(name);
    plan_.fields.push_back({name, GroupId(0), ElementType::float64, id, false, true});
    plan_.values[id.index].field = FieldId(plan_.fields.size() - 1);
    plan_.groups[0].fields.push_back(plan_.values[id.index].field);
    return id;
  }
  template <class Action>
  ValueId made(ValueId input, Action action, Form form = Form::numbers) {
    const ValueId output = value("of " + plan_[input].name);
    Rule& rule = plan_.rules.emplace_back();
    rule.inputs = {input};
    rule.output = output;
    rule.action = std::move(action);
    plan_.values[output.index].form = form;
    plan_.values[output.index].rule = RuleId(plan_.rules.size() - 1);
    return output;
  }
  void variable(ValueId value, std::size_t schedule) {
    Variable& variable = plan_.variables.emplace_back();
    variable.name = plan_[value].name;
    variable.file = FileId(0);
    variable.schedule = ScheduleId(schedule);
    variable.value = value;
  }
  /// The fields that are kept in a step of 1 s that ends then.
  std::string kept(std::int64_t step) {
    const KeptFields fields(plan_);
    std::string names;
    for (std::int64_t before = 1; before <= step; ++before)
      facts_.of({before, static_cast<double>(before), 1});
    for (std::size_t f = 0; f < plan_.fields.size(); ++f)
      if (fields.keeps(FieldId(f), facts_.of({step, static_cast<double>(step), 1})->actions))
        names += plan_.fields[f].name + " ";
    return names;
  }

  Plan plan_;
  FactsOfSteps facts_{plan_};
};

TEST_F(KeptFieldsTest, are_those_whose_bytes_windows_may_share_in_the_steps_that_these_take) {
  EXPECT_EQ(kept(6), "doubled told ");
  EXPECT_EQ(kept(7), "shown doubled told ");
  EXPECT_EQ(kept(8), "doubled told ");
}

TEST_F(KeptFieldsTest, are_static_ones_too) {
  plan_.fields[0].is_static = true;

  EXPECT_EQ(kept(1), "summed doubled told ");
}

TEST_F(KeptFieldsTest, are_all_where_steps_wait_for_values_of_other_servers) {
  plan_.distributions.push_back({0, 1, {}});

  EXPECT_TRUE(KeptFields(plan_).keeps(FieldId(0), {}));
  EXPECT_TRUE(KeptFields(plan_).keeps(FieldId(1), {}));
}

}  // namespace
}  // namespace pileus
