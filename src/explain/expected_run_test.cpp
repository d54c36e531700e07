// Compares predictions with simulated runs, in layouts and orders of every kind.

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "analytics/operators/list.h"
#include "config/read_config.h"
#include "core/log.h"
#include "core/testing/temporary_directory.h"
#include "description/model_file.h"
#include "explain/expected_memory.h"
#include "explain/expected_traffic.h"
#include "layout/make_plan.h"
#include "server/gate/run_memory.h"
#include "server/testing/killed_runs.h"
#include "time/window_bytes.h"

namespace pileus::explain {
namespace {

using pileus::testing::configuration;
using pileus::testing::file;
using pileus::testing::SimulatedResult;
using pileus::testing::SimulatedRun;
using pileus::testing::SmallModel;

/// A simulated run and its prediction.
struct Compared {
  SimulatedResult did;
  Plan plan;
  std::vector<ExpectedFile> files;
  ExpectedRun expected;
  std::vector<ExpectedMemory> memory;
};

struct Case {
  std::string configuration;
  ClientRank ranks = 1;
  ServerRank servers = 1;
  std::uint64_t seed = 1;
  bool defers = true;
  bool has_kinds = false;
  Index held_x = pileus::testing::kNx;
  int steps = 30;
  std::map<std::string, std::string> options = {};
};

Compared compare(const Case& one) {
  log::set_level(log::Level::error);
  SimulatedRun run;
  run.configuration = one.configuration;
  run.ranks = one.ranks;
  run.servers = one.servers;
  run.seed = one.seed;
  run.defers = one.defers;
  SmallModel model;
  model.steps = pileus::testing::varying_steps(one.steps);
  model.ranks = one.ranks;
  model.is_uneven = one.seed % 2 == 0;
  model.has_kinds = one.has_kinds;
  model.held_x = one.held_x;
  model.options = one.options;
  run.model = model;
  const pileus::testing::TemporaryDirectory directory;
  const std::string path = directory.path("model.json");
  setenv("PILEUS_DESCRIBE_MODEL", path.c_str(), 1);
  Compared out;
  out.did = simulate(run);
  unsetenv("PILEUS_DESCRIBE_MODEL");
  std::ifstream in(path);
  const ModelFile described = read_model_file(std::string(std::istreambuf_iterator<char>(in), {}), path);

  Findings findings;
  const Config config = read_config(one.configuration, "run.xml", builtin_catalogue(),
                                    described.model.ranks.front().options, findings);
  out.plan = make_plan(config, described.model, described.servers, findings);
  EXPECT_FALSE(findings.has_errors()) << findings.text();
  Steps steps{model.steps, described.start_time_s, true};
  steps.steps.back().is_final = 1;
  out.files = expected_files(out.plan, steps);
  out.expected = expected_run(out.plan, described.model, steps, out.files, one.defers);
  out.memory = expected_memory(out.plan, described.model, steps, {budget_of_client(config, 1), {}});
  EXPECT_EQ(out.did.errors, "");
  return out;
}

void expect_same_files(const Compared& compared) {
  EXPECT_EQ(compared.files.size(), compared.did.files.size());
  for (const ExpectedFile& file : compared.files) {
    ASSERT_TRUE(compared.did.files.contains(file.name)) << file.name;
    ASSERT_TRUE(file.size_bytes) << file.name;
    EXPECT_EQ(*file.size_bytes, compared.did.files.at(file.name).size()) << file.name;
    EXPECT_TRUE(file.is_complete) << file.name;
  }
}

/// True for messages from the first step on, except those in which servers report how far they are.
bool is_predicted(std::size_t kind) {
  return kind >= kind_index(ServerFrame::clock) && kind != kind_index(ServerFrame::steps_done) &&
         kind != kind_index(ServerFrame::hurry) && kind != kind_index(ServerFrame::part_written);
}

void expect_same_traffic(const Compared& compared) {
  for (const ServerFigures& server : compared.did.figures.servers) {
    Traffic from_ranks;
    for (ClientRank rank = 0; rank < compared.plan.layout.clients; ++rank) {
      if (compared.plan.layout.server_of(rank) == server.server)
        from_ranks += compared.expected.from_ranks[rank];
    }
    EXPECT_EQ(from_ranks.messages, server.from_model.messages);
    EXPECT_EQ(from_ranks.bytes, server.from_model.bytes);
    const ExpectedTraffic& expected = compared.expected.of_server[server.server];
    for (std::size_t kind = 0; kind < kServerFrameNames.size(); ++kind) {
      if (!is_predicted(kind)) continue;
      const std::string what =
          std::string(kServerFrameNames[kind]) + " of server " + std::to_string(server.server);
      const Traffic did = server.to_servers[kind];
      EXPECT_EQ(expected.least[kind].messages, did.messages) << what;
      EXPECT_EQ(expected.most[kind].messages, did.messages) << what;
      EXPECT_LE(expected.least[kind].bytes, did.bytes) << what;
      EXPECT_GE(expected.most[kind].bytes, did.bytes) << what;
      if (kind != kind_index(ServerFrame::reduction) && kind != kind_index(ServerFrame::distribution)) {
        EXPECT_EQ(expected.least[kind].bytes, did.bytes) << what;
      }
    }
  }
}

/// The difference between the most and the least bytes of exact sums and classes in windows, which depends on
/// the values.
std::uint64_t bytes_by_values(const Plan& plan) {
  std::uint64_t bytes = 0;
  for (const Variable& variable : plan.variables) {
    const auto elements = static_cast<std::uint64_t>(Region{{}, plan.extents(variable.value)}.size());
    const bool has_classes = plan[variable.schedule].manipulation->element_bytes != nullptr;
    if (variable.is_exact || has_classes)
      bytes += elements * plan.layout.clients * window_bytes_of_element(plan, variable);
  }
  return bytes;
}

void expect_same_windows(const Compared& compared) {
  for (const ServerFigures& server : compared.did.figures.servers) {
    const auto expected = static_cast<std::int64_t>(compared.memory[server.server].window_bytes);
    EXPECT_GE(expected, server.window_bytes) << "server " << server.server;
    EXPECT_LE(expected, server.window_bytes + static_cast<std::int64_t>(bytes_by_values(compared.plan)))
        << "server " << server.server;
  }
}

/// Series by time and by steps, with one axis and several, with instants, windows and every sample.
std::string several_files() {
  std::string files = file("mean", "write_time_frequency=\"40\"", "w vwp w_profile dt", "averaged", "10");
  files += file("each_{step}", "write_timestep_frequency=\"7\"", "w vwp largest_anomaly", "none", "");
  files += file("anomaly", "write_time_frequency=\"60\"", "w_anomaly", "instantaneous", "20");
  return configuration(files + R"xml(<file name="axes.nc" write_time_frequency="50">
      <include field="w" time_manipulation="instantaneous" output_frequency="10"/>
      <include field="vwp" time_manipulation="maximum" output_frequency="7"/>
      <include field="dt" time_manipulation="minimum" output_frequency="20"/>
    </file>)xml");
}

class ExpectedRunIn : public ::testing::TestWithParam<std::tuple<ClientRank, ServerRank>> {};

TEST_P(ExpectedRunIn, any_layout_writes_files_of_exactly_these_sizes_and_sends_exactly_these_messages) {
  const auto [ranks, servers] = GetParam();
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Compared compared = compare({several_files(), ranks, servers, seed, seed != 3, seed == 2});

    expect_same_files(compared);
    expect_same_traffic(compared);
    expect_same_windows(compared);
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, ExpectedRunIn,
                         ::testing::Values(std::tuple(1, 1), std::tuple(3, 2), std::tuple(5, 3),
                                           std::tuple(2, 3), std::tuple(6, 5)));

TEST(ExpectedRunTest, extrema_and_counts_travel_in_exactly_so_many_bytes) {
  const std::string text = R"xml(<io-configuration><data-definition name="raw" frequency="1">
      <field name="w" type="array" data_type="double" size="z,y,x" collective="true"/></data-definition>
      <data-handling>
        <diagnostic field="top" expression="max(w)"/>
        <diagnostic field="ups" expression="count[y,x](w | w &gt; 0)"/>
        <diagnostic field="some" expression="any(w &gt; 5)"/>
      </data-handling>
      <data-writing><file name="f.nc" write_time_frequency="40">
        <include field="top" time_manipulation="averaged" output_frequency="20"/>
        <include field="ups" time_manipulation="instantaneous" output_frequency="10"/>
        <include field="some" time_manipulation="instantaneous" output_frequency="10"/>
      </file></data-writing></io-configuration>)xml";

  const Compared compared = compare({text, 4, 3});

  expect_same_files(compared);
  expect_same_traffic(compared);
  const std::size_t reduction = kind_index(ServerFrame::reduction);
  for (const ServerFigures& server : compared.did.figures.servers) {
    const ExpectedTraffic& expected = compared.expected.of_server[server.server];
    EXPECT_EQ(expected.least[reduction], server.to_servers[reduction]);
    EXPECT_EQ(expected.most[reduction], server.to_servers[reduction]);
  }
}

/// Files in which everything is compressed, and one in which nothing is.
std::string packed_files() {
  std::string files =
      file("mean", "write_time_frequency=\"40\" deflate=\"1\"", "w vwp w_profile dt", "averaged", "10");
  files += file("each_{step}", "write_timestep_frequency=\"7\"", "w vwp", "none", "");
  files += file("anomaly", "write_time_frequency=\"60\" deflate=\"4\"", "w_anomaly", "instantaneous", "20");
  return configuration(files);
}

TEST(ExpectedRunTest, compressed_variables_take_and_travel_in_bytes_within_the_bounds) {
  for (const auto& [ranks, servers] :
       {std::pair(1U, 1U), std::pair(3U, 2U), std::pair(5U, 3U), std::pair(6U, 5U)}) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const Compared compared = compare({packed_files(), ranks, servers, seed});

      for (const ExpectedFile& file : compared.files) {
        const std::uint64_t did = compared.did.files.at(file.name).size();
        EXPECT_LE(*file.size_bytes, did) << file.name;
        if (file.packed_bytes == 0) {
          EXPECT_EQ(*file.size_bytes, did) << file.name;
        }
      }
      std::int64_t chunks = 0;
      for (const ServerFigures& server : compared.did.figures.servers) {
        const ExpectedTraffic& expected = compared.expected.of_server[server.server];
        for (std::size_t kind = kind_index(ServerFrame::clock); kind < kServerFrameNames.size(); ++kind) {
          if (!is_predicted(kind)) continue;
          const Traffic did = server.to_servers[kind];
          const std::string what =
              std::string(kServerFrameNames[kind]) + " of server " + std::to_string(server.server);
          EXPECT_LE(expected.least[kind].messages, did.messages) << what;
          EXPECT_GE(expected.most[kind].messages, did.messages) << what;
          EXPECT_LE(expected.least[kind].bytes, did.bytes) << what;
          EXPECT_GE(expected.most[kind].bytes, did.bytes) << what;
        }
        for (const ServerFrame kind : {ServerFrame::part, ServerFrame::placement, ServerFrame::closing,
                                       ServerFrame::parts_done, ServerFrame::client_end}) {
          EXPECT_EQ(expected.least[kind_index(kind)], server.to_servers[kind_index(kind)]);
          EXPECT_EQ(expected.most[kind_index(kind)], server.to_servers[kind_index(kind)]);
        }
        const std::size_t packed = kind_index(ServerFrame::packed_part);
        EXPECT_EQ(expected.most[packed].messages, server.to_servers[packed].messages);
        chunks += server.to_servers[packed].messages;
      }
      EXPECT_EQ(chunks > 0, servers > 1);
    }
  }
}

TEST(ExpectedRunTest, slabs_travel_in_exactly_so_many_bytes) {
  for (const auto& [ranks, servers] :
       {std::pair(1U, 1U), std::pair(3U, 2U), std::pair(5U, 3U), std::pair(6U, 5U)}) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      std::string text = several_files();
      std::size_t at = 0;
      for (int n = 1; (at = text.find("<file ", at)) != std::string::npos; ++n, ++at)
        text.insert(at + 5, " writers=\"" + std::to_string(n) + "\"");
      const Compared compared = compare({text, ranks, servers, seed});

      expect_same_files(compared);
      expect_same_traffic(compared);
      std::uint64_t on_their_way = 0;
      for (const ExpectedMemory& memory : compared.memory) on_their_way += memory.slab_bytes;
      EXPECT_EQ(on_their_way > 0, servers > 1);
    }
  }
}

TEST(ExpectedRunTest, parcels_of_the_only_step_are_all_that_a_server_ever_holds) {
  const std::string text = R"xml(<io-configuration><data-definition name="raw" frequency="1">
      <field name="w" type="array" data_type="double" size="z,y,x" collective="true"/>
      <field name="dt" type="scalar" data_type="double"/></data-definition>
      <data-writing><file name="f.nc" write_time_frequency="40">
        <include field="w" time_manipulation="averaged" output_frequency="20"/>
        <include field="dt" time_manipulation="averaged" output_frequency="20"/>
      </file></data-writing></io-configuration>)xml";

  const Compared compared = compare({text, 1, 1, 1, true, false, pileus::testing::kNx, 1});

  expect_same_windows(compared);
  ASSERT_EQ(compared.memory.size(), 1U);
  EXPECT_EQ(compared.memory[0].parcel_bytes,
            static_cast<std::uint64_t>(compared.did.figures.servers[0].most_parcel_bytes));
  // The header of 64 and 2 entries of 24 are padded to 128. w has 3 * 7 * 11 doubles and is padded to 1984;
  // dt follows.
  EXPECT_EQ(compared.memory[0].parcel_bytes, 1984U + 8U);
}

TEST(ExpectedRunTest, a_model_that_waits_for_its_servers_makes_them_hold_no_more_than_a_step) {
  std::string text = configuration(file("mean", "write_time_frequency=\"40\"", "w", "averaged", "10"));
  text.insert(text.find('>') + 1,
              R"xml(<server-configuration><memory budget="1"/></server-configuration>)xml");
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Compared compared = compare({text, 5, 2, seed});

    for (const ServerFigures& server : compared.did.figures.servers) {
      const ExpectedMemory& expected = compared.memory[server.server];
      EXPECT_EQ(static_cast<std::uint64_t>(server.most_parcel_bytes), expected.parcel_bytes);
      EXPECT_EQ(static_cast<std::uint64_t>(server.most_record_bytes), expected.record_bytes);
      EXPECT_EQ(expected.keeps_up_bytes(),
                expected.window_bytes + expected.parcel_bytes + expected.record_bytes);
    }
  }
}

TEST(ExpectedRunTest, servers_never_hold_more_parcels_than_the_most_that_was_expected) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Compared compared = compare({several_files(), 5, 2, seed});

    for (const ServerFigures& server : compared.did.figures.servers) {
      const ExpectedMemory& expected = compared.memory[server.server];
      EXPECT_LE(static_cast<std::uint64_t>(server.most_parcel_bytes), expected.most_parcel_bytes);
      EXPECT_GE(static_cast<std::uint64_t>(server.from_model.bytes), expected.most_parcel_bytes);
      EXPECT_LE(expected.parcel_bytes, expected.most_parcel_bytes);
    }
  }
}

TEST(ExpectedRunTest, every_manipulation_keeps_windows_of_exactly_these_sizes) {
  for (const ServerRank servers : {1U, 3U}) {
    const Compared compared = compare({configuration(pileus::testing::every_manipulation()), 4, servers});

    expect_same_windows(compared);
    for (const ExpectedMemory& memory : compared.memory) EXPECT_GT(memory.window_bytes, 0U);
  }
}

TEST(ExpectedRunTest, a_domain_with_a_hole_has_files_of_exactly_these_sizes) {
  Case one{several_files(), 3, 2};
  one.held_x = 8;

  expect_same_files(compare(one));
}

/// The texts at the ends of files are of different lengths. "created" is as long as explain takes it to be.
TEST(ExpectedRunTest, files_that_say_when_they_ended_have_exactly_these_sizes) {
  const std::string monc = " naming=\"monc\"";
  const Case one{configuration(file("means", "write_time_frequency=\"3\"" + monc, "w vwp", "averaged", "3") +
                               file("steps", "write_timestep_frequency=\"7\"" + monc, "w", "none", "")),
                 2, 2};
  Case with_option = one;
  with_option.options = {{"pileus_dialect", "monc-epcc"}};

  setenv("SOURCE_DATE_EPOCH", "946684800", 1);  // 2000-01-01
  const Compared without = compare(one), with = compare(with_option);
  unsetenv("SOURCE_DATE_EPOCH");

  expect_same_files(without);
  expect_same_files(with);
  for (const ExpectedFile& file : with.files) {
    EXPECT_NE(with.did.files.at(file.name).find("MONC timestep"), std::string::npos);
    EXPECT_EQ(without.did.files.at(file.name).find("MONC timestep"), std::string::npos);
  }
}

TEST(ExpectedRunTest, even_steps_without_a_count_fill_the_first_file_of_each_series) {
  Plan plan;
  plan.files.resize(2);
  plan.files[0].write_frequency = Frequency(30);
  plan.files[1].write_frequency_steps = 40;

  const Steps by_steps = even_steps(plan, 2, 100, std::nullopt);
  const Steps by_time = even_steps(plan, 0.5, 100, std::nullopt);
  const Steps whole = even_steps(plan, 2, 100, 3);

  EXPECT_EQ(by_steps.steps.size(), 40U);
  EXPECT_EQ(by_time.steps.size(), 61U);
  EXPECT_FALSE(by_time.is_whole_run);
  EXPECT_EQ(whole.steps.size(), 3U);
  EXPECT_TRUE(whole.is_whole_run);
  EXPECT_EQ(whole.steps.back().time, 106);
  EXPECT_EQ(whole.steps.back().is_final, 1);
}

}  // namespace
}  // namespace pileus::explain
