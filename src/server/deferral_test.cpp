// Reductions that wait for the record that needs them: fewer messages, the same bytes.

#include <gtest/gtest.h>

#include <cstdlib>

#include "core/log.h"
#include "server/testing/small_model.h"

namespace pileus::testing {
namespace {

/// `FIELD`: what is written; of 14 steps of varying length.
std::string configuration(const std::string& writing, const std::string& communication = "reduction",
                          const std::string& more = "") {
  return R"xml(<io-configuration>
  <data-definition name="raw_fields" frequency="1">
    <field name="w" type="array" data_type="double" size="z,y,x" collective="true" units="m s-1"/>
    <field name="dt" type="scalar" data_type="double" units="s"/>
  </data-definition>
  <data-handling>
    <diagnostic field="profile" units="m s-1">
      <operator name="localreduce" operator="mean" dimensions="y,x" result="local" field="w"/>
      <communication name=")xml" +
         communication + R"xml(" operator="mean" result="profile" field="local" root="0"/>
    </diagnostic>)xml" +
         more + R"xml(
  </data-handling>
  <data-writing>)xml" +
         writing + "</data-writing></io-configuration>";
}

constexpr const char* kMeans = R"xml(
    <file name="profiles.nc" write_time_frequency="30">
      <include field="profile" time_manipulation="averaged" output_frequency="15"/>
    </file>)xml";

class Deferred : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("SOURCE_DATE_EPOCH", "0", 1);
    log::set_level(log::Level::error);
  }

  static SimulatedResult simulate_with(const std::string& xml, bool defers, std::uint64_t seed = 1) {
    SimulatedRun run;
    run.configuration = xml;
    run.ranks = 6;
    run.servers = 3;
    run.seed = seed;
    run.defers = defers;
    run.model = SmallModel{varying_steps(14), 6, true};
    SimulatedResult result = simulate(run);
    EXPECT_EQ(result.errors, "");
    EXPECT_TRUE(result.leftovers.empty());
    EXPECT_FALSE(result.files.empty());
    return result;
  }

  static std::int64_t messages(const SimulatedResult& result) {
    std::int64_t messages = 0;
    for (const ServerFigures& server : result.figures.servers) messages += server.messages;
    return messages;
  }
};

TEST_F(Deferred, reductions_send_one_message_a_window) {
  const SimulatedResult deferred = simulate_with(configuration(kMeans), true);
  const SimulatedResult at_once = simulate_with(configuration(kMeans), false);
  EXPECT_EQ(deferred.files, at_once.files);
  // Two servers send to the first: in 14 steps, or for each of the windows and what is left at the end.
  std::int64_t records = 0;
  for (const auto& file : deferred.figures.files) records += file.records;
  const std::int64_t saved = 2 * (14 - records);
  EXPECT_GT(saved, 0);
  EXPECT_GE(messages(at_once) - messages(deferred), saved - 2);
  EXPECT_LE(messages(at_once) - messages(deferred), saved + 2);
}

TEST_F(Deferred, reductions_give_the_same_bytes_in_every_order_of_arrival) {
  const std::string xml = configuration(std::string(kMeans) + R"xml(
    <file name="more.nc" write_time_frequency="45">
      <include field="profile" time_manipulation="instantaneous" output_frequency="5"/>
      <include field="profile" time_manipulation="maximum" output_frequency="20"/>
      <include field="profile" time_manipulation="none"/>
    </file>)xml");
  const SimulatedResult reference = simulate_with(xml, false, 0);
  for (std::uint64_t seed = 1; seed <= 40; ++seed)
    ASSERT_EQ(simulate_with(xml, true, seed).files, reference.files) << "seed " << seed;
}

TEST_F(Deferred, reductions_that_model_ranks_wait_for_go_at_once) {
  const std::string xml = configuration(R"xml(
    <file name="anomalies.nc" write_time_frequency="30">
      <include field="anomaly" time_manipulation="averaged" output_frequency="30"/>
    </file>)xml",
                                        "allreduction", R"xml(
    <diagnostic field="anomaly">
      <operator name="arithmetic" result="anomaly" equation="w - profile"/>
    </diagnostic>)xml");
  const SimulatedResult deferred = simulate_with(xml, true);
  const SimulatedResult at_once = simulate_with(xml, false);
  EXPECT_EQ(deferred.files, at_once.files);
  EXPECT_EQ(messages(deferred), messages(at_once));
}

}  // namespace
}  // namespace pileus::testing
