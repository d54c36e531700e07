#include "plugins/c_operators.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstring>

#include "core/error.h"

namespace pileus {
namespace {

using operators::Quantity;
using operators::Rule;
using operators::Type;

int released = 0;

/// Twice the field and the number, on a halo of one along its first dimension, with a new dimension behind.
std::int32_t prepare_twice(const pileus_operator_rule* rule, pileus_operator_prepared* prepared,
                           pileus_operator_error* error) {
  const char* const by = rule->parameter(rule->host, "by");
  if (std::strcmp(by, "7") == 0) {
    std::snprintf(error->parameter, sizeof error->parameter, "by");
    std::memset(error->text, 'x', sizeof error->text);  // no NUL at its end
    return 3;
  }
  EXPECT_EQ(rule->parameter(rule->host, "nothing"), nullptr);
  EXPECT_EQ(rule->input_of(rule->host, "by"), -1);
  const std::int32_t number = rule->input_of(rule->host, "field");
  EXPECT_EQ(number, 0);
  prepared->result = rule->input[number];
  prepared->result.type = PILEUS_OPERATOR_FLOAT;
  static const std::array<double, 2> kPlaces = {10, 20};
  prepared->result.dimensions[prepared->result.rank++] = {"more", 2, kPlaces.data(), nullptr};
  prepared->data = new double(std::stod(by));
  prepared->release = [](void* data) {
    ++released;
    delete static_cast<double*>(data);
  };
  prepared->working_bytes = 99;
  prepared->halos[0][0] = {1, 2, 1, 0};
  return 0;
}

std::int32_t compute_twice(void* data, std::int32_t inputs, const pileus_operator_part* input,
                           const pileus_operator_part* result, pileus_operator_error* error) {
  EXPECT_EQ(inputs, 1);
  const auto* const values = static_cast<const double*>(input[0].first);
  auto* const out = static_cast<float*>(result->first);
  if (values[0] < 0) {
    std::snprintf(error->text, sizeof error->text, "it is less than nothing");
    return 1;
  }
  for (std::int64_t i = 0; i < result->count[0]; ++i)
    out[i] = static_cast<float>(values[i] * *static_cast<double*>(data));
  return 0;
}

const std::array<pileus_operator_parameter, 2> kParameters = {
    {{"field", PILEUS_OPERATOR_NAME, 1, nullptr, nullptr, "what is doubled", nullptr},
     {"by", PILEUS_OPERATOR_NUMBER, 0, "2", nullptr, nullptr, "m"}}};
const pileus_operator kTwice = {"twice",       "Doubles.",   2, 1, kParameters.data(), "by",
                                prepare_twice, compute_twice};

operators::Operator twice() { return operators_of({PILEUS_OPERATOR_ABI, 1, &kTwice}).at(0); }

Rule rule_by(const std::string& number) {
  return {{{"field", "w"}, {"by", number}}, {{"w", Type::float64, {{"x", 4, {1, 2, 3, 4}, "m", {}}}, -9.0}}};
}

TEST(OperatorsInC, are_declared_as_those_of_cpp) {
  const operators::Operator one = twice();

  EXPECT_EQ(one.name, "twice");
  EXPECT_EQ(one.along, "by");
  EXPECT_TRUE(one.knows_missing);
  ASSERT_EQ(one.parameters.size(), 2u);
  EXPECT_EQ(one.parameters[1].default_value, "2");
  EXPECT_EQ(one.parameters[1].units, "m");
  EXPECT_EQ(one.parameters[1].kind, operators::ParameterKind::number);
  EXPECT_FALSE(one.parameters[1].required);
}

TEST(OperatorsInC, prepare_a_result_and_compute_it_and_release_their_data_once) {
  released = 0;
  {
    const operators::Prepared prepared = twice().prepare(rule_by("2"));
    const auto copy = prepared.compute;  // rules are copied into plans
    EXPECT_EQ(prepared.result.type, Type::float32);
    ASSERT_EQ(prepared.result.dimensions.size(), 2u);
    EXPECT_EQ(prepared.result.dimensions[0], rule_by("2").inputs[0].dimensions[0]);
    EXPECT_EQ(prepared.result.dimensions[1].coordinates, (std::vector<double>{10, 20}));
    EXPECT_EQ(prepared.result.missing, -9.0);
    EXPECT_EQ(prepared.working_bytes, 99u);
    ASSERT_EQ(prepared.halos.size(), 1u);
    EXPECT_EQ(prepared.halos[0].at(0), (operators::Halo{1, 2, true}));

    std::array<double, 2> values = {3, 4};
    std::array<float, 2> out = {};
    const operators::Region region{{1}, {2}};
    copy({{Type::float64, values.data(), region}}, {Type::float32, out.data(), region});
    EXPECT_EQ(out, (std::array<float, 2>{6, 8}));
    values[0] = -1;
    EXPECT_THROW(copy({{Type::float64, values.data(), region}}, {Type::float32, out.data(), region}),
                 UsageError);
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
}

TEST(OperatorsInC, name_the_parameter_that_is_wrong_with_a_text_of_any_length) {
  try {
    twice().prepare(rule_by("7"));
    FAIL();
  } catch (const operators::ParameterError& error) {
    EXPECT_EQ(error.parameter(), "by");
    EXPECT_EQ(std::string(error.what()), std::string(sizeof(pileus_operator_error::text), 'x'));
  }
}

TEST(OperatorsInC, refuse_tables_that_cannot_be) {
  const auto refused = [](const pileus_operator_table& table, const std::string& why) {
    try {
      operators_of(table);
      FAIL() << why;
    } catch (const PluginError& error) {
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
  };
  refused({PILEUS_OPERATOR_ABI + 1, 1, &kTwice}, "compile it again");
  refused({PILEUS_OPERATOR_ABI, 1, nullptr}, "none in it");
  pileus_operator other = kTwice;
  other.compute = nullptr;
  refused({PILEUS_OPERATOR_ABI, 1, &other}, "no function to compute");
  other = kTwice;
  other.parameter = nullptr;
  refused({PILEUS_OPERATOR_ABI, 1, &other}, "2 parameters");
  std::array<pileus_operator_parameter, 2> parameters = kParameters;
  parameters[1].kind = 77;
  other.parameter = parameters.data();
  refused({PILEUS_OPERATOR_ABI, 1, &other}, "kind 77");
}

TEST(OperatorsInC, refuse_results_that_cannot_be) {
  pileus_operator other = kTwice;
  other.prepare = [](const pileus_operator_rule*, pileus_operator_prepared* prepared,
                     pileus_operator_error*) {
    prepared->result.rank = PILEUS_OPERATOR_MOST_DIMENSIONS + 1;
    return 0;
  };
  EXPECT_THROW(operators_of({PILEUS_OPERATOR_ABI, 1, &other}).at(0).prepare(rule_by("1")), UsageError);
  other.prepare = [](const pileus_operator_rule*, pileus_operator_prepared* prepared,
                     pileus_operator_error*) {
    prepared->result.rank = 1;  // of a dimension without a name
    return 0;
  };
  EXPECT_THROW(operators_of({PILEUS_OPERATOR_ABI, 1, &other}).at(0).prepare(rule_by("1")), UsageError);
  other.prepare = [](const pileus_operator_rule*, pileus_operator_prepared* prepared,
                     pileus_operator_error*) {
    prepared->result.type = 9;
    return 0;
  };
  EXPECT_THROW(operators_of({PILEUS_OPERATOR_ABI, 1, &other}).at(0).prepare(rule_by("1")), UsageError);
}

TEST(OperatorsInC, are_refused_more_dimensions_than_they_can_have) {
  Rule rule = rule_by("1");
  for (int d = 0; d < PILEUS_OPERATOR_MOST_DIMENSIONS; ++d)
    rule.inputs[0].dimensions.push_back({"d" + std::to_string(d), 1, {}, {}, {}});

  EXPECT_THROW(twice().prepare(rule), UsageError);
}

}  // namespace
}  // namespace pileus
