// The paper's listings 1 to 3 with a model small enough to work out every number by hand. Two steps are those
// that the paper mentions: one at 98.2 s, the next at 101.3 s.

#include <filesystem>

#include "core/log.h"
#include "tests/scenarios/published_file.h"
#include "tests/scenarios/scenario.h"

namespace pileus::testing {
namespace {

/// The listings as printed, with quotes where the paper leaves them out.
constexpr const char* kPaper = R"xml(<io-configuration>
  <data-definition name="raw_fields" frequency="2">
    <field name="w" type="array" data_type="double" size="z,y,x" collective="true" optional="true"/>
    <field name="u" type="array" data_type="double" size="z,y,x" collective="true" optional="true"/>
    <field name="vwp_local" type="array" data_type="double" optional="true"/>
  </data-definition>
  <data-handling>
    <diagnostic field="VWP_mean" type="scalar" data_type="double" units="kg/m^2">
      <operator name="localreduce" operator="sum" result="VWP_mean_loc_reduced" field="vwp_local"/>
      <communication name="reduction" operator="sum" result="VWP_mean_g" field="VWP_mean_loc_reduced"
                     root="auto"/>
      <operator name="arithmetic" result="VWP_mean" equation="VWP_mean_g/({x_size}*{y_size})"/>
    </diagnostic>
  </data-handling>
  <group name="3d_fields">
    <member name="w"/>
    <member name="u"/>
  </group>
  <data-writing>
    <file name="profile_ts.nc" write_time_frequency="100" title="Profile diagnostics">
      <include field="VWP_mean" time_manipulation="averaged" output_frequency="10.0"/>
      <include group="3d_fields" time_manipulation="instantaneous" output_frequency="5.0"/>
    </file>
  </data-writing>
</io-configuration>
)xml";

constexpr Index kZ = 2, kY = 2, kX = 4;

/// With frequency="2" every second of these times is handed over. Sample k comes at kSamples[k - 1].
const std::vector<double> kSamples = {10, 20, 30, 40, 50, 60, 70, 80, 90, 98.2, 101.3, 110};

/// Sample k of w at (z, y, x) is 1000 k + 100 z + 10 y + x; u is its negative. The column of vwp_local at (y,
/// x) holds k times 1 + x + 4 y, which is 1 to 8 over the plane: the sum over it is 36 k, the mean 4.5 k.
double w_at(Index z, Index y, Index x, Index k) {
  return static_cast<double>(1000 * k + 100 * z + 10 * y + x);
}
double column_at(Index y, Index x, Index k) { return static_cast<double>(k * (1 + x + 4 * y)); }

void run_model(Client& client, ClientRank rank, ClientRank ranks) {
  const Region plane = part_of_plane(kY, kX, rank, ranks, false);
  const Index x0 = plane.start[1], x1 = x0 + plane.count[1];
  client.option("x_size", "4");
  client.option("y_size", "2");
  client.dimension({"z", kZ, {10, 20}, "m"});
  client.dimension({"y", kY, {}, ""});
  client.dimension({"x", kX, {}, ""});
  const Region volume{{0, 0, x0}, {kZ, kY, x1 - x0}};
  const int w = client.field({"w", ElementType::float64, {"z", "y", "x"}, volume});
  const int u = client.field({"u", ElementType::float64, {"z", "y", "x"}, volume});
  const int vwp = client.field({"vwp_local", ElementType::float64, {}, {{0}, {kY * (x1 - x0)}}});
  client.commit();
  double before = 0;
  for (Index step = 1; step <= 2 * std::ssize(kSamples); ++step) {
    // Odd steps end half way between two samples, and nothing needs their values.
    const Index k = (step + 1) / 2;
    const double sampled = kSamples[static_cast<std::size_t>(k - 1)];
    const double time = step % 2 == 0 ? sampled : (before + sampled) / 2;
    std::vector<double> ws, us, columns;
    for (Index x = x0; x < x1; ++x) {
      for (Index y = 0; y < kY; ++y) {
        for (Index z = 0; z < kZ; ++z) ws.push_back(step % 2 == 0 ? w_at(z, y, x, k) : -1e30);
        for (Index z = 0; z < kZ; ++z) us.push_back(-w_at(z, y, x, k));
        columns.push_back(column_at(y, x, k));
      }
    }
    client.begin({step, time, time - before}, step == 2 * std::ssize(kSamples));
    client.put(w, ws.data(), nullptr);
    client.put(u, us.data(), nullptr);
    client.put(vwp, columns.data(), nullptr);
    EXPECT_TRUE(client.end().empty());
    before = time;
  }
  client.finish();
}

/// Samples `first` to `last` of the plane, in the order of the file: x slowest, z fastest.
std::vector<double> volumes(Index first, Index last, double factor) {
  std::vector<double> values;
  for (Index k = first; k <= last; ++k) {
    for (Index x = 0; x < kX; ++x) {
      for (Index y = 0; y < kY; ++y) {
        for (Index z = 0; z < kZ; ++z) values.push_back(factor * w_at(z, y, x, k));
      }
    }
  }
  return values;
}

class PaperListings : public ::testing::TestWithParam<RunLayout> {
 protected:
  void SetUp() override {
    setenv("SOURCE_DATE_EPOCH", "0", 1);
    log::set_level(log::Level::error);
    SimulatedRun run;
    run.configuration = kPaper;
    run.ranks = GetParam().ranks;
    run.servers = GetParam().servers;
    run.model = [ranks = run.ranks](Client& client, ClientRank rank) { run_model(client, rank, ranks); };
    result_ = simulate(run);
    ASSERT_EQ(result_.errors, "");
    ASSERT_EQ(result_.files.size(), 2u) << result_.report;
  }
  void TearDown() override { std::filesystem::remove_all(result_.directory); }

  PublishedFileReader file(const char* name) const {
    return PublishedFileReader(result_.directory + "/" + name);
  }

  SimulatedResult result_;
};

TEST_P(PaperListings, the_first_file_holds_the_means_of_its_ten_windows) {
  const PublishedFileReader first = file("profile_ts_100.nc");

  // Windows (0, 10] to (80, 90] hold one whole sample each: 4.5 k. In (90, 100] the sample at 98.2 s, 45,
  // stands for 8.2 s and the one at 101.3 s, 49.5, for the remaining 1.8 s: (8.2 * 45 + 1.8 * 49.5) / 10 =
  // 45.81.
  EXPECT_EQ(first.values("VWP_mean"),
            (std::vector<double>{4.5, 9, 13.5, 18, 22.5, 27, 31.5, 36, 40.5, 45.81}));
  EXPECT_EQ(first.values("time_averaged_10"), (std::vector<double>{10, 20, 30, 40, 50, 60, 70, 80, 90, 100}));
  EXPECT_EQ(
      first.values("time_averaged_10_bnds"),
      (std::vector<double>{0, 10, 10, 20, 20, 30, 30, 40, 40, 50, 50, 60, 60, 70, 70, 80, 80, 90, 90, 100}));
}

TEST_P(PaperListings, the_first_file_holds_the_instantaneous_values_up_to_and_including_98_2_s) {
  const PublishedFileReader first = file("profile_ts_100.nc");

  // Every sample is the first at or after a multiple of 5 s that has none yet: 10 for 5 and 10, …, 98.2 for
  // 95. The sample for 100 is the one at 101.3 s, which belongs to the next file.
  EXPECT_EQ(first.values("time_instantaneous_5"),
            (std::vector<double>{10, 20, 30, 40, 50, 60, 70, 80, 90, 98.2}));
  EXPECT_EQ(first.values("w"), volumes(1, 10, 1));
  EXPECT_EQ(first.values("u"), volumes(1, 10, -1));
}

TEST_P(PaperListings, the_second_file_goes_on_at_101_3_s_and_ends_with_the_run) {
  const PublishedFileReader second = file("profile_ts_200.nc");

  // (100, 110]: 1.3 s of the sample at 101.3 s, 49.5, and 8.7 s of the one at 110 s, 54:
  // (1.3 * 49.5 + 8.7 * 54) / 10 = (64.35 + 469.8) / 10 = 53.415.
  EXPECT_EQ(second.values("VWP_mean"), std::vector<double>{53.415});
  EXPECT_EQ(second.values("time_averaged_10"), std::vector<double>{110});
  EXPECT_EQ(second.values("time_averaged_10_bnds"), (std::vector<double>{100, 110}));
  EXPECT_EQ(second.values("time_instantaneous_5"), (std::vector<double>{101.3, 110}));
  EXPECT_EQ(second.values("w"), volumes(11, 12, 1));
  EXPECT_EQ(second.values("u"), volumes(11, 12, -1));
}

TEST_P(PaperListings, the_files_say_what_they_hold) {
  const PublishedFileReader first = file("profile_ts_100.nc");

  EXPECT_EQ(first.attribute("", "title"), "Profile diagnostics");
  EXPECT_EQ(first.attribute("VWP_mean", "units"), "kg/m^2");
  EXPECT_EQ(first.attribute("VWP_mean", "cell_methods"), "time_averaged_10: mean");
  EXPECT_EQ(first.attribute("w", "cell_methods"), "time_instantaneous_5: point");
  EXPECT_EQ(first.dimensions("VWP_mean"), std::vector<std::string>{"time_averaged_10"});
  EXPECT_EQ(first.dimensions("w"), (std::vector<std::string>{"time_instantaneous_5", "x", "y", "z"}));
  EXPECT_EQ(first.values("z"), (std::vector<double>{10, 20}));
  EXPECT_EQ(first.attribute("", "configuration"), kPaper);
}

INSTANTIATE_TEST_SUITE_P(Ranks, PaperListings,
                         ::testing::Values(RunLayout{1, 1}, RunLayout{2, 1}, RunLayout{2, 2}, RunLayout{3, 1},
                                           RunLayout{3, 2}),
                         [](const ::testing::TestParamInfo<RunLayout>& info) {
                           return "on_" + std::to_string(info.param.ranks) + "_ranks_and_" +
                                  std::to_string(info.param.servers) + "_servers";
                         });

}  // namespace
}  // namespace pileus::testing
