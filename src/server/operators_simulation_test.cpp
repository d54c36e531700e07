// Whole runs with every operator and communication: the same bytes whatever the layout and the order of
// arrival. What the bytes are is for tests/test_operators.py to say.

#include <gtest/gtest.h>

#include <filesystem>

#include "core/log.h"
#include "server/testing/orders.h"
#include "server/testing/same_files.h"
#include "server/testing/small_model.h"

namespace pileus::testing {
namespace {

/// For each of layouts_to_try().
constexpr int kSeedsPerLayout = 10;

constexpr const char* kOperators = R"xml(<io-configuration>
  <data-definition name="raw_fields" frequency="2">
    <field name="w" type="array" data_type="double" size="z,y,x" collective="true" units="m s-1"/>
  </data-definition>
  <data-definition name="columns" frequency="1">
    <field name="vwp_local" type="array" data_type="double" optional="true"/>
    <field name="dt" type="scalar" data_type="double" units="s"/>
  </data-definition>
  <data-handling>
    <diagnostic field="w_at_y3">
      <operator name="field_slicer" field="w" dimension="y" index="3" result="w_at_y3"/>
    </diagnostic>
    <diagnostic field="w_at_z1_max">
      <operator name="field_slicer" field="w" dimension="z" index="1" result="w_at_z1"/>
      <operator name="localreduce" operator="max" field="w_at_z1" result="local"/>
      <communication name="reduction" operator="max" field="local" result="w_at_z1_max"/>
    </diagnostic>
    <diagnostic field="w_coarse">
      <operator name="field_coarsener" field="w" dimension="y,x" period="2,3" result="w_coarse"/>
    </diagnostic>
    <diagnostic field="anomaly_coarse_sum">
      <operator name="field_coarsener" field="w_anomaly" dimension="y,x" period="2,3" result="coarse"/>
      <operator name="arithmetic" equation="coarse*w_coarse" result="products"/>
      <operator name="localreduce" operator="sum" field="products" result="local"/>
      <communication name="reduction" operator="sum" field="local" result="anomaly_coarse_sum"/>
    </diagnostic>
    <diagnostic field="w_variance">
      <operator name="localreduce" operator="mean" dimensions="y,x" field="w" result="local"/>
      <communication name="allreduction" operator="mean" field="local" result="w_mean"/>
      <operator name="arithmetic" equation="(w - w_mean)^2" result="squares"/>
      <operator name="localreduce" operator="mean" dimensions="y,x" field="squares" result="squares_local"/>
      <communication name="reduction" operator="mean" field="squares_local" result="w_variance"/>
    </diagnostic>
    <diagnostic field="w_anomaly">
      <operator name="localreduce" operator="sum" field="w" result="local"/>
      <communication name="reduction" operator="sum" field="local" result="total" root="1"/>
      <operator name="arithmetic" equation="total*dt" result="weighted"/>
      <communication name="broadcast" field="weighted" result="everywhere"/>
      <operator name="arithmetic" equation="w - everywhere/7" result="w_anomaly"/>
    </diagnostic>
    <diagnostic field="largest_anomaly">
      <operator name="localreduce" operator="max" field="w_anomaly" result="local"/>
      <communication name="allreduction" operator="max" field="local" result="largest"/>
      <operator name="localreduce" operator="min" field="w" result="smallest_local"/>
      <communication name="reduction" operator="min" field="smallest_local" result="smallest"/>
      <operator name="arithmetic" equation="largest*smallest + dt" result="largest_anomaly"/>
    </diagnostic>
    <diagnostic field="w_range">
      <operator name="localreduce" operator="max" field="w" result="max_local"/>
      <communication name="allreduction" operator="max" field="max_local" result="max"/>
      <operator name="localreduce" operator="min" field="w" result="min_local"/>
      <communication name="allreduction" operator="min" field="min_local" result="min"/>
      <operator name="arithmetic" equation="2*max - 2*min" result="w_range"/>
    </diagnostic>
    <diagnostic field="departure_sum">
      <operator name="arithmetic" equation="w_anomaly*w_at_y3 - w" result="departure"/>
      <operator name="localreduce" operator="sum" field="departure" result="local"/>
      <communication name="reduction" operator="sum" field="local" result="departure_sum"/>
    </diagnostic>
    <diagnostic field="w_layer">
      <operator name="reductionlayer" field="w_anomaly" above="0" dimension="z" dimensions="z"
                gives="distance" as="coordinate" result="w_layer"/>
    </diagnostic>
    <diagnostic field="w_width">
      <operator name="reductionlayer" field="w" above="1000" dimension="x" gives="distance" result="w_width"/>
    </diagnostic>
    <diagnostic field="vwp_share">
      <operator name="localreduce" operator="sum" field="vwp_local" result="local"/>
      <communication name="allreduction" operator="sum" field="local" result="total"/>
      <operator name="arithmetic" equation="w_at_y3*total" result="vwp_share"/>
    </diagnostic>
  </data-handling>
  <data-writing>
    <file name="all.nc" write_time_frequency="30">
      <include field="w_at_y3" time_manipulation="averaged" output_frequency="10"/>
      <include field="w_at_z1_max" time_manipulation="none"/>
      <include field="w_coarse" time_manipulation="averaged" output_frequency="10"/>
      <include field="anomaly_coarse_sum" time_manipulation="none"/>
      <include field="w_variance" time_manipulation="averaged" output_frequency="10"/>
      <include field="w_anomaly" time_manipulation="instantaneous" output_frequency="5"/>
      <include field="largest_anomaly" time_manipulation="none"/>
    </file>
    <file name="more.nc" write_time_frequency="45">
      <include field="w_range" time_manipulation="none"/>
      <include field="departure_sum" time_manipulation="averaged" output_frequency="15"/>
      <include field="vwp_share" time_manipulation="instantaneous" output_frequency="15"/>
      <include field="w_layer" time_manipulation="averaged" output_frequency="15"/>
      <include field="w_width" time_manipulation="none"/>
      <include field="w_at_y3" time_manipulation="accumulated" output_frequency="15"/>
      <include field="w_coarse" time_manipulation="variance" output_frequency="15"/>
      <include field="w_variance" time_manipulation="variance" output_frequency="15"/>
      <include field="w" time_manipulation="maximum" output_frequency="15"/>
      <include field="w_at_z1_max" time_manipulation="minimum" output_frequency="15"/>
    </file>
  </data-writing>
</io-configuration>
)xml";

SimulatedResult simulate_operators(ClientRank ranks, ServerRank servers, std::uint64_t seed, bool is_uneven,
                                   const std::string& configuration) {
  SimulatedRun run;
  run.configuration = configuration;
  run.ranks = ranks;
  run.servers = servers;
  run.seed = seed;
  run.model = SmallModel{varying_steps(14), ranks, is_uneven};
  return simulate(run);
}

void expect_same_files_everywhere(const std::string& configuration) {
  setenv("SOURCE_DATE_EPOCH", "0", 1);
  log::set_level(log::Level::error);
  const SimulatedResult reference = simulate_operators(1, 1, 0, false, configuration);
  ASSERT_EQ(reference.errors, "");
  ASSERT_GT(reference.files.size(), 1U) << reference.report;
  std::uint64_t seed = 1;
  for (const auto& [ranks, servers] : layouts_to_try()) {
    for (int repeat = 0; repeat < kSeedsPerLayout; ++repeat, ++seed) {
      const SimulatedResult result = simulate_operators(ranks, servers, seed, seed % 2 == 0, configuration);
      std::filesystem::remove_all(result.directory);
      expect_same_files(reference.files, result,
                        std::to_string(ranks) + " ranks, " + std::to_string(servers) + " servers, seed " +
                            std::to_string(seed));
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(SimulatedOperators, give_the_same_bytes_for_every_layout_and_order_of_arrival) {
  expect_same_files_everywhere(kOperators);
}

/// The last rank goes after its sixth step, while others wait for what it would have reduced.
TEST(SimulatedOperators, wait_for_nobody_who_has_left) {
  setenv("SOURCE_DATE_EPOCH", "0", 1);
  log::set_level(log::Level::error);
  for (std::uint64_t seed = 1; seed <= as_many_as_asked(40); ++seed) {
    const auto ranks = 2 + static_cast<ClientRank>(seed % 4);
    SimulatedRun run;
    run.configuration = kOperators;
    run.ranks = ranks;
    run.servers = 1 + static_cast<ServerRank>(seed % 3);
    run.seed = seed;
    run.model = [ranks](Client& client, ClientRank rank) {
      SmallModel{varying_steps(rank + 1 == ranks ? 6 : 14), ranks, false}(client, rank);
    };

    const SimulatedResult result = simulate(run);
    std::filesystem::remove_all(result.directory);

    EXPECT_NE(result.errors.find("finished after step 6, model rank 0 after step 14"), std::string::npos)
        << "seed " << seed << ": " << result.errors;
    EXPECT_EQ(result.errors.find("never complete"), std::string::npos)
        << "seed " << seed << ": " << result.errors;
  }
}

TEST(SimulatedOperators, neither_hang_nor_differ_when_one_parcel_fills_the_budget) {
  std::string configuration = kOperators;
  configuration.insert(configuration.find("<data-definition"),
                       R"(<server-configuration><memory budget="1"/></server-configuration>)");
  expect_same_files_everywhere(configuration);
}

/// Row 3 lacks what lies beyond x = 4, and column 8 everything.
constexpr const char* kSlicesOfHoles = R"xml(<io-configuration>
  <data-definition name="raw_fields" frequency="1">
    <field name="w" type="array" data_type="double" size="z,y,x" collective="true"/>
  </data-definition>
  <data-handling>
    <diagnostic field="row">
      <operator name="field_slicer" field="w" dimension="y" index="3" result="row"/>
    </diagnostic>
    <diagnostic field="column">
      <operator name="field_slicer" field="w" dimension="x" index="8" result="column"/>
    </diagnostic>
    <diagnostic field="departure" expression="w - row"/>
    <diagnostic field="from_column" expression="w - column"/>
    <diagnostic field="product" expression="mean[y,x](w*row)"/>
    <diagnostic field="number" expression="count(w - column)"/>
  </data-handling>
  <data-writing>
    <file name="all.nc" write_time_frequency="30">
      <include field="departure" time_manipulation="averaged" output_frequency="10"/>
      <include field="from_column" time_manipulation="none"/>
      <include field="product" time_manipulation="averaged" output_frequency="10"/>
      <include field="number" time_manipulation="none"/>
    </file>
  </data-writing>
</io-configuration>
)xml";

/// The runs of so many ranks each, of which `of` makes one; their results.
std::vector<SimulatedResult> expect_same_files_of(const std::vector<ClientRank>& all,
                                                  const std::function<SimulatedRun(ClientRank)>& of) {
  setenv("SOURCE_DATE_EPOCH", "0", 1);
  log::set_level(log::Level::error);
  std::vector<SimulatedResult> results;
  for (const ClientRank ranks : all) {
    SimulatedRun run = of(ranks);
    run.ranks = ranks;
    run.seed = ranks;
    results.push_back(simulate(run));
    std::filesystem::remove_all(results.back().directory);
    EXPECT_GT(results.back().files.size(), 1U) << results.back().errors;
    expect_same_files(results.front().files, results.back(), std::to_string(ranks) + " ranks");
  }
  return results;
}

TEST(SimulatedOperators, lack_what_a_slice_lacks_in_every_layout) {
  const auto results = expect_same_files_of({1, 2, 3, 4, 5, 6}, [](ClientRank ranks) {
    SmallModel model{varying_steps(8), ranks, ranks % 2 == 0};
    model.held_x = 5;
    SimulatedRun run;
    run.configuration = kSlicesOfHoles;
    run.servers = 1 + ranks % 3;
    run.model = model;
    return run;
  });

  for (const SimulatedResult& result : results) {
    EXPECT_NE(result.report.find("from_column has _FillValue in "), std::string::npos) << result.report;
    EXPECT_NE(result.report.find("departure has _FillValue in 126 of 231 elements"), std::string::npos)
        << result.report;
  }
}

/// Ranks with levels of w, of which the first has the plane p, too.
void run_levels(Client& client, ClientRank rank, ClientRank ranks) {
  constexpr Index kLevels = 6, kRows = 3;
  const Index count = kLevels / ranks, first = rank * count, held = rank == 0 ? kRows : 0;
  client.dimension({"z", kLevels, {}, ""});
  client.dimension({"y", kRows, {}, ""});
  const int w = client.field({"w", ElementType::float64, {"z", "y"}, {{first, 0}, {count, kRows}}});
  const int p = client.field({"p", ElementType::float32, {"y"}, {{0}, {held}}});
  client.commit();
  for (const Step& step : varying_steps(8)) {
    client.begin(step, step.index == 8);
    std::vector<double> levels;
    std::vector<float> plane;
    for (Index y = 0; y < kRows; ++y) {
      for (Index z = first; z < first + count; ++z) levels.push_back(value_at(z, y, 0, step.index));
      if (held > 0) plane.push_back(static_cast<float>(value_at(0, y, 1, step.index)));
    }
    if (client.wanted(w)) client.put(w, levels.data(), nullptr);
    if (client.wanted(p)) client.put(p, plane.data(), nullptr);
    client.end();
  }
  client.finish();
}

constexpr const char* kLevelsAndPlane = R"xml(<io-configuration>
  <data-definition name="raw_fields" frequency="1">
    <field name="w" type="array" data_type="double" size="z,y" collective="true" units="K"/>
    <field name="p" type="array" data_type="float" size="y" collective="true" units="Pa" missing_value="0.1"/>
  </data-definition>
  <data-handling>
    <diagnostic field="top">
      <operator name="field_slicer" field="w" dimension="z" index="5" result="top"/>
    </diagnostic>
    <diagnostic field="product" expression="w*p - top"/>
    <diagnostic field="plane" expression="top - p"/>
    <diagnostic field="together" expression="cov[y](w, p)"/>
    <diagnostic field="kept" expression="mean[y](p | w &gt; top)"/>
  </data-handling>
  <data-writing>
    <file name="all.nc" write_time_frequency="30">
      <include field="product" time_manipulation="averaged" output_frequency="10"/>
      <include field="plane" time_manipulation="none"/>
      <include field="together" time_manipulation="averaged" output_frequency="10"/>
      <include field="kept" time_manipulation="none"/>
    </file>
  </data-writing>
</io-configuration>
)xml";

TEST(SimulatedOperators, give_the_same_bytes_where_levels_are_split_and_a_plane_lies_with_the_lowest) {
  expect_same_files_of({1, 2, 3, 6}, [](ClientRank ranks) {
    SimulatedRun run;
    run.configuration = kLevelsAndPlane;
    run.servers = 1 + ranks % 2;
    run.model = [ranks](Client& client, ClientRank rank) { run_levels(client, rank, ranks); };
    return run;
  });
}

}  // namespace
}  // namespace pileus::testing
