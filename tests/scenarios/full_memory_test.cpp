// Servers that are too slow for the model, with memory for few steps: files that say so lose whole records,
// and say how many; all others have every record. Nothing hangs, whatever is slow and in whatever order.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "exec/seeded_random.h"
#include "tests/scenarios/published_file.h"
#include "tests/scenarios/scenario.h"

namespace pileus::testing {
namespace {

using Json = nlohmann::json;

constexpr const char* kEvents = "pileus-events.jsonl";
constexpr int kSteps = 24;
constexpr double kLength = 2.5;

/// One of so many orders of arrival, and at least as many seeds as these tests need to meet what they count.
std::uint64_t seeds(int share) {
  return static_cast<std::uint64_t>(std::max(3, orders_of_arrival() / share));
}

/// A file of the configuration below.
struct Output {
  std::string name, include, policy;
  int every = 1;  ///< so many steps
  bool is_field = true;
  int file_steps = 4;  ///< steps of one file
};

std::string configuration(const std::string& budget, const std::vector<Output>& outputs) {
  std::string files, spilling;
  for (const Output& one : outputs) {
    if (one.policy == "spill") spilling = "\" spill_directory=\"/tmp";
    files += "<file name=\"" + one.name + ".nc\" write_time_frequency=\"" +
             std::to_string(static_cast<int>(kLength * one.file_steps)) + "\"" +
             (one.policy.empty() ? "" : " when_memory_full=\"" + one.policy + "\"") +
             (one.name == "packed" ? " deflate=\"1\"" : "") + "><include " + one.include + "/></file>\n";
  }
  return R"xml(<io-configuration>
  <server-configuration><memory budget=")xml" +
         budget + spilling + R"xml("/><events/></server-configuration>
  <data-definition name="plane" frequency="1">
    <field name="w" type="array" data_type="double" size="y,x" collective="true"/>
    <field name="dt" type="scalar" data_type="double"/>
  </data-definition>
  <data-handling>
    <diagnostic field="w_mean">
      <operator name="localreduce" operator="mean" result="w_local" field="w"/>
      <communication name="reduction" operator="mean" result="w_mean" field="w_local"/>
    </diagnostic>
    <diagnostic field="anomaly">
      <operator name="localreduce" operator="mean" field="w" result="mean_local"/>
      <communication name="allreduction" operator="mean" field="mean_local" result="everywhere"/>
      <operator name="arithmetic" equation="w - everywhere" result="anomaly"/>
    </diagnostic>
  </data-handling>
  <data-writing>)xml" +
         files + "</data-writing>\n</io-configuration>\n";
}

const std::string kNone = " time_manipulation=\"none\"";

/// `policies`: of the files that may have one.
std::vector<Output> outputs(const std::vector<std::string>& policies) {
  return {
      {"w", "field=\"w\"" + kNone, policies[0]},
      {"twice", "field=\"w\" output_frequency=\"5\"", policies[1], 2},
      {"packed", "field=\"w\"" + kNone, policies[2]},
      {"mean", "field=\"w_mean\"" + kNone, policies[3], 1, false},
      {"anomaly", "field=\"anomaly\"" + kNone, policies[4], 1, false},
      {"long", "field=\"w\"" + kNone, policies[5], 1, true, 100},
      {"kept", "field=\"w\"" + kNone, ""},
      {"averaged", "field=\"w_mean\" time_manipulation=\"averaged\" output_frequency=\"5\"", "", 2, false}};
}

std::vector<Step> steps() {
  std::vector<Step> all;
  for (int n = 1; n <= kSteps; ++n) all.push_back({n, kLength * n, kLength});
  return all;
}

std::vector<Json> events_of(const SimulatedResult& result, const std::string& kind) {
  std::vector<Json> events;
  std::istringstream lines(result.files.at(kEvents));
  for (std::string line; std::getline(lines, line);) {
    if (Json event = Json::parse(line); event.at("event") == kind) events.push_back(std::move(event));
  }
  return events;
}

/// The mean of plane_value over the plane.
double plane_mean(std::int64_t step) {
  return static_cast<double>(1000 * step) + 10 * (kPlaneNy - 1) / 2.0 + (kPlaneNx - 1) / 2.0;
}

class FullMemory : public ScenarioTest {
 protected:
  /// The times of the file's records, each of which has the values of its step.
  static std::vector<double> right_records(const SimulatedResult& result, const Output& output,
                                           const std::string& name) {
    const PublishedFileReader file(result.directory + "/" + name);
    const std::vector<double> times = file.values("time");
    if (output.name == "averaged") return times;
    const std::vector<double> values = file.values(output.name == "mean"      ? "w_mean"
                                                   : output.name == "anomaly" ? "anomaly"
                                                                              : "w");
    const std::size_t size = output.name == "mean" ? 1 : kPlaneNy * kPlaneNx;
    EXPECT_EQ(values.size(), times.size() * size) << name;
    for (std::size_t i = 0; i < values.size() && i < times.size() * size; ++i) {
      const auto step = static_cast<std::int64_t>(times[i / size] / kLength + 0.5);
      const auto place = static_cast<Index>(i % size);
      const double w = plane_value(place % kPlaneNy, place / kPlaneNy, step);
      const double right = output.name == "mean"      ? plane_mean(step)
                           : output.name == "anomaly" ? w - plane_mean(step)
                                                      : w;
      EXPECT_EQ(values[i], right) << name << " record " << i / size;
    }
    return times;
  }

  static void expect_right_series(const SimulatedResult& result, const Output& output) {
    std::int64_t records = 0, said = 0;
    double last_s = 0;
    std::vector<Json> published = events_of(result, "published");
    std::ranges::stable_sort(published, {}, [](const Json& event) { return event.at("period").get<int>(); });
    for (const Json& event : published) {
      if (event.at("series") != output.name + ".nc") continue;
      const std::string path = event.at("file");
      const std::string name = path.substr(path.rfind('/') + 1);
      const std::vector<double> times = right_records(result, output, name);
      EXPECT_TRUE(std::ranges::is_sorted(times) && (times.empty() || times.front() > last_s)) << name;
      if (!times.empty()) last_s = times.back();
      records += static_cast<std::int64_t>(times.size());
      const std::int64_t dropped = event.value("dropped_records", 0);
      EXPECT_EQ(event.at("records"), times.size());
      if (dropped > 0) {
        const PublishedFileReader file(result.directory + "/" + name);
        const std::string all = std::to_string(dropped + static_cast<std::int64_t>(times.size()));
        expect_words(file.attribute("", "dropped_records"), {std::to_string(dropped) + " of " + all});
      }
      said += dropped;
    }
    const auto found = result.figures.dropped.find(output.name + ".nc");
    const std::int64_t dropped = found == result.figures.dropped.end() ? 0 : found->second;
    EXPECT_EQ(records + dropped, kSteps / output.every) << output.name;
    EXPECT_LE(said, dropped) << output.name;  // a file without a record is not there to say it
    EXPECT_EQ(last_s, kSteps * kLength) << output.name;
    if (output.policy.empty() || output.policy == "wait" || output.policy == "spill") {
      EXPECT_EQ(dropped, 0) << output.name;
    }
    if (output.policy == "thin") {
      EXPECT_GE(records, dropped) << output.name;
    }
  }

  static void expect_right_events(const SimulatedResult& result) {
    const auto begun = static_cast<std::int64_t>(events_of(result, "overloaded").size());
    EXPECT_EQ(begun, result.figures.overloads.times);
    EXPECT_EQ(begun, events_of(result, "overload_over").size());
    std::int64_t said = 0, in_all = 0, reported = 0;
    for (const Json& event : events_of(result, "dropped")) said += event.at("records").get<std::int64_t>();
    for (const Json& event : events_of(result, "overload_over"))
      in_all += event.at("dropped_records").get<std::int64_t>();
    for (const auto& [series, records] : result.figures.dropped) reported += records;
    EXPECT_EQ(said, reported);
    EXPECT_EQ(in_all, reported);
  }

  static SimulatedRun run_of(RunLayout layout, std::uint64_t seed) {
    SimulatedRun run;
    run.ranks = layout.ranks;
    run.servers = layout.servers;
    run.seed = seed;
    PlaneModel model;
    model.ranks = layout.ranks;
    model.steps = steps();
    run.model = model;
    return run;
  }
};

TEST_F(FullMemory, loses_whole_records_of_files_that_say_so_and_no_others) {
  std::int64_t dropped = 0, overloads = 0;
  for (std::uint64_t seed = 1; seed <= seeds(2); ++seed) {
    SeededRandom random(seed);
    const RunLayout layout = all_layouts()[random.below(all_layouts().size())];
    std::vector<std::string> policies;
    for (int i = 0; i < 6; ++i)
      policies.push_back(std::vector{"wait", "spill", "thin", "drop"}[random.below(4)]);
    const std::vector<Output> all = outputs(policies);
    SimulatedRun run = run_of(layout, seed);
    const std::string budget = std::vector{"1", "30 KiB", "100 KiB", "300 KiB", "10 MiB"}[random.below(5)];
    run.configuration = configuration(budget, all);
    run.defers = random.below(3) != 0;
    switch (random.below(6)) {
      case 0: run.slow_server = static_cast<ServerRank>(random.below(layout.servers)); break;
      case 1: run.slow_rank = static_cast<ClientRank>(random.below(layout.ranks)); break;
      case 2: run.is_library_slow = true; break;
      default: run.is_disk_slow = true; break;
    }
    if (random.below(3) == 0) run.most_unreceived = 1;
    SCOPED_TRACE(std::to_string(layout.ranks) + " ranks, " + std::to_string(layout.servers) +
                 " servers, budget " + budget + ", seed " + std::to_string(seed));
    const SimulatedResult result = simulate(run);

    EXPECT_EQ(result.errors, "");
    for (const std::string& error : result.model_errors) EXPECT_EQ(error, "");
    EXPECT_TRUE(result.leftovers.empty());
    for (const Output& output : all) expect_right_series(result, output);
    expect_right_events(result);
    for (const auto& [series, records] : result.figures.dropped) dropped += records;
    overloads += result.figures.overloads.times;
    if (HasFailure()) return;
  }
  EXPECT_GT(dropped, 0);
  EXPECT_GT(overloads, 0);
}

/// Steps that wait for a rank of the model are no backlog, however far the others are ahead.
TEST_F(FullMemory, loses_nothing_where_a_rank_of_the_model_is_slow) {
  for (std::uint64_t seed = 1; seed <= seeds(5); ++seed) {
    SimulatedRun run = run_of({4, 2}, seed);
    std::function<void()> rest;
    run.rest = &rest;
    PlaneModel model;
    model.ranks = 4;
    model.steps = steps();
    model.before_step = [&](Client&, ClientRank, Step&) {
      rest();  // otherwise it hands over all that it has memory for in one turn
      return true;
    };
    run.model = model;
    run.configuration = configuration("4 MiB", outputs(std::vector<std::string>(6, "drop")));
    run.slow_rank = static_cast<ClientRank>(1 + seed % 3);
    const SimulatedResult result = simulate(run);

    EXPECT_EQ(result.errors, "");
    EXPECT_TRUE(result.figures.dropped.empty()) << result.report << seed;
    if (HasFailure()) return;
  }
}

/// The model goes on with steps whose records are left out, and waits otherwise.
TEST_F(FullMemory, lets_the_model_run_ahead_of_a_disk_that_stands_still_only_where_records_may_lack) {
  const auto steps_before_the_first_write = [&](const std::string& policy) {
    SimulatedRun run = run_of({1, 1}, 1);
    run.configuration = configuration("30 KiB", {{"w", "field=\"w\"" + kNone, policy, 1, true, 100}});
    run.is_disk_slow = true;
    const SimulatedResult result = simulate(run);
    EXPECT_EQ(result.errors, "");
    const auto found = result.figures.dropped.find("w.nc");
    return found == result.figures.dropped.end() ? 0 : found->second;
  };
  EXPECT_EQ(steps_before_the_first_write("wait"), 0);
  const std::int64_t thinned = steps_before_the_first_write("thin");
  const std::int64_t dropped = steps_before_the_first_write("drop");
  EXPECT_GT(thinned, 0);
  EXPECT_GE(dropped, thinned);
}

/// A run with memory publishes everything after its checkpoint; one that continues has none.
TEST_F(FullMemory, replaces_no_published_file_by_one_with_fewer_records) {
  int stayed = 0, runs_without_all = 0;
  for (std::uint64_t seed = 1; seed <= seeds(10); ++seed) {
    const std::vector<Output> all = outputs(std::vector<std::string>(6, "drop"));
    SimulatedRun first = run_of({2, 2}, seed);
    first.configuration = configuration("10 MiB", all);
    PlaneModel model;
    model.ranks = 2;
    model.steps = steps();
    model.steps[5].is_checkpoint = 1;
    first.model = model;
    const SimulatedResult before = simulate(first);
    ASSERT_EQ(before.errors, "");
    ASSERT_TRUE(before.figures.dropped.empty());

    SimulatedRun second = run_of({2, 2}, seed + 1000);
    second.configuration = configuration("260 KiB", all);
    second.directory = before.directory;
    second.is_disk_slow = true;
    model.steps.erase(model.steps.begin(), model.steps.begin() + 6);
    model.steps[5].is_checkpoint = 1;
    model.register_instead = [](Client& client, ClientRank rank) {
      client.continue_after(6);
      register_plane(client, rank, 2);
      return true;
    };
    second.model = model;
    const SimulatedResult after = simulate(second);

    EXPECT_EQ(after.errors, "") << seed;
    for (const std::string& error : after.model_errors) EXPECT_EQ(error, "");
    runs_without_all += !after.figures.dropped.empty();
    for (const Output& output : all) {
      const auto found = after.figures.dropped.find(output.name + ".nc");
      if (found == after.figures.dropped.end()) continue;
      for (const auto& [name, bytes] : before.files) {
        if (!name.starts_with(output.name + "_")) continue;
        ASSERT_TRUE(after.files.contains(name)) << name;
        const std::size_t records = right_records(after, output, name).size();
        EXPECT_EQ(records, static_cast<std::size_t>(std::min(output.file_steps, kSteps) / output.every))
            << name;
        stayed += after.files.at(name) == bytes;
      }
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(runs_without_all, 0);
  EXPECT_GT(stayed, 0);
}

}  // namespace
}  // namespace pileus::testing
