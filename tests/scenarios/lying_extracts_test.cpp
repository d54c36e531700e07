// A model rank whose parcel has other extracts than were wanted of it: it is refused by name, the run goes on
// without what the rank says, and ends in order.

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "client/frames.h"
#include "core/log.h"
#include "plan/demand.h"
#include "server/testing/orders.h"
#include "tests/scenarios/published_file.h"
#include "tests/scenarios/scenario.h"
#include "tests/scenarios/volume_runs.h"

namespace pileus::testing {
namespace {

/// Sums and extremes of a, a level of b, all of c, and d in single precision.
constexpr const char* kWholeonfiguration = R"xml(<io-configuration>
  <server-configuration><pushdown budget="10 s"/></server-configuration>
  <data-definition name="state" frequency="1">
    <field name="a" size="z,y,x" collective="true"/>
    <field name="b" size="z,y,x" collective="true"/>
    <field name="c" size="z,y,x" collective="true"/>
    <field name="d" size="z,y,x" collective="true" data_type="double" precision="float"/>
  </data-definition>
  <data-handling>
    <diagnostic field="level"><operator name="field_slicer" field="b" dimension="z" index="2" result="level"/>
    </diagnostic>
    <diagnostic field="mean" expression="mean[z,y,x](a)"/>
    <diagnostic field="most" expression="max[z,y,x](a)"/>
  </data-handling>
  <data-writing>
    <file name="out.nc" write_time_frequency="11">
      <include field="level" time_manipulation="none"/>
      <include field="mean" time_manipulation="none"/>
      <include field="most" time_manipulation="none"/>
      <include field="c" time_manipulation="none"/>
      <include field="d" time_manipulation="none"/>
    </file>
  </data-writing>
</io-configuration>
)xml";
constexpr std::size_t kSums = 0, kLevel = 1, kWhole = 2, kFloats = 3;

/// What a parcel says of one field, to be changed where it lies.
struct Said {
  FieldEntry& entry;
  std::span<ExtractEntry> extracts;
};

using Lie = std::function<void(Said)>;

/// Tells a lie about a field in the parcel of one step.
class LyingEndpoint : public FarEndpoint {
 public:
  static constexpr std::int64_t kStep = 4;

  LyingEndpoint(std::unique_ptr<Endpoint> below, std::size_t field, const Lie& lie)
      : FarEndpoint(std::move(below)), field_(field), lie_(lie) {}
  void commit(std::unique_ptr<Slot> slot) override {
    std::byte* const first = slot->bytes().data();
    auto* const header = reinterpret_cast<ParcelHeader*>(first);
    if (header->kind == FrameKind::parcel && header->step.index == kStep) {
      FieldEntry& entry = reinterpret_cast<FieldEntry*>(first + sizeof *header)[field_];
      EXPECT_EQ(entry.held, field_ == kWhole ? Held::whole : Held::extracts);
      lie_({entry, {reinterpret_cast<ExtractEntry*>(first + entry.offset), field_ == kSums ? 2U : 1U}});
    }
    FarEndpoint::commit(std::move(slot));
  }

 private:
  std::size_t field_;
  const Lie& lie_;
};

class LyingExtracts : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("SOURCE_DATE_EPOCH", "0", 1);
    log::set_level(log::Level::error);
  }
  static void TearDownTestSuite() { log::set_level(log::Level::info); }

  /// A run of three ranks, of which rank 1 lies.
  static SimulatedResult run_with(std::size_t field, const Lie& lie, std::uint64_t seed,
                                  ServerRank servers = 2) {
    SimulatedRun run;
    run.configuration = kWholeonfiguration;
    run.ranks = 3;
    run.servers = servers;
    run.seed = seed;
    VolumeModel model{run.ranks};
    run.model = model;
    run.change_endpoint = [&](std::unique_ptr<Endpoint> below) -> std::unique_ptr<Endpoint> {
      if (below->self() != 1) return std::make_unique<FarEndpoint>(std::move(below));
      return std::make_unique<LyingEndpoint>(std::move(below), field, lie);
    };
    return simulate(run);
  }
};

struct LieOf {
  std::size_t field;
  Lie lie;
  std::string what;
};

TEST_F(LyingExtracts, are_refused_by_name_and_the_run_ends_in_order) {
  const std::vector<LieOf> lies = {
      {kLevel, [](Said level) { level.entry.size_bytes -= 64; }, "holds extracts of a wrong size of \"b\""},
      {kLevel, [](Said level) { level.entry.size_bytes += 64; }, "holds extracts of a wrong size of \"b\""},
      {kLevel, [](Said level) { level.entry.size_bytes = UINT64_MAX; }, "holds a wrong place of \"b\""},
      {kLevel, [](Said level) { level.entry.size_bytes = 0; }, "holds extracts of a wrong size of \"b\""},
      {kLevel, [](Said level) { level.entry.held = Held::whole; }, "holds a wrong size of \"b\""},
      {kLevel, [](Said level) { level.entry.held = Held::first_loan; }, "holds a wrong size of \"b\""},
      {kLevel, [](Said level) { level.extracts[0].size_bytes -= 8; },
       "holds an extract that is not what was wanted"},
      {kLevel, [](Said level) { level.extracts[0].size_bytes = 0; },
       "holds an extract that is not what was wanted"},
      {kLevel, [](Said level) { level.extracts[0].size_bytes += 8; }, "holds an extract "},
      {kLevel, [](Said level) { level.extracts[0].offset += 64; }, "holds an extract in a wrong place"},
      {kLevel, [](Said level) { level.extracts[0].offset = UINT64_MAX; },
       "holds an extract in a wrong place"},
      {kSums, [](Said sums) { sums.extracts[0].size_bytes -= 1; }, "holds a damaged extract"},
      {kSums, [](Said sums) { sums.extracts[0].size_bytes += 1; },
       "holds an extract that is not what was wanted"},
      {kSums, [](Said sums) { sums.extracts[1].size_bytes = UINT64_MAX; },
       "holds an extract in a wrong place"},
      {kSums, [](Said sums) { std::swap(sums.extracts[0], sums.extracts[1]); },
       "holds an extract in a wrong place"},
      {kWhole, [](Said c) { c.entry.held = Held::extracts; }, "holds extracts that nobody wants of \"c\""},
      {kFloats, [](Said d) { d.extracts[0].size_bytes /= 2; },
       "holds an extract that is not what was wanted"},
      {kFloats, [](Said d) { d.entry.field = kLevel; }, "holds \"b\" twice"}};
  for (std::uint64_t i = 0; i < lies.size(); ++i) {
    const LieOf& one = lies[i];
    SCOPED_TRACE(std::to_string(i) + ": " + one.what);
    const SimulatedResult result = run_with(one.field, one.lie, i, 1 + i % 3);
    expect_words(result.errors, {"model rank 1 sent a parcel that " + one.what});
    expect_all_told(result, {one.what});
    expect_complete_files(result);
    EXPECT_FALSE(result.files.empty());
    std::filesystem::remove_all(result.directory);
  }
}

TEST_F(LyingExtracts, that_are_not_there_are_missing_values_which_the_report_counts) {
  const SimulatedResult result = run_with(
      kSums, [](Said sums) { sums.extracts[0] = {}; }, 1);
  std::filesystem::remove_all(result.directory);
  EXPECT_EQ(result.errors, "");
  expect_words(result.report, {"out.nc: mean holds missing values in 1 part of its records"});
  EXPECT_EQ(result.figures.absences.size(), 1U);
}

}  // namespace
}  // namespace pileus::testing
