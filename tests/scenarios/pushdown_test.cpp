// What model ranks hand over in place of fields, in random configurations and layouts: the files are the
// bytes of a run that hands over whole fields.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "core/log.h"
#include "server/testing/orders.h"
#include "tests/scenarios/volume_runs.h"

namespace pileus::testing {
namespace {

class PushdownTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("SOURCE_DATE_EPOCH", "0", 1);
    log::set_level(log::Level::error);
  }

  static std::map<std::string, std::string> files_of(const std::string& configuration, ClientRank ranks,
                                                     ServerRank servers, std::uint64_t seed, bool is_far) {
    SimulatedRun run;
    run.configuration = configuration;
    run.ranks = ranks;
    run.servers = servers;
    run.seed = seed;
    run.model = VolumeModel{ranks, seed % 2 == 0, seed % 8};
    if (is_far) {
      run.change_endpoint = [](std::unique_ptr<Endpoint> below) {
        return std::make_unique<FarEndpoint>(std::move(below));
      };
    }
    SimulatedResult result = simulate(run);
    std::filesystem::remove_all(result.directory);
    EXPECT_EQ(result.errors, "");
    bytes_ = 0;
    for (const RunReport::Client& client : result.figures.clients) bytes_ += client.end.bytes;
    return result.files;
  }

  static void expect_same(const std::map<std::string, std::string>& whole,
                          const std::map<std::string, std::string>& extracts) {
    ASSERT_EQ(whole.size(), extracts.size());
    for (const auto& [name, bytes] : whole) {
      const std::string& other = extracts.at(name);
      ASSERT_EQ(bytes.size(), other.size()) << name;
      const auto differs = std::ranges::mismatch(bytes, other).in1 - bytes.begin();
      const auto from = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, differs - 40));
      EXPECT_EQ(differs, std::ssize(bytes)) << name << "\n"
                                            << bytes.substr(from, 80) << "\n"
                                            << other.substr(from, 80);
    }
  }

  static inline std::uint64_t bytes_ = 0;  ///< that ranks handed over in the last run
};

TEST_F(PushdownTest, gives_the_bytes_of_whole_fields_whatever_the_configuration_and_the_layout) {
  std::uint64_t whole_bytes = 0, extract_bytes = 0;
  for (std::uint64_t seed = 1; seed <= as_many_as_asked(60); ++seed) {
    const std::string configuration = RandomConfiguration::text(seed);
    const auto ranks = static_cast<ClientRank>(1 + seed % 6);
    const auto servers = static_cast<ServerRank>(1 + seed % 3);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + configuration);
    setenv("PILEUS_PUSHDOWN", "no", 1);
    const auto whole = files_of(configuration, ranks, servers, seed, false);
    whole_bytes += bytes_;
    unsetenv("PILEUS_PUSHDOWN");
    const auto extracts = files_of(configuration, ranks, servers, seed, true);
    extract_bytes += bytes_;
    ASSERT_FALSE(whole.empty());
    expect_same(whole, extracts);
    if (HasFailure()) return;
  }
  // Otherwise nothing was tried.
  EXPECT_LT(extract_bytes, whole_bytes / 4 * 3);
}

}  // namespace
}  // namespace pileus::testing
