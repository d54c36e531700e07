#include "inputs/declared/planned_inputs.h"

#include <gtest/gtest.h>

#include "inputs/declared/served_inputs.h"

namespace pileus {
namespace {

/// A file with the variables w(time, z, y, x) and map(y, x).
class OneFile : public InputSource {
 public:
  explicit OneFile(InputHeader header) : header_(std::move(header)) {}
  InputHeader header(const std::string& variable) override {
    if (variable != header_.variable) throw UsageError(header_.file + ": it has no variable " + variable);
    return header_;
  }
  void read(const InputHeader&, Index, const Region&, std::span<double>) override {}

 private:
  InputHeader header_;
};

InputHeader file_of(std::vector<InputDimension> dimensions, bool has_time = true) {
  InputHeader header;
  header.file = "forcing.nc";
  header.variable = "w";
  header.units = "m s-1";
  header.dimensions = std::move(dimensions);
  header.has_time = has_time;
  header.time_units = "s";
  if (has_time) header.times = {0, 10};
  return header;
}

InputConfig input_config() {
  InputConfig input;
  input.name = {"w", {"run.xml", 3, 10}};
  input.file = {"forcing.nc", {"run.xml", 3, 20}};
  input.where = {"run.xml", 3, 3};
  return input;
}

struct Planned {
  std::vector<PlannedInput> inputs;
  Findings findings;
};

Planned plan(const InputConfig& input, const InputHeader& header) {
  Config config;
  config.inputs = {input};
  Planned out;
  out.inputs = plan_inputs(
      config, InputClock(), [&](const std::string&) { return std::make_unique<OneFile>(header); },
      out.findings);
  return out;
}

ModelInput model_input(std::vector<Index> sizes) {
  ModelInput input;
  input.name = "w";
  const char* const names[] = {"x", "y", "z"};
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    input.dimensions.push_back(names[d]);
    input.region.add({0, sizes[d]});
  }
  input.sizes = std::move(sizes);
  return input;
}

LinkRows no_links(const std::string& path, Index, Index, Index, Index) {
  throw UsageError(path + ": there is no such file");
}

std::string refusal(const std::vector<PlannedInput>& planned, const ModelInput& input) {
  try {
    (void)served_inputs(planned, std::vector{input}, no_links);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(PlannedInputs, an_input_knows_its_records_and_their_bytes) {
  const Planned planned = plan(input_config(), file_of({{"x", 4}, {"y", 3}}));

  ASSERT_EQ(planned.findings.text(), "");
  ASSERT_EQ(planned.inputs.size(), 1U);
  EXPECT_EQ(planned.inputs[0].axis.size(), 2);
  EXPECT_EQ(planned.inputs[0].record_bytes(), 96U);
  EXPECT_EQ(planned.inputs[0].records_at_once(), 4U);
}

TEST(PlannedInputs, what_does_not_change_is_not_interpolated) {
  InputConfig input = input_config();
  input.interpolate = {"linear", {"run.xml", 3, 40}};

  const Planned planned = plan(input, file_of({{"x", 4}}, false));

  EXPECT_TRUE(planned.inputs.empty());
  EXPECT_EQ(planned.findings.text(),
            "run.xml:3:40: error: input \"w\": forcing.nc: its variable \"w\" has no time, so that there is "
            "nothing to "
            "interpolate: leave the attribute out");
}

TEST(PlannedInputs, a_variable_that_is_not_there_is_an_error_at_its_place) {
  InputConfig input = input_config();
  input.field = {"v", {"run.xml", 3, 60}};

  const Planned planned = plan(input, file_of({}));

  EXPECT_EQ(planned.findings.text(), "run.xml:3:60: error: input \"w\": forcing.nc: it has no variable v");
}

TEST(ServedInputs, each_rank_gets_its_part_and_single_values_may_be_left_out) {
  const Planned planned = plan(input_config(), file_of({{"lon", 1}, {"lat", 1}, {"lev", 6}}));
  ModelInput input = model_input({6});
  input.region = {{2}, {3}};

  const auto served = served_inputs(planned.inputs, std::vector{input}, no_links);

  EXPECT_EQ(served.at(0)->part, (Region{{0, 0, 2}, {1, 1, 3}}));
  EXPECT_EQ(served.at(0)->record_bytes(), 24U);
}

TEST(ServedInputs, other_sizes_are_refused_with_both) {
  const Planned planned = plan(input_config(), file_of({{"x", 4}, {"y", 3}}));

  EXPECT_EQ(
      refusal(planned.inputs, model_input({3, 4})),
      "run.xml:3:3: error: input \"w\": forcing.nc: its variable \"w\" has (y 3, x 4) beside time, and the "
      "model "
      "takes (y 4, x 3), slowest first; bring its dimensions into this order (ncpdq, xarray's transpose)");
  EXPECT_NE(refusal(planned.inputs, model_input({4})), "");
  EXPECT_NE(refusal(planned.inputs, model_input({4, 3, 2})), "");
  EXPECT_EQ(refusal(planned.inputs, model_input({4, 3})), "");
}

TEST(ServedInputs, units_are_converted_or_refused) {
  const Planned planned = plan(input_config(), file_of({}));
  ModelInput input = model_input({});
  input.units = "cm s-1";

  const auto served = served_inputs(planned.inputs, std::vector{input}, no_links);

  EXPECT_DOUBLE_EQ(served.at(0)->factor, 100);
  input.units = "K";
  EXPECT_NE(refusal(planned.inputs, input).find("is in \"m s-1\", and the model takes it in \"K\""),
            std::string::npos);
}

TEST(ServedInputs, floats_stay_floats_unless_they_are_converted) {
  InputHeader header = file_of({});
  header.is_float = true;
  const Planned planned = plan(input_config(), header);
  ModelInput input = model_input({});

  EXPECT_EQ(served_inputs(planned.inputs, std::vector{input}, no_links)[0]->brought.wire_type,
            ElementType::float32);
  input.units = "cm s-1";
  EXPECT_EQ(served_inputs(planned.inputs, std::vector{input}, no_links)[0]->brought.wire_type,
            ElementType::float64);
}

TEST(ServedInputs, whole_numbers_are_not_interpolated) {
  InputHeader header = file_of({});
  header.is_whole = true;
  InputConfig config = input_config();
  ModelInput input = model_input({});
  input.type = ElementType::int32;

  EXPECT_NE(refusal(plan(config, header).inputs, input).find("cannot be interpolated"), std::string::npos);
  config.interpolate = {"none", {"run.xml", 3, 40}};
  EXPECT_EQ(refusal(plan(config, header).inputs, input), "");
  header.is_whole = false;
  EXPECT_NE(refusal(plan(config, header).inputs, input).find("has no whole numbers"), std::string::npos);
}

TEST(ServedInputs, what_the_configuration_does_not_bring_is_none_and_what_nobody_asks_for_is_told) {
  const Planned planned = plan(input_config(), file_of({}));
  ModelInput other = model_input({});
  other.name = "ww";

  EXPECT_EQ(served_inputs(planned.inputs, std::vector{other}, no_links).at(0), nullptr);
  EXPECT_EQ(unused_inputs(planned.inputs, std::vector{other}),
            std::vector<std::string>{"run.xml:3:3: the model asks for no input \"w\"; did you mean \"ww\"?"});
}

}  // namespace
}  // namespace pileus
