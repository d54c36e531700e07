#include "tests/scenarios/scenario.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "core/log.h"
#include "tests/scenarios/published_file.h"

namespace pileus::testing {
namespace {

SimulatedResult run_plane(RunLayout layout, std::uint64_t seed,
                          const std::function<void(PlaneModel&)>& change,
                          const std::function<void(SimulatedRun&)>& prepare) {
  PlaneModel model;
  model.ranks = layout.ranks;
  if (change) change(model);
  SimulatedRun run;
  run.configuration = kPlaneConfiguration;
  run.ranks = layout.ranks;
  run.servers = layout.servers;
  run.seed = seed;
  run.model = model;
  if (prepare) prepare(run);
  return simulate(run);
}

}  // namespace

int orders_of_arrival() {
  const char* text = std::getenv("PILEUS_SCENARIO_ORDERS");
  return text ? std::max(1, std::atoi(text)) : 50;
}

const char* const kPlaneConfiguration = R"xml(<io-configuration>
  <data-definition name="plane" frequency="1">
    <field name="w" type="array" data_type="double" size="y,x" collective="true"/>
    <field name="dt" type="scalar" data_type="double"/>
  </data-definition>
  <data-handling>
    <diagnostic field="w_mean">
      <operator name="localreduce" operator="mean" result="w_local" field="w"/>
      <communication name="reduction" operator="mean" result="w_mean" field="w_local"/>
    </diagnostic>
  </data-handling>
  <data-writing>
    <file name="w.nc" write_time_frequency="10">
      <include field="w" time_manipulation="none"/>
    </file>
    <file name="averaged.nc" write_time_frequency="10">
      <include field="w" time_manipulation="averaged" output_frequency="5"/>
    </file>
    <file name="mean.nc" write_time_frequency="10">
      <include field="w_mean" time_manipulation="none"/>
    </file>
    <file name="dt.nc" write_time_frequency="10">
      <include field="dt" time_manipulation="none"/>
    </file>
  </data-writing>
</io-configuration>
)xml";

std::vector<Step> even_steps() {
  std::vector<Step> steps;
  for (int n = 1; n <= 8; ++n) steps.push_back({n, 2.5 * n, 2.5});
  return steps;
}

void register_plane(Client& client, ClientRank rank, ClientRank ranks) {
  client.dimension({"y", kPlaneNy, {}, ""});
  client.dimension({"x", kPlaneNx, {}, ""});
  client.field(
      {"w", ElementType::float64, {"y", "x"}, part_of_plane(kPlaneNy, kPlaneNx, rank, ranks, false)});
  client.field({"dt", ElementType::float64, {}, {}});
}

void PlaneModel::operator()(Client& client, ClientRank rank) const {
  if (!register_instead || !register_instead(client, rank)) register_plane(client, rank, ranks);
  const Region plane = part_of_plane(kPlaneNy, kPlaneNx, rank, ranks, false);
  client.commit();
  for (Step step : steps) {
    if (last_step && step.index > last_step(rank)) break;
    const bool is_final = step.index == steps.back().index;
    if (before_step && !before_step(client, rank, step)) continue;
    client.begin(step, is_final);
    if (in_step && !in_step(client, rank, step)) return;
    std::vector<double> w;
    for (Index x = plane.start[1]; x < plane.start[1] + plane.count[1]; ++x) {
      for (Index y = plane.start[0]; y < plane.start[0] + plane.count[0]; ++y) {
        w.push_back(plane_value(y, x, step.index));
      }
    }
    const auto is_put = [&](const std::string& field) { return !forgets || !forgets(rank, step, field); };
    if (is_put("w")) client.put(0, w.data(), nullptr);
    if (is_put("dt")) client.put(1, &step.length, nullptr);
    const std::vector<std::string> absent = client.end();
    if (!is_put("w")) {
      EXPECT_EQ(absent, std::vector<std::string>{"w"});
    }
  }
  client.finish();
}

const std::vector<RunLayout>& several_ranks() {
  static const std::vector<RunLayout> layouts = {{2, 1}, {2, 2}, {3, 2}, {4, 3}, {6, 3}};
  return layouts;
}

const std::vector<RunLayout>& all_layouts() {
  static const std::vector<RunLayout> layouts = {{1, 1}, {2, 1}, {3, 2}, {4, 3}, {6, 2}};
  return layouts;
}

void ScenarioTest::SetUpTestSuite() {
  setenv("SOURCE_DATE_EPOCH", "0", 1);
  log::set_level(log::Level::error);
}

void ScenarioTest::expect_in_every_order(const std::vector<RunLayout>& layouts, const Change& change,
                                         const Check& check,
                                         const std::function<void(SimulatedRun&)>& prepare,
                                         bool may_leave_files) {
  const std::map<std::string, std::string>& right = right_files();
  ASSERT_EQ(right.size(), kAllFiles.size());
  const auto orders = static_cast<std::uint64_t>(orders_of_arrival());
  for (std::uint64_t seed = 1; seed <= orders; ++seed) {
    const RunLayout layout = layouts[seed % layouts.size()];
    SCOPED_TRACE(std::to_string(layout.ranks) + " ranks, " + std::to_string(layout.servers) +
                 " servers, seed " + std::to_string(seed));
    SimulatedResult result;
    try {
      result = run_plane(layout, seed, change, prepare);
    } catch (const std::exception& error) {
      FAIL() << error.what();
    }
    expect_complete_files(result);
    for (const std::string& name : result.leftovers) {
      if (!may_leave_files) ADD_FAILURE() << name << " is left\n" << result.errors;
    }
    check(result, layout);
    std::filesystem::remove_all(result.directory);
    if (HasFailure()) return;
  }
}

const std::map<std::string, std::string>& ScenarioTest::right_files() {
  static const std::map<std::string, std::string> files = [] {
    const SimulatedResult result = run_plane({1, 1}, 1, {}, {});
    EXPECT_EQ(result.errors, "");
    return result.files;
  }();
  return files;
}

void expect_complete_files(const SimulatedResult& result) {
  for (const auto& [name, bytes] : result.files) {
    if (!bytes.starts_with("\x89HDF")) continue;  // it is no file of this run
    const PublishedFileReader file(result.directory + "/" + name);
    for (double time : file.values("time")) EXPECT_LT(time, 1e30) << name << ": a record without its time";
  }
}

void expect_right(const SimulatedResult& result, const std::map<std::string, std::string>& right,
                  const std::set<std::string>& names) {
  for (const std::string& name : names) {
    ASSERT_TRUE(result.files.contains(name)) << name << " is missing\n" << result.errors;
    ASSERT_TRUE(result.files.at(name) == right.at(name)) << name << " differs";
  }
}

void expect_no_files(const SimulatedResult& result) {
  for (const auto& [name, bytes] : result.files) ADD_FAILURE() << name << " was published";
}

void expect_words(const std::string& text, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    EXPECT_NE(text.find(word), std::string::npos) << "no \"" << word << "\" in: " << text;
  }
}

void expect_all_told(const SimulatedResult& result, const std::vector<std::string>& words) {
  for (const std::string& error : result.model_errors) {
    EXPECT_EQ(error, result.model_errors.front());
    expect_words(error, words);
  }
}

}  // namespace pileus::testing
