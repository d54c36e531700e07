// Maps of reduced columns, large enough to stay on the model ranks where these hold whole columns: the same
// bytes where they do not, and where a run goes on in another layout.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "core/log.h"
#include "server/testing/same_files.h"
#include "state/checkpoint_folders.h"

namespace pileus::testing {
namespace {

constexpr Index kLevels = 3, kRows = 130, kColumns = 127;  // 16510 columns
constexpr std::int64_t kSteps = 7, kCut = 4;

constexpr const char* kMaps = R"xml(<io-configuration>
  <data-definition name="raw" frequency="1">
    <field name="w" size="z,y,x" collective="true"/>
  </data-definition>
  <data-handling>
    <diagnostic field="path" expression="sum[z](w * w)"/>
    <diagnostic field="third" expression="sum[z](w) / 3"/>
    <diagnostic field="share" expression="sum[z](w) / sum(w * w) - max[z](w | w &gt; 0)"/>
    <diagnostic field="squares" expression="cov[z](w, w * w)"/>
    <diagnostic field="exactly" exact="true" expression="sum[z](w)"/>
    <diagnostic field="by_rule">
      <operator name="localreduce" operator="mean" dimensions="z" field="w" result="by_rule"/>
    </diagnostic>
    <diagnostic field="by_rules">
      <operator name="localreduce" operator="sum" dimensions="z" field="w" result="local"/>
      <communication name="reduction" operator="sum" field="local" result="whole"/>
      <operator name="arithmetic" equation="whole / 7" result="by_rules"/>
    </diagnostic>
    <diagnostic field="above" expression="w - third"/>
    <diagnostic field="profile" expression="mean[y,x](w)"/>
  </data-handling>
  <data-writing>
    <file name="means.nc" write_time_frequency="100">
      <include field="path" time_manipulation="averaged" output_frequency="6"/>
      <include field="third" time_manipulation="averaged" output_frequency="6"/>
      <include field="share" time_manipulation="averaged" output_frequency="6"/>
      <include field="squares" time_manipulation="accumulated" output_frequency="6"/>
      <include field="exactly" time_manipulation="averaged" output_frequency="6"/>
      <include field="by_rule" time_manipulation="averaged" output_frequency="6"/>
      <include field="by_rules" time_manipulation="variance" output_frequency="6"/>
      <include field="profile" time_manipulation="averaged" output_frequency="6"/>
    </file>
    <file name="others.nc" write_time_frequency="100">
      <include field="path" time_manipulation="maximum" output_frequency="5"/>
      <include field="by_rule" time_manipulation="instantaneous" output_frequency="5"/>
      <include field="above" time_manipulation="instantaneous" output_frequency="6"/>
    </file>
  </data-writing>
</io-configuration>
)xml";

/// How many model ranks there are along z and x.
struct Ranks {
  ClientRank along_z = 1, along_x = 1;
  ClientRank all() const { return along_z * along_x; }
};

std::pair<Index, Index> part(Index size, ClientRank i, ClientRank parts) {
  const Index first = size * i / parts;
  return {first, size * (i + 1) / parts - first};
}

/// Sums and means of these round, in more than one way.
double value_at(Index place, std::int64_t step) {
  return static_cast<double>((place * 37 + step * 101) % 997 - 498) / 7.0 * (place % 5 == 0 ? 1e9 : 1);
}

struct PlaneModel {
  Ranks ranks;
  std::optional<std::int64_t> continue_after = {};
  std::function<void(std::int64_t)> before_step = {};

  void operator()(Client& client, ClientRank rank) const {
    const auto [z, nz] = part(kLevels, rank % ranks.along_z, ranks.along_z);
    const auto [x, nx] = part(kColumns, rank / ranks.along_z, ranks.along_x);
    client.dimension({"z", kLevels, {}, ""});
    client.dimension({"y", kRows, {}, ""});
    client.dimension({"x", kColumns, {}, ""});
    const int w = client.field({"w", ElementType::float64, {"z", "y", "x"}, {{z, 0, x}, {nz, kRows, nx}}});
    if (continue_after) client.continue_after(*continue_after);
    client.commit();
    for (std::int64_t n = continue_after.value_or(0) + 1; n <= kSteps; ++n) {
      if (before_step && rank == 0) before_step(n);
      Step step{n, 1.75 * static_cast<double>(n), 1.75};
      step.is_checkpoint = n == kCut;
      client.begin(step, n == kSteps);
      std::vector<double> volume;
      for (Index i = x; i < x + nx; ++i) {
        for (Index j = 0; j < kRows; ++j) {
          for (Index k = z; k < z + nz; ++k) volume.push_back(value_at((i * kRows + j) * kLevels + k, n));
        }
      }
      if (client.wanted(w)) client.put(w, volume.data(), nullptr);
      client.end();
    }
    client.finish();
  }
};

class MapsOfColumns : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("SOURCE_DATE_EPOCH", "0", 1);
    log::set_level(log::Level::error);
  }

  static SimulatedRun run(Ranks ranks, ServerRank servers, std::uint64_t seed) {
    SimulatedRun run;
    run.configuration = kMaps;
    run.ranks = ranks.all();
    run.servers = servers;
    run.seed = seed;
    run.model = PlaneModel{ranks};
    return run;
  }

  /// Is killed once the checkpoint is complete; the directory it leaves.
  static std::string killed(Ranks ranks, ServerRank servers, std::uint64_t seed) {
    SimulatedRun run = MapsOfColumns::run(ranks, servers, seed);
    std::function<void()> rest, kill;
    std::string directory;
    run.rest = &rest;
    run.kill = &kill;
    run.prepare_directory = [&](const std::string& made) { directory = made; };
    PlaneModel model{ranks};
    model.before_step = [&](std::int64_t step) {
      if (step <= kCut) return;
      while (!std::filesystem::exists(checkpoint_folder(directory, kCut))) rest();
      kill();
      rest();
    };
    run.model = model;
    simulate(run);
    return directory;
  }
};

constexpr Ranks kLayouts[] = {{1, 3}, {3, 1}, {3, 2}};

TEST_F(MapsOfColumns, have_the_same_bytes_whether_ranks_hold_whole_columns_or_not) {
  const SimulatedResult right = simulate(run({1, 1}, 1, 0));
  ASSERT_EQ(right.errors, "");
  ASSERT_EQ(right.files.size(), 2U);

  for (const Ranks ranks : kLayouts) {
    SCOPED_TRACE(std::to_string(ranks.along_z) + " x " + std::to_string(ranks.along_x));
    const SimulatedResult result = simulate(run(ranks, 2, ranks.all()));
    expect_same_files(right.files, result);
    std::filesystem::remove_all(result.directory);
  }
}

TEST_F(MapsOfColumns, go_on_where_ranks_hold_whole_columns_and_where_they_do_not) {
  const SimulatedResult right = simulate(run({1, 1}, 1, 0));

  for (const auto& [before, after] : {std::pair(kLayouts[0], kLayouts[1]), {kLayouts[1], kLayouts[0]}}) {
    SimulatedRun next = run(after, 3, 5);
    next.directory = killed(before, 2, 4);
    PlaneModel model{after};
    model.continue_after = kCut;
    next.model = model;
    const SimulatedResult result = simulate(next);
    expect_same_files(right.files, result);
    std::filesystem::remove_all(result.directory);
  }
}

}  // namespace
}  // namespace pileus::testing
