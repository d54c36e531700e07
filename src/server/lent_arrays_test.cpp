// Runs whose models lend their arrays, and spoil them when the next step has begun: files are the same bytes
// as those of models whose arrays are copied, in any order and whatever is slow.

#include <gtest/gtest.h>

#include <filesystem>

#include "core/log.h"
#include "server/testing/orders.h"
#include "server/testing/small_model.h"

namespace pileus::testing {
namespace {

/// A sum that needs w for the analysis alone, and records that need it for longer every 20 s.
constexpr const char* kConfiguration = R"xml(<io-configuration>
  <server-configuration><memory budget="BUDGET"/></server-configuration>
  <data-definition name="raw_fields" frequency="1">
    <field name="w" type="array" data_type="double" size="z,y,x" collective="true"/>
    <field name="vwp_local" type="array" data_type="double" optional="true"/>
  </data-definition>
  <data-handling>
    <diagnostic field="total" expression="sum[z,y,x](w)"/>
    <diagnostic field="doubled" expression="2*w"/>
    <diagnostic field="path" expression="sum(vwp_local)"/>
  </data-handling>
  <data-writing>
    <file name="series.nc" write_time_frequency="60">
      <include field="total" time_manipulation="none"/>
      <include field="path" time_manipulation="averaged" output_frequency="10"/>
    </file>OTHERS
  </data-writing>
</io-configuration>
)xml";

/// With the most, the model has made all of its steps when the server says that it may lend.
const std::vector<std::string> kBudgets = {"64 MiB", "1", "4 KiB", "8 KiB", "16 KiB"};

constexpr const char* kFields = R"xml(
    <file name="fields.nc" write_time_frequency="60">
      <include field="w" time_manipulation="instantaneous" output_frequency="20"/>
      <include field="doubled" time_manipulation="averaged" output_frequency="15"/>
    </file>)xml";

std::string configuration(const std::string& budget, const std::string& others) {
  std::string text = kConfiguration;
  text.replace(text.find("BUDGET"), 6, budget);
  return text.replace(text.find("OTHERS"), 6, others);
}

class LentArrays : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("SOURCE_DATE_EPOCH", "0", 1);
    log::set_level(log::Level::error);
  }
  static SimulatedRun run_of(ClientRank ranks, ServerRank servers, std::uint64_t seed, const std::string& xml,
                             bool lends) {
    SimulatedRun run;
    run.configuration = xml;
    run.ranks = ranks;
    run.servers = servers;
    run.seed = seed;
    SmallModel model{varying_steps(14), ranks, seed % 2 == 0};
    model.lends = lends;
    model.closes = seed % 3 == 0;
    model.checkpoints = {6};
    run.model = model;
    return run;
  }
  struct Counts {
    std::uint64_t lent = 0, taken_back = 0;
  };
  static Counts counts_of(const SimulatedResult& result) {
    Counts counts;
    for (const RunReport::Client& client : result.figures.clients) {
      counts.lent += client.end.lent_bytes;
      counts.taken_back += client.end.taken_back_bytes;
      EXPECT_LE(client.end.lent_bytes, client.end.bytes);
    }
    return counts;
  }
};

TEST_F(LentArrays, give_the_same_files_in_any_order_and_whatever_is_slow) {
  std::map<std::string, SimulatedResult> references;
  const auto key = [](const std::string& xml, bool closes) { return (closes ? "closes " : "") + xml; };
  for (const std::string& budget : kBudgets)
    for (const std::string others : {"", kFields})
      for (const std::uint64_t seed : {1, 3}) {
        const std::string xml = configuration(budget, others);
        references[key(xml, seed == 3)] = simulate(run_of(1, 1, seed, xml, false));
      }
  Counts all;

  const std::uint64_t seeds = as_many_as_asked(60);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const auto ranks = 1 + static_cast<ClientRank>(seed % 4);
    const auto servers = 1 + static_cast<ServerRank>(seed / 4 % 3);
    const std::string xml = configuration(kBudgets[seed % kBudgets.size()], seed % 2 == 0 ? kFields : "");
    SimulatedRun run = run_of(ranks, servers, seed, xml, true);
    if (seed % 4 == 1) run.slow_server = static_cast<ServerRank>(seed / 4 % servers);
    if (seed % 4 == 2) run.slow_rank = static_cast<ClientRank>(seed / 4 % ranks);
    run.is_disk_slow = seed % 4 == 3;
    const SimulatedResult result = simulate(run);
    std::filesystem::remove_all(result.directory);
    const std::string what = "seed " + std::to_string(seed);
    ASSERT_EQ(result.errors, "") << what;
    ASSERT_TRUE(result.files == references[key(xml, seed % 3 == 0)].files) << what;
    const Counts counts = counts_of(result);
    all.lent += counts.lent;
    all.taken_back += counts.taken_back;
  }

  EXPECT_GT(all.taken_back, 0U);
  EXPECT_GT(all.lent, all.taken_back);
}

}  // namespace
}  // namespace pileus::testing
