#include "description/model_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "core/error.h"
#include "core/testing/temporary_directory.h"
#include "server/testing/small_model.h"

namespace pileus {
namespace {

/// Two ranks that have half of y each; the second one has a text besides, the first one a grid of its own.
ModelFile two_ranks() {
  ModelFile file;
  file.servers = 2;
  file.timestep_s = 0.1;
  file.start_time_s = 3600;
  file.has_initial_state = true;
  for (Index rank = 0; rank < 2; ++rank) {
    RankDescription one;
    one.dimensions = {{"z", 3, {10, 20, 30}, "m", {5, 15, 15, 25, 25, 35}}, {"y", 4, {}, ""}};
    one.fields = {{"w", ElementType::float64, {"z", "y"}, {{0, 2 * rank}, {3, 2}}},
                  {"dt", ElementType::float32, {}, {}},
                  {"own", ElementType::int64, {}, {{0}, {5 + rank}}}};
    one.fields[1].metadata = {"s", "", "length of the step"};
    one.options = {{"x_size", "64"}, {"name", "a \"case\""}};
    one.calendar = "noleap";
    one.epoch = "1850-01-01 00:00:00";
    file.model.ranks.push_back(one);
  }
  file.model.ranks[1].dimensions.push_back({"string_8", 8, {}, ""});
  file.model.ranks[1].fields.push_back({"label", ElementType::character, {"string_8"}, {{0}, {8}}});
  return file;
}

void expect_equal(const ModelFile& a, const ModelFile& b) {
  EXPECT_EQ(a.servers, b.servers);
  EXPECT_EQ(a.timestep_s, b.timestep_s);
  EXPECT_EQ(a.start_time_s, b.start_time_s);
  EXPECT_EQ(a.has_initial_state, b.has_initial_state);
  ASSERT_EQ(a.model.ranks.size(), b.model.ranks.size());
  for (std::size_t r = 0; r < a.model.ranks.size(); ++r) {
    const RankDescription &mine = a.model.ranks[r], &others = b.model.ranks[r];
    EXPECT_EQ(mine.dimensions, others.dimensions);
    EXPECT_EQ(mine.points, others.points);
    EXPECT_EQ(mine.fields, others.fields);
    EXPECT_EQ(mine.options, others.options);
    EXPECT_EQ(mine.calendar, others.calendar);
    EXPECT_EQ(mine.epoch, others.epoch);
  }
}

std::string error_of(const std::string& text) {
  try {
    read_model_file(text, "model.json");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

std::string with(const std::string& was, const std::string& is) {
  std::string text = R"({
  "servers": 1,
  "options": {"x_size": "8"},
  "dimensions": [{"name": "x", "size": 8}],
  "fields": [{"name": "u", "type": "double", "dimensions": ["x"]}],
  "ranks": [{"fields": {"u": {"start": [0], "count": [8]}}}]
})";
  const std::size_t at = text.find(was);
  EXPECT_NE(at, text.npos) << was;
  return text.replace(at, was.size(), is);
}

TEST(ModelFileTest, what_is_written_is_read_again) {
  const ModelFile file = two_ranks();

  const ModelFile again = read_model_file(model_file_text(file), "model.json");

  expect_equal(again, file);
}

TEST(ModelFileTest, points_are_read_again_and_may_be_more_than_a_dimension_has) {
  ModelFile file = two_ranks();
  for (RankDescription& rank : file.model.ranks) {
    rank.points = {{"cells", {"z", "y"}, true}};
    rank.fields.push_back({"t", ElementType::float64, {"z", "y"}, {{0, 0}, {6, 1}}});
    rank.fields.back().points = 0;
  }

  expect_equal(read_model_file(model_file_text(file), "model.json"), file);
  const std::string text = with(R"("dimensions": ["x"]})", R"("dimensions": ["x"], "points": "cells"})");
  EXPECT_NE(error_of(text).find("no points of this name"), std::string::npos) << error_of(text);
}

TEST(ModelFileTest, what_all_ranks_have_in_common_stands_there_once) {
  ModelFile file = two_ranks();
  file.model.ranks[1] = file.model.ranks[0];

  const std::string text = model_file_text(file);

  EXPECT_EQ(text.find("\"bounds\""), text.rfind("\"bounds\""));
}

TEST(ModelFileTest, a_file_that_is_no_json_is_named_with_line_and_column) {
  const std::string error = error_of("{\n  \"servers\": 1,,\n}");

  EXPECT_EQ(error.substr(0, 18), "model.json:2:16: s") << error;
}

TEST(ModelFileTest, every_mistake_is_named_with_its_place) {
  const std::pair<std::pair<const char*, const char*>, const char*> mistakes[] = {
      {{"\"servers\"", "\"server\""}, "unknown key \"server\"; did you mean \"servers\"?"},
      {{"\"servers\": 1", "\"servers\": 0"}, "servers: is 0; expected 1 to"},
      {{"\"servers\": 1", "\"servers\": 1.5"}, "servers: expected a whole number"},
      {{"\"8\"", "8"}, "options.x_size: expected a text"},
      {{"\"size\": 8", "\"size\": 7"}, "ranks[0].fields.u: reaches beyond dimension x, whose size is 7"},
      {{"\"type\": \"double\"", "\"type\": \"duble\""},
       "fields[0].type: unknown type \"duble\"; did you mean"},
      {{"\"type\": \"double\", ", ""}, "fields[0]: \"type\" is missing"},
      {{"[\"x\"]", "[\"y\"]"}, "ranks[0].fields.u: has the unknown dimension \"y\""},
      {{"{\"u\": {", "{\"v\": {"}, "ranks[0].fields.v: no field of this name"},
      {{"\"count\": [8]", "\"count\": [8, 1]"}, "ranks[0].fields.u: has not as many starts as counts"},
      {{"\"count\": [8]", "\"count\": [-1]"}, "ranks[0].fields.u.count[0]: is -1; expected 0 to"},
      {{"[{\"fields\": {\"u\": {\"start\": [0], \"count\": [8]}}}]", "[]"}, "ranks: the model has no ranks"},
      {{"\"servers\": 1", "\"calendar\": \"nolep\""}, "calendar: unknown calendar \"nolep\"; did you mean"},
      {{"\"servers\": 1", "\"timestep_s\": 0"}, "timestep_s: expected seconds from 1e-9 to 1e15"},
      {{"\"servers\": 1", "\"timestep_s\": 1e-300"}, "timestep_s: expected seconds from 1e-9 to 1e15"},
      {{"\"servers\": 1", "\"servers\": 65537"}, "servers: "},
  };

  for (const auto& [change, expected] : mistakes) {
    const std::string error = error_of(with(change.first, change.second));

    EXPECT_EQ(error.substr(0, 12), "model.json: ") << error;
    EXPECT_NE(error.find(expected), std::string::npos) << error;
  }
}

TEST(ModelFileTest, the_example_of_these_mistakes_has_none) {
  EXPECT_EQ(error_of(with("\"servers\": 1", "\"servers\": 3")), "");
}

TEST(ModelFileTest, a_path_that_cannot_be_written_is_named_with_the_reason) {
  std::string error;

  try {
    write_model_file("/nowhere/at/all/model.json", two_ranks(), two_ranks().model);
  } catch (const OutputError& problem) {
    error = problem.what();
  }

  EXPECT_EQ(error,
            "/nowhere/at/all/model.json: could not write the model's description: No such file or directory");
}

/// A run with the path in the environment; what the file held after it.
class DescribedRun : public ::testing::Test {
 protected:
  void SetUp() override { setenv("PILEUS_DESCRIBE_MODEL", path_.c_str(), 1); }
  void TearDown() override { unsetenv("PILEUS_DESCRIBE_MODEL"); }

  testing::SimulatedRun run_of(const std::string& files) const {
    testing::SimulatedRun run;
    run.configuration = R"(<io-configuration><data-definition name="raw" frequency="1">
      <field name="w" type="array" data_type="double" size="z,y,x" collective="true"/></data-definition>
      <data-writing>)" + files +
                        "</data-writing></io-configuration>";
    run.ranks = 3;
    run.servers = 2;
    testing::SmallModel model;
    model.ranks = 3;
    model.has_kinds = true;
    run.model = model;
    return run;
  }
  ModelFile written() const {
    std::ifstream in(path_);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    return read_model_file(text, path_);
  }

  testing::TemporaryDirectory directory_;
  std::string path_ = directory_.path("model.json");
};

TEST_F(DescribedRun, holds_what_every_rank_registered_and_the_first_step) {
  const testing::SimulatedResult result = testing::simulate(run_of(
      R"(<file name="f.nc" write_time_frequency="40">
        <include field="w" time_manipulation="averaged" output_frequency="20"/></file>)"));

  const ModelFile file = written();
  EXPECT_EQ(result.errors, "");
  EXPECT_EQ(file.servers, 2U);
  EXPECT_EQ(file.timestep_s, 2.0);  // as varying_steps has it
  EXPECT_EQ(file.start_time_s, 0.0);
  ASSERT_EQ(file.model.ranks.size(), 3U);
  EXPECT_EQ(file.model.ranks[0].options.at("x_size"), "11");
  Index elements = 0;
  for (const RankDescription& rank : file.model.ranks) {
    EXPECT_EQ(rank.fields.size(), 6U);
    elements += rank.fields[0].region.size();
  }
  EXPECT_EQ(elements, testing::kNz * testing::kNy * testing::kNx);
}

TEST_F(DescribedRun, is_written_though_the_configuration_is_wrong) {
  const testing::SimulatedResult result = testing::simulate(run_of(
      R"(<file name="f.nc" write_time_frequency="40">
        <include field="ww" time_manipulation="averaged" output_frequency="20"/></file>)"));

  EXPECT_NE(result.errors, "");
  EXPECT_FALSE(written().timestep_s);
}

TEST_F(DescribedRun, is_written_where_the_environment_says_whatever_the_model_says) {
  testing::SimulatedRun run = run_of("");
  testing::SmallModel model;
  model.ranks = 3;
  model.describe_model = directory_.path("models_own.json");
  run.model = model;

  testing::simulate(run);
  EXPECT_EQ(written().model.ranks.size(), 3U);
  EXPECT_FALSE(std::ifstream(model.describe_model).good());
  unsetenv("PILEUS_DESCRIBE_MODEL");
  path_ = model.describe_model;
  testing::simulate(run);
  EXPECT_EQ(written().model.ranks.size(), 3U);
}

TEST_F(DescribedRun, is_refused_where_the_description_cannot_be_written) {
  setenv("PILEUS_DESCRIBE_MODEL", "/nowhere/at/all/model.json", 1);

  const testing::SimulatedResult result = testing::simulate(run_of(
      R"(<file name="f.nc" write_time_frequency="40">
        <include field="w" time_manipulation="averaged" output_frequency="20"/></file>)"));

  EXPECT_NE(result.errors.find("/nowhere/at/all/model.json: could not write the model's description"),
            std::string::npos)
      << result.errors;
}

}  // namespace
}  // namespace pileus
