// The traces of a run that never begins: what viewers can read, on every server.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "core/log.h"
#include "core/testing/temporary_directory.h"
#include "server/testing/killed_runs.h"

namespace pileus::testing {
namespace {

TEST(TraceOfARefusedRun, is_whole_on_every_server) {
  log::set_level(log::Level::error);
  const TemporaryDirectory directory;
  setenv("PILEUS_TRACE", directory.path().c_str(), 1);
  const RunOf wrong{configuration(file("f", "write_time_frequency=\"15\"", "no_such_field", "none", ""))};
  SimulatedRun run = wrong.in_layout(3, 2, 1);
  run.model = wrong.model(3, 1);
  const SimulatedResult result = simulate(run);
  unsetenv("PILEUS_TRACE");

  EXPECT_NE(result.model_errors[0].find("no_such_field"), std::string::npos) << result.model_errors[0];
  for (const std::string server : {"0", "1"}) {
    std::ifstream in(directory.path("pileus-trace-" + server + ".json"));
    const nlohmann::json events = nlohmann::json::parse(in, nullptr, false);
    EXPECT_TRUE(events.is_array()) << "server " << server;
  }
  std::filesystem::remove_all(result.directory);
}

}  // namespace
}  // namespace pileus::testing
