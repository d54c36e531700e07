// Whole runs of one process: the model, the client, a server and its threads.

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <pileus/pileus.hpp>
#include <vector>

#include "capi/testing/test_directory.h"

namespace {

using pileus::testing::TestDirectory;

constexpr const char* kConfiguration = R"(<io-configuration>
  <data-definition name="state" frequency="1">
    <field name="theta" type="array" data_type="float" size="x,z" collective="true" units="K"/>
    <field name="dt" type="scalar" data_type="double" optional="true"/>
  </data-definition>
  <data-handling>
    <diagnostic field="theta_mean" units="K">
      <operator name="localreduce" operator="mean" result="theta_local" field="theta"/>
      <communication name="reduction" operator="mean" result="theta_mean" field="theta_local"/>
    </diagnostic>
  </data-handling>
  <data-writing>
    <file name="theta.nc" write_time_frequency="20">
      <include field="theta" time_manipulation="averaged" output_frequency="10"/>
      <include field="theta_mean" time_manipulation="instantaneous" output_frequency="5"/>
    </file>
  </data-writing>
</io-configuration>
)";

/// A model of 8 x 4 points with a halo of one point on all sides.
class HaloModel {
 public:
  explicit HaloModel(const TestDirectory& directory)
      : run_({directory.configuration_path(), std::nullopt, directory.path()}) {
    run_.dimension("x", 8);
    run_.dimension("z", std::vector<double>{50, 150, 250, 350}, "m");
    theta_ = run_.field<double>("theta", {{"x", 0, 8}, {"z", 0, 4}});
    run_.commit();
  }
  void step(std::int64_t index, bool is_final = false) {
    run_.begin(index, 1.5 * static_cast<double>(index), 1.5, is_final);
    std::vector<double> values(10 * 6, 300 + static_cast<double>(index));
    const std::int64_t strides[] = {1, 10};
    if (run_.wanted(theta_)) run_.put(theta_, &values[11], strides);
    EXPECT_TRUE(run_.end()) << run_.text();
  }
  pileus::Run& run() { return run_; }
  const pileus::Field<double>& theta() const { return theta_; }

 private:
  pileus::Run run_;
  pileus::Field<double> theta_;
};

TEST(AttachedRun, publishes_a_file_for_each_write_period) {
  const TestDirectory directory(kConfiguration);
  {
    HaloModel model(directory);
    for (int i = 1; i <= 30; ++i) model.step(i, i == 30);  // to 45 s: files of 20, 40 and 60 s
    model.run().finish();
  }

  EXPECT_EQ(directory.count_files(".nc"), 3);
}

TEST(AttachedRun, several_live_in_one_process_at_once) {
  const TestDirectory one(kConfiguration), other(kConfiguration);
  HaloModel first(one), second(other);

  for (int i = 1; i <= 20; ++i) {
    first.step(i);
    second.step(i);
  }
  first.run().finish();
  second.run().finish();

  EXPECT_EQ(one.count_files(".nc"), 2);
  EXPECT_EQ(other.count_files(".nc"), 2);
}

TEST(AttachedRun, says_what_was_wanted_and_not_put_and_goes_on) {
  const TestDirectory directory(kConfiguration);
  HaloModel model(directory);

  model.step(1);
  model.run().begin(2, 3, 1.5);
  EXPECT_FALSE(model.run().end());
  EXPECT_EQ(model.run().absent(),
            "pileus_end: step 2 on model rank 0 went without \"theta\"; put every wanted field, or mark it "
            "optional "
            "in the configuration");
  model.step(3, true);
}

TEST(AttachedRun, tells_before_the_first_step_which_fields_are_ever_wanted) {
  const TestDirectory directory(kConfiguration);
  pileus::Run run({directory.configuration_path(), std::nullopt, directory.path()});
  run.dimension("x", 8);
  run.dimension("z", 4);
  const auto theta = run.field<double>("theta", {{"x", 0, 8}, {"z", 0, 4}});
  const auto dt = run.field<double>("dt");  // the configuration knows it, but uses it for nothing
  const auto other = run.field<double>("other");

  EXPECT_THROW(run.is_used(theta), pileus::Error);
  run.commit();
  EXPECT_TRUE(run.is_used(theta));
  EXPECT_FALSE(run.is_used(dt));
  EXPECT_FALSE(run.is_used(other));
  EXPECT_THROW(run.is_used(pileus::TextField{7}), pileus::Error);
}

TEST(AttachedRun, takes_the_state_at_the_start_for_instants_alone) {
  const TestDirectory directory(kConfiguration);
  HaloModel model(directory);

  model.run().begin(0, 0, 0);
  EXPECT_TRUE(model.run().wanted(model.theta()));  // for the mean over the domain, which is written every 5 s
  const std::vector<double> values(8 * 4, 300);
  model.run().put(model.theta(), values);
  EXPECT_TRUE(model.run().end());
  EXPECT_THROW(model.run().begin(1, 0, 0), pileus::Error);
  for (int i = 1; i <= 10; ++i) model.step(i, i == 10);
  model.run().finish();

  EXPECT_EQ(directory.count_files(".nc"), 1);  // the file of 20 s; there is none of 0 s
}

TEST(AttachedRun, takes_what_is_due_at_the_end_once_more_after_the_last_step) {
  std::string at_end(kConfiguration);
  at_end.replace(at_end.find("write_time_frequency"), 0, "write_on_terminate=\"true\" ");
  const TestDirectory directory(at_end.c_str());
  HaloModel model(directory);
  for (int i = 1; i <= 13; ++i) model.step(i);  // to 19.5 s, which is no multiple of 5 s

  model.run().begin_closing();
  EXPECT_TRUE(model.run().wanted(model.theta()));  // for the last instant of the mean over the domain
  EXPECT_FALSE(model.run().end());
  EXPECT_EQ(model.run().absent().find("pileus_end: step 13 on model rank 0 went without \"theta\""), 0U)
      << model.run().absent();
  EXPECT_THROW(model.run().begin_closing(), pileus::Error);
  EXPECT_THROW(model.run().begin(14, 21, 1.5), pileus::Error);
  model.run().finish();

  EXPECT_EQ(directory.count_files(".nc"), 1);
}

TEST(AttachedRun, a_run_that_is_let_go_ends) {
  const TestDirectory directory(kConfiguration);
  auto model = std::make_unique<HaloModel>(directory);
  for (int i = 1; i <= 20; ++i) model->step(i);

  model.reset();

  SUCCEED();
}

TEST(AttachedRun, is_let_go_before_it_has_begun) {
  const TestDirectory directory(kConfiguration);
  pileus::Run run({directory.configuration_path(), std::nullopt, directory.path()});
  run.option("case", "none");
}

TEST(AttachedRun, tells_of_a_directory_that_is_not_there) {
  const TestDirectory directory(kConfiguration);
  const auto run_there = [&] {
    pileus::Run run({directory.configuration_path(), std::nullopt, directory.path() + "/missing"});
    run.dimension("x", 8);
    run.dimension("z", 4);
    const auto theta = run.field<double>("theta", {{"x", 0, 8}, {"z", 0, 4}});
    run.commit();
    const std::vector<double> values(32, 1.0);
    for (int i = 1; i <= 20; ++i) {
      run.begin(i, 1.5 * i, 1.5, i == 20);
      if (run.wanted(theta)) run.put(theta, values);
      run.end();
    }
    run.finish();
  };

  try {
    run_there();
    FAIL() << "no error";
  } catch (const pileus::Error& error) {
    EXPECT_TRUE(error.status() == PILEUS_ERROR_OUTPUT || error.status() == PILEUS_ERROR_CONFIG)
        << error.what();
    EXPECT_NE(std::string(error.what()).find("missing"), std::string::npos) << error.what();
  }
}

TEST(AttachedRun, counts_the_time_inside) {
  const TestDirectory directory(kConfiguration);
  pileus_settings settings = PILEUS_SETTINGS_INIT;
  const std::string configuration = directory.configuration_path();
  settings.configuration = configuration.c_str();
  pileus_run* run = nullptr;
  ASSERT_EQ(pileus_start(&settings, &run, nullptr, nullptr), PILEUS_OK);
  double inside_s = -1, waiting_s = -1;

  EXPECT_EQ(pileus_time(run, &inside_s, &waiting_s), PILEUS_OK);

  EXPECT_EQ(inside_s, 0);
  EXPECT_EQ(waiting_s, 0);
  pileus_free(run);
}

}  // namespace
