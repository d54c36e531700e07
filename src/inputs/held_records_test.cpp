#include "inputs/held_records.h"

#include <gtest/gtest.h>

#include <cstring>

#include "core/error.h"

namespace pileus {
namespace {

ModelInput box(ElementType type, std::vector<Index> count) {
  ModelInput input;
  input.name = "theta";
  input.type = type;
  for (const Index n : count) {
    input.dimensions.push_back("d");
    input.sizes.push_back(n);
    input.region.add({0, n});
  }
  return input;
}

HeldRecords held(ModelInput input, std::int64_t ahead = 2) {
  return {std::move(input),
          {InputAxis({0, 10, 20, 30, 40, 50}, 50, true), ahead, ElementType::float64, "f: v"}};
}

void take(HeldRecords& records, std::int64_t record, const std::vector<double>& values) {
  records.take(record, std::as_bytes(std::span(values)));
}

TEST(HeldRecords, a_rank_asks_for_each_record_once_and_ahead) {
  HeldRecords records = held(box(ElementType::float64, {}));

  const auto first = records.advance(7, records.at(5));
  EXPECT_EQ(first->input, 7U);
  EXPECT_EQ(first->first, 0);
  EXPECT_EQ(first->count, 4);  // 0 and 1, and two ahead
  EXPECT_FALSE(records.advance(7, records.at(6)));
  const auto next = records.advance(7, records.at(12));
  EXPECT_EQ(next->first, 4);
  EXPECT_EQ(next->count, 1);
  const auto end = records.advance(7, records.at(45));
  EXPECT_EQ(end->first, 5);
  EXPECT_EQ(end->count, 1);
  EXPECT_FALSE(records.advance(7, records.at(50)));
}

TEST(HeldRecords, a_leap_forward_asks_for_what_lies_there_alone) {
  HeldRecords records = held(box(ElementType::float64, {}), 0);
  records.advance(0, records.at(0));

  const auto far = records.advance(0, records.at(41));

  EXPECT_EQ(far->first, 4);
  EXPECT_EQ(far->count, 2);
}

TEST(HeldRecords, older_records_are_let_go_and_late_ones_are_not_kept) {
  HeldRecords records = held(box(ElementType::float64, {}));
  records.advance(0, records.at(5));
  for (const int n : {0, 1, 2}) take(records, n, {1.0 * n});
  EXPECT_EQ(records.size_bytes(), 24U);

  records.advance(0, records.at(25));
  EXPECT_EQ(records.size_bytes(), 8U);
  take(records, 1, {1});
  EXPECT_EQ(records.size_bytes(), 8U);
  EXPECT_THROW(take(records, 6, {1}), TransportError);
  EXPECT_THROW(take(records, 3, {1, 2}), TransportError);
}

TEST(HeldRecords, a_value_lies_on_the_line_between_its_records) {
  HeldRecords records = held(box(ElementType::float64, {3}));
  const InputBracket bracket = records.at(2.5);
  records.advance(0, bracket);
  EXPECT_FALSE(records.has(bracket));
  take(records, 0, {0.1, 0.7, -3});
  EXPECT_FALSE(records.has(bracket));
  take(records, 1, {0.3, 0.7, 5});
  ASSERT_TRUE(records.has(bracket));
  double values[3] = {};

  records.write(bracket, reinterpret_cast<std::byte*>(values), {});

  EXPECT_EQ(values[0], 0.1 + 0.25 * (0.3 - 0.1));
  EXPECT_EQ(values[1], 0.7);
  EXPECT_EQ(values[2], -1);
}

TEST(HeldRecords, arrays_may_have_gaps_and_run_backwards) {
  HeldRecords records = held(box(ElementType::int32, {2, 2}));
  const InputBracket bracket = records.at(10);
  records.advance(0, bracket);
  take(records, 1, {1, 2, 3, 4});
  std::int32_t array[2][4] = {{9, 9, 9, 9}, {9, 9, 9, 9}};
  const Index strides[] = {8, -16};

  records.write(bracket, reinterpret_cast<std::byte*>(&array[1][0]), strides);

  const std::int32_t expected[2][4] = {{3, 9, 4, 9}, {1, 9, 2, 9}};
  EXPECT_EQ(std::memcmp(array, expected, sizeof array), 0);
}

TEST(HeldRecords, times_go_forward) {
  HeldRecords records = held(box(ElementType::float64, {}));
  records.advance(0, records.at(20));
  take(records, 2, {1});
  records.end(20);

  EXPECT_NO_THROW((void)records.at(20));
  EXPECT_THROW((void)records.at(19), UsageError);
}

TEST(HeldRecords, values_that_do_not_change_are_asked_for_at_once_and_again) {
  HeldRecords records(box(ElementType::float32, {2}), {InputAxis(), 0, ElementType::float32, "f: v"});

  EXPECT_EQ(records.first_wanted(0)->count, 1);
  EXPECT_FALSE(records.advance(0, {}));
  const std::vector<float> values = {1.5F, -2};
  records.take(0, std::as_bytes(std::span(values)));
  float got[2] = {};
  records.write({}, reinterpret_cast<std::byte*>(got), {});
  EXPECT_EQ(got[0], 1.5F);
  records.end(3);
  EXPECT_EQ(records.size_bytes(), 0U);
  EXPECT_EQ(records.advance(0, records.at(1))->first, 0);
}

}  // namespace
}  // namespace pileus
