// Fields that never change: handed over once, used in every step, once in each file, kept in checkpoints.

#include <gtest/gtest.h>

#include "server/testing/killed_runs.h"
#include "server/testing/orders.h"

namespace pileus::testing {
namespace {

/// A distributed area, a distributed mask of whole numbers, a profile that is the same everywhere. `rare`
/// comes every fourth step.
std::string configuration_of(const std::string& more = "") {
  return R"xml(<io-configuration>
  <data-definition name="constants" frequency="5">
    <field name="area" type="array" size="y,x" collective="true"/>
    <field name="mask" type="array" data_type="integer" size="y,x" collective="true"/>
    <field name="profile" type="array" size="z" parts="same"/>
  </data-definition>
  <data-definition name="raw_fields" frequency="1">
    <field name="w" type="array" size="z,y,x" collective="true"/>
  </data-definition>
  <data-definition name="seldom" frequency="4"><field name="rare" parts="same"/></data-definition>
  <data-handling>
    <diagnostic field="weighted" expression="mean[y,x](w*area)/mean[y,x](area)"/>
    <diagnostic field="over_area" expression="mean[y,x](w, weight=area)"/>
    <diagnostic field="varying" expression="std[y,x](w, weight=area*profile | w > 0)"/>
    <diagnostic field="bands" expression="mean[y,x](w, weight=area, by=area + w, edges=0:300:30)"/>
    <diagnostic field="basins" expression="sum[y,x](w, by=mask, edges=-1.5:2.5:1)"/>
    <diagnostic field="together" expression="cov(w, area, weight=mask)"/>
    <diagnostic field="masked" expression="w*mask - profile"/>
    <diagnostic field="total" expression="sum[y,x](area)"/>
    <diagnostic field="share" expression="area/sum[y,x](area)"/>
    <diagnostic field="doubled" expression="2*profile"/>
    <diagnostic field="largest" expression="max[y,x](mask)*rare"/>
  </data-handling>
  <data-writing>)xml" +
         file("means", "write_time_frequency=\"30\"",
              "weighted over_area varying bands basins together area "
              "total",
              "averaged", "10") +
         file("instants", "write_time_frequency=\"15\"", "masked mask share doubled", "instantaneous", "5") +
         file("rare", "write_timestep_frequency=\"8\" deflate=\"1\"", "largest profile share", "none", "") +
         more + "</data-writing></io-configuration>\n";
}

/// The same, with a text in a series of files, some of which are complete at a checkpoint.
std::string configuration_with_label() {
  std::string text = configuration_of(
      "<file name=\"labelled.nc\" write_time_frequency=\"15\"><include field=\"label\" "
      "time_manipulation=\"none\"/><include field=\"total\" time_manipulation=\"none\"/>"
      "<include field=\"weighted\" time_manipulation=\"none\"/></file>");
  const std::string constants = "<data-definition name=\"constants\" frequency=\"5\">";
  const std::string label = "<field name=\"label\" data_type=\"string\" parts=\"same\" static=\"true\"/>";
  return text.insert(text.find(constants) + constants.size(), label);
}

struct StaticModel {
  std::vector<Step> steps = varying_steps(14);
  ClientRank ranks = 1;
  bool is_uneven = false;
  std::function<void(const Step&)> before_step = {};
  std::optional<std::int64_t> continue_after = {};
  std::set<std::int64_t> checkpoints = {};
  double area_factor = 1;                     ///< 1 in every run that is right
  bool forgets = false;                       ///< the mask
  bool hands_over_again = true;               ///< in a run that continues
  std::optional<ClientRank> differs_on = {};  ///< area_factor counts there alone
  std::string label = "";                     ///< a text, where it is given
  std::optional<ClientRank> holders = {};     ///< the ranks from there on have nothing of the plane

  void operator()(Client& client, ClientRank rank) const {
    Region plane{{0, 0}, {0, 0}};
    if (rank < holders.value_or(ranks))
      plane = part_of_plane(kNy, kNx, rank, holders.value_or(ranks), is_uneven);
    client.dimension({"z", kNz, {10, 20, 30}, "m"});
    client.dimension({"y", kNy, {}, ""});
    client.dimension({"x", kNx, {}, ""});
    const Region volume{{0, plane.start[0], plane.start[1]}, {kNz, plane.count[0], plane.count[1]}};
    const int w = client.field({"w", ElementType::float64, {"z", "y", "x"}, volume});
    const int area = client.field({"area", ElementType::float64, {"y", "x"}, plane});
    const int mask = client.field({"mask", ElementType::int32, {"y", "x"}, plane});
    const int profile = client.field({"profile", ElementType::float64, {"z"}, {{0}, {kNz}}});
    const int rare = client.field({"rare", ElementType::float64, {}, {}});
    for (const int field : {area, mask, profile}) client.static_field(field);
    std::optional<int> text;
    if (!label.empty()) text = client.text_field({"label", ElementType::character, {}, {}}, 20);
    if (text) client.static_field(*text);
    if (continue_after) client.continue_after(*continue_after);
    client.commit();
    const double factor = !differs_on || *differs_on == rank ? area_factor : 1;
    std::vector<double> values, areas, levels = {1.5, -2.25, 1e-7};
    std::vector<std::int32_t> masks;
    bool is_first = true;
    for (Step step : steps) {
      if (continue_after && step.index <= *continue_after) continue;
      if (before_step) before_step(step);
      step.is_checkpoint = checkpoints.contains(step.index);
      client.begin(step, step.index == steps.back().index);
      for (const int field : {area, mask, profile}) EXPECT_EQ(client.wanted(field), is_first);
      values.clear(), areas.clear(), masks.clear();
      for (Index x = plane.start[1]; x < plane.start[1] + plane.count[1]; ++x) {
        for (Index y = plane.start[0]; y < plane.start[0] + plane.count[0]; ++y) {
          for (Index z = 0; z < kNz; ++z) values.push_back(value_at(z, y, x, step.index));
          areas.push_back(factor * (100 + value_at(1, y, x, 3)));
          masks.push_back(static_cast<std::int32_t>((x * 3 + y) % 4 - 1));
        }
      }
      const auto seldom = static_cast<double>(step.index);
      const bool hands_over = !continue_after || hands_over_again;
      if (client.wanted(w)) client.put(w, values.data(), nullptr);
      if (client.wanted(rare)) client.put(rare, &seldom, nullptr);
      if (client.wanted(area) && hands_over) client.put(area, areas.data(), nullptr);
      if (client.wanted(mask) && hands_over && !forgets) client.put(mask, masks.data(), nullptr);
      if (client.wanted(profile) && hands_over) client.put(profile, levels.data(), nullptr);
      if (text && client.wanted(*text) && hands_over)
        client.put_texts(*text, std::vector<std::string_view>{label});
      client.end();
      is_first = false;
    }
    client.finish();
  }
};

/// A run in the layout that `seed` stands for.
SimulatedRun any_run(std::uint64_t seed, const std::string& configuration = configuration_of()) {
  SimulatedRun run = RunOf{configuration}.in_any_layout(seed);
  run.largest_packed_bytes = 64;  // several chunks
  return run;
}

SimulatedResult simulate(std::uint64_t seed, StaticModel model,
                         const std::string& configuration = configuration_of()) {
  SimulatedRun run = any_run(seed, configuration);
  model.ranks = run.ranks;
  model.is_uneven = seed % 2 == 0;
  run.model = model;
  return testing::simulate(run);
}

std::map<std::string, std::string> right_files() {
  SimulatedRun run = RunOf{configuration_of()}.in_layout(1, 1, 0);
  run.largest_packed_bytes = 64;
  run.model = StaticModel{};
  const SimulatedResult result = testing::simulate(run);
  EXPECT_EQ(result.errors, "");
  for (const std::string& error : result.model_errors) EXPECT_EQ(error, "");
  std::filesystem::remove_all(result.directory);
  return result.files;
}

class StaticFields : public ContinuedRun {};

TEST_F(StaticFields, give_the_same_files_in_every_layout_and_order_of_arrival) {
  const std::map<std::string, std::string> right = right_files();
  ASSERT_GT(right.size(), 5U);
  for (std::uint64_t seed = 1; seed <= as_many_as_asked(60); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const SimulatedResult result = simulate(seed, {});
    expect_files(result, right);
    std::filesystem::remove_all(result.directory);
    if (::testing::Test::HasFailure()) return;
  }
}

/// Killed some time after the checkpoint, continued in another layout; every other one hands nothing over
/// again.
TEST_F(StaticFields, are_in_the_checkpoint_and_need_not_be_handed_over_again) {
  const std::map<std::string, std::string> right = right_files();
  for (std::uint64_t seed = 1; seed <= as_many_as_asked(30); ++seed) {
    const std::int64_t cut = 1 + static_cast<std::int64_t>(seed % 12);
    SCOPED_TRACE("cut after step " + std::to_string(cut) + ", seed " + std::to_string(seed));
    SimulatedRun run = any_run(seed);
    std::function<void()> rest, kill;
    std::string directory;
    run.rest = &rest;
    run.kill = &kill;
    run.prepare_directory = [&](const std::string& made) { directory = made; };
    std::uint64_t turns = seed * 37 % 300;
    StaticModel model{.ranks = run.ranks, .is_uneven = seed % 2 == 0};
    model.checkpoints = {cut};
    run.model = [&](Client& client, ClientRank rank) {
      StaticModel own = model;
      if (rank == 0) {
        own.before_step = [&](const Step& step) {
          if (step.index <= cut) return;
          while (!std::filesystem::exists(checkpoint_folder(directory, cut))) rest();
          for (; turns > 0; --turns) rest();
          kill();
          rest();
        };
      }
      own(client, rank);
    };
    testing::simulate(run);

    SimulatedRun next = any_run(seed + 1000);
    next.directory = directory;
    StaticModel again{.ranks = next.ranks, .is_uneven = seed % 3 == 0};
    again.continue_after = cut;
    again.hands_over_again = seed % 2 == 0;
    next.model = again;
    const SimulatedResult result = testing::simulate(next);
    expect_files(result, right);
    std::filesystem::remove_all(result.directory);
    if (::testing::Test::HasFailure()) return;
  }
}

/// Ranks 2 and 3, which server 1 serves, have nothing of the plane, so that this server reads no static field
/// of the plane in the checkpoint.
TEST_F(StaticFields, are_right_in_a_run_that_continues_where_all_ranks_of_a_server_have_an_empty_part) {
  const std::map<std::string, std::string> right = right_files();
  for (std::uint64_t seed = 1; seed <= as_many_as_asked(12); ++seed) {
    const std::int64_t cut = 1 + static_cast<std::int64_t>(seed % 12);
    SCOPED_TRACE("cut after step " + std::to_string(cut) + ", seed " + std::to_string(seed));
    StaticModel before{.steps = varying_steps(static_cast<int>(cut) + 1)};
    before.checkpoints = {cut};
    const SimulatedResult first = simulate(seed, before);
    ASSERT_EQ(first.errors, "");

    SimulatedRun next = RunOf{configuration_of()}.in_layout(4, 2, seed);
    next.largest_packed_bytes = 64;
    next.directory = first.directory;
    StaticModel again{.ranks = 4};
    again.holders = 2;
    again.continue_after = cut;
    again.hands_over_again = seed % 2 == 0;
    next.model = again;
    const SimulatedResult result = testing::simulate(next);
    for (const std::string& error : result.model_errors) EXPECT_EQ(error, "");
    expect_files(result, right);
    std::filesystem::remove_all(result.directory);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST_F(StaticFields, of_a_run_that_continues_must_be_those_of_the_run_before) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    StaticModel first{.steps = varying_steps(4)};
    first.checkpoints = {4};
    const SimulatedResult before = simulate(seed, first);
    ASSERT_EQ(before.errors, "");

    SimulatedRun next = any_run(seed + 50);
    next.directory = before.directory;
    StaticModel again{.ranks = next.ranks};
    again.continue_after = 4;
    again.area_factor = 1.0000001;
    again.differs_on = next.ranks - 1;
    next.model = again;
    const SimulatedResult result = testing::simulate(next);

    const std::string said = "the static field \"area\" of model rank " + std::to_string(next.ranks - 1) +
                             " is not what the checkpoint holds";
    for (const std::string& error : result.model_errors)
      EXPECT_NE(error.find(said), std::string::npos) << error;
    EXPECT_NE(result.errors.find(said), std::string::npos) << result.errors;
    std::filesystem::remove_all(result.directory);
  }
}

/// Nothing is computed of a text, such as the options of a run: that of the run that writes a file counts.
TEST_F(StaticFields, that_are_texts_may_be_others_in_a_run_that_continues) {
  const std::string configuration = configuration_with_label();
  const auto files_with = [&](const std::string& label) {
    SimulatedRun run = RunOf{configuration}.in_layout(1, 1, 0);
    run.largest_packed_bytes = 64;
    StaticModel model;
    model.label = label;
    run.model = model;
    const SimulatedResult result = testing::simulate(run);
    EXPECT_EQ(result.errors, "");
    std::filesystem::remove_all(result.directory);
    return result.files;
  };
  const auto first = files_with("the first text"), second = files_with("the second text");
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const std::int64_t cut = 1 + static_cast<std::int64_t>(seed % 12);
    SCOPED_TRACE("cut after step " + std::to_string(cut) + ", seed " + std::to_string(seed));
    StaticModel before;
    before.label = "the first text";
    before.checkpoints = {cut};
    before.steps = varying_steps(static_cast<int>(cut) + 1);
    const SimulatedResult killed = simulate(seed, before, configuration);
    SimulatedRun next = any_run(seed + 50, configuration);
    next.directory = killed.directory;
    StaticModel again{.ranks = next.ranks};
    again.continue_after = cut;
    again.label = "the second text";
    again.hands_over_again = seed % 4 > 0;
    next.model = again;

    const SimulatedResult result = testing::simulate(next);

    EXPECT_EQ(result.errors, "");
    std::size_t of_second = 0;
    for (const auto& [name, bytes] : second) {
      const auto found = result.files.find(name);
      ASSERT_NE(found, result.files.end()) << name;
      EXPECT_TRUE(found->second == bytes || found->second == first.at(name)) << name;
      of_second += found->second == bytes && bytes != first.at(name) ? 1 : 0;
    }
    EXPECT_EQ(of_second > 0, again.hands_over_again);
    std::filesystem::remove_all(result.directory);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST_F(StaticFields, that_are_texts_are_those_of_the_run_before_if_no_step_comes) {
  StaticModel before;
  before.label = "the first text";
  before.checkpoints = {4};
  before.steps = varying_steps(5);
  const SimulatedResult killed = simulate(2, before, configuration_with_label());
  SimulatedRun next = any_run(7, configuration_with_label());
  next.directory = killed.directory;
  StaticModel again{.ranks = next.ranks};
  again.continue_after = 4;
  again.label = "the second text";
  again.steps = varying_steps(4);
  next.model = again;

  const SimulatedResult result = testing::simulate(next);

  EXPECT_EQ(result.errors, "");
  EXPECT_EQ(result.model_errors, std::vector<std::string>(next.ranks));
  for (const auto& [name, bytes] : result.files) {
    EXPECT_EQ(bytes.find("the second text"), std::string::npos) << name;
    if (name.find("labelled") == name.npos) continue;
    EXPECT_NE(bytes.find("the first text"), std::string::npos) << name;
  }
  std::filesystem::remove_all(result.directory);
}

TEST_F(StaticFields, that_are_forgotten_are_named_on_every_rank_alike) {
  SimulatedRun run = any_run(3);
  run.ranks = 3;
  StaticModel model{.ranks = 3};
  model.forgets = true;
  run.model = model;

  const SimulatedResult result = testing::simulate(run);

  ASSERT_EQ(result.model_errors.size(), 3U);
  for (const std::string& error : result.model_errors)
    EXPECT_EQ(error,
              "pileus_end: the first step lacks the static field \"mask\", which no later step takes; "
              "put it, and end the step then");
  std::filesystem::remove_all(result.directory);
}

}  // namespace
}  // namespace pileus::testing
