#include "time/window_bundle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "time/manipulations/list.h"
#include "time/window_set.h"

namespace pileus {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Three rooted values in windows of 10 s of one file; with `bundled` they are a bundle.
Plan plan_of_three(Manipulation manipulation, const std::vector<double>& multiply,
                   const std::vector<double>& divide, bool bundled) {
  Plan plan;
  plan.files.emplace_back().name = "m.nc";
  plan.files[0].write_frequency = 100;
  plan.schedules.push_back({FileId(0), manipulation, 10, 1, "time"});
  plan.dimensions.push_back({"z", 5, {}, ""});
  plan.dimensions.push_back({"b", 3, {}, ""});
  for (const std::vector<DimensionId>& dimensions :
       {std::vector{DimensionId(0)}, {}, std::vector{DimensionId(0), DimensionId(1)}}) {
    Value& value = plan.values.emplace_back();
    value.spread = Spread::rooted;
    value.form = Form::partials;
    value.dimensions = dimensions;
    value.is_in_bundle = bundled;
    Variable& variable = plan.variables.emplace_back();
    variable.name = "v" + std::to_string(plan.variables.size());
    variable.file = FileId(0);
    variable.schedule = ScheduleId(0);
    variable.value = ValueId(plan.values.size() - 1);
    variable.definition = variable.name;
  }
  if (bundled)
    plan.bundles.push_back(
        {0,
         0,
         Reduction::mean,
         multiply,
         divide,
         {{{}, {}, ValueId(0), {5}, 5}, {{}, {}, ValueId(1), {}, 1}, {{}, {}, ValueId(2), {5, 3}, 15}}});
  return plan;
}

/// Takes records, to compare them.
class Kept : public RecordSink {
 public:
  void add(Records records, ClientRank) override {
    for (Record& record : records) kept_.push_back(text(record));
  }
  void add_static(Record, ClientRank) override {}
  void end_client(ClientRank) override {}
  std::vector<std::string> sorted() const {
    std::vector<std::string> sorted = kept_;
    std::ranges::sort(sorted);
    return sorted;
  }

 private:
  static std::string text(const Record& record) {
    std::string text = "v" + std::to_string(record.variable.index) + " at " +
                       std::to_string(record.mark.time_s) + " without " +
                       std::to_string(record.absent_samples) + ":";
    if (!record.value) return text + " none";
    for (const Index n : record.value->extents) text += " [" + std::to_string(n) + "]";
    for (const double value : record.value->as<double>())
      text += " " + std::to_string(std::bit_cast<std::uint64_t>(value));
    return text;
  }
  std::vector<std::string> kept_;
};

/// One set has a window for each value and the other one for all. They are shown the same samples.
class TwoSets {
 public:
  TwoSets(Manipulation manipulation, unsigned seed)
      : random_(seed),
        multiply_(constants()),
        divide_(constants()),
        apart_plan_(plan_of_three(manipulation, multiply_, divide_, false)),
        bundle_plan_(plan_of_three(manipulation, multiply_, divide_, true)) {
    begin(nullptr);
  }

  void advance() {
    const double length = std::ldexp(1 + double(random_() % 200), -4);
    time_s_ += length;
    const Step step{++index_, time_s_, length};
    const bool together = random_() % 4 != 0;
    std::vector<Sample> values;
    BundleValues bundle;
    std::vector<double> sums;
    const std::int64_t count = random_() % 5 == 0 ? 3 : 64;
    for (const Extents& shape : {Extents{5}, Extents{}, Extents{5, 3}}) {
      const auto size = static_cast<std::size_t>(Region{{}, shape}.size());
      const std::optional<Partials> partials = member(size, count, together);
      if (together) {
        const auto part = partials->sums().part(0);
        sums.insert(sums.end(), part.begin(), part.end());
      } else if (partials) {
        bundle.apart.emplace_back(PartialArray{shape, std::make_shared<Partials>(*partials)});
      } else {
        bundle.apart.emplace_back(Absent{});
      }
      values.push_back(scaled(shape, partials));
    }
    if (together) bundle.together.emplace(Reduction::mean, count, SumColumns(sums));
    if (random_() % 20 == 0) {  // the step has none of them
      values.assign(3, Absent{});
      bundle = {};
    }
    const ScheduleActions actions = cursors_->advance(step, 0);
    apart_->advance(actions, values);
    bundle_->advance(actions, std::vector<Sample>(3), nullptr, {{0, std::move(bundle)}});
  }
  /// Goes on from the state of either.
  void continue_run() {
    const std::vector<StateEntry> entries = states();
    StateEntries kept;
    for (const StateEntry& entry : entries) kept.add(entry);
    kept.add(axis_entry(apart_plan_, ScheduleId(0), (*cursors_)[ScheduleId(0)]));
    const ContinuedWindows continued(bundle_plan_, kept, time_s_);
    EXPECT_TRUE(continued.warnings().empty());
    begin(&continued);
    EXPECT_EQ(states(), entries);
  }
  void finish() {
    const ScheduleActions actions = cursors_->finish();
    apart_->finish(actions);
    bundle_->finish(actions);
  }
  std::vector<StateEntry> states() const {
    EXPECT_EQ(bundle_->state(), apart_->state());
    return bundle_->state();
  }
  void expect_same_records() const {
    EXPECT_FALSE(of_apart_.sorted().empty());
    EXPECT_EQ(of_bundle_.sorted(), of_apart_.sorted());
  }

 private:
  void begin(const ContinuedWindows* continued) {
    const std::vector<Region> regions = {{{0}, {5}}, {{}, {}}, {{0, 0}, {5, 3}}};
    const std::vector<VariableId> variables = {VariableId(0), VariableId(1), VariableId(2)};
    cursors_.emplace(bundle_plan_, continued);
    apart_.emplace(apart_plan_, variables, regions, 0, of_apart_, nullptr, continued);
    bundle_.emplace(bundle_plan_, variables, regions, 0, of_bundle_, nullptr, continued);
  }
  std::vector<double> constants() {
    std::vector<double> constants(random_() % 3);
    for (double& constant : constants) constant = random_() % 6 == 0 ? 0 : double(random_() % 1000) / 7;
    return constants;
  }
  double value(bool is_small) {
    if (!is_small && random_() % 8 == 0) return random_() % 2 == 0 ? kNaN : INFINITY;
    const int exponent = random_() % 30 == 0 ? int(random_() % 2000) - 1050 : int(random_() % 40) - 20;
    return std::ldexp(double(std::int32_t(random_())), std::min(exponent, 960));
  }
  /// nullopt: absent.
  std::optional<Partials> member(std::size_t size, std::int64_t count, bool is_small) {
    if (!is_small && random_() % 3 == 0) return std::nullopt;
    std::vector<double> values(size);
    for (double& value : values) value = this->value(is_small);
    if (is_small) return Partials(Reduction::mean, count, SumColumns(values));
    return Partials::of_each(std::span<const double>(values), Reduction::mean, {});
  }
  Sample scaled(const Extents& shape, std::optional<Partials> partials) const {
    if (!partials) return Absent{};
    for (const double factor : multiply_) partials->multiply(factor);
    for (const double divisor : divide_) partials->divide(divisor);
    return PartialArray{shape, std::make_shared<Partials>(*partials)};
  }

  std::mt19937 random_;
  std::vector<double> multiply_, divide_;
  Plan apart_plan_, bundle_plan_;
  std::optional<ScheduleCursors> cursors_;
  Kept of_apart_, of_bundle_;
  std::optional<WindowSet> apart_, bundle_;
  std::int64_t index_ = 0;
  double time_s_ = 0;
};

class WindowBundles : public ::testing::TestWithParam<const char*> {
 protected:
  Manipulation manipulation() const {
    return std::string(GetParam()) == "averaged" ? manipulations::averaged() : manipulations::accumulated();
  }
};

TEST_P(WindowBundles, give_the_records_of_windows_one_by_one) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    TwoSets sets(manipulation(), seed);
    for (int step = 0; step < 40; ++step) sets.advance();
    sets.finish();
    sets.expect_same_records();
  }
}

TEST_P(WindowBundles, have_the_states_of_windows_one_by_one_and_go_on_from_them) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    TwoSets sets(manipulation(), 1000 + seed);
    for (int step = 0; step < 30; ++step) {
      sets.advance();
      if (step % 3 == 0) sets.continue_run();
    }
    sets.finish();
    sets.expect_same_records();
  }
}

INSTANTIATE_TEST_SUITE_P(Manipulations, WindowBundles, ::testing::Values("averaged", "accumulated"));

}  // namespace
}  // namespace pileus
