#include "output/write_parts.h"

#include <gtest/gtest.h>

#include <cstring>

#include "output/testing/memory_files.h"
#include "output/testing/small_plan.h"

namespace pileus::testing {
namespace {

using Calls = std::vector<MemoryFiles::Call>;

Record part(std::vector<Index> start, std::vector<Index> count, double first) {
  return {VariableId(0), {}, {start, count}, numbers(count, first), nullptr};
}

template <class T>
std::vector<T> contents(const MemoryFiles& disk) {
  const Bytes& file = disk.files.at("f");
  const auto* first = reinterpret_cast<const T*>(file.data());
  return {first, first + file.size() / sizeof(T)};
}

template <class T>
Array array_of(ElementType type, std::vector<T> values) {
  auto owner = std::make_shared<std::vector<T>>(std::move(values));
  const auto* first = reinterpret_cast<const std::byte*>(owner->data());
  return {type, {static_cast<Index>(owner->size())}, std::shared_ptr<const std::byte>(owner, first)};
}

class WriteParts : public ::testing::Test {
 protected:
  WriteParts() { disk_.files["f"] = {}; }
  void write(const RecordPlacement& placement, const std::vector<Record>& parts,
             ElementType type = ElementType::float64) {
    write_parts(*disk_.open_parts("f"), placement, parts, type);
  }
  MemoryFiles disk_;
};

TEST_F(WriteParts, neighbours_go_out_as_one_write_whatever_their_order) {
  const RecordPlacement placement{{{0, {{0, 0}, {2, 2}}}}};

  write(placement, {part({1, 0}, {1, 2}, 10), part({0, 0}, {1, 2}, 0)});

  // Column x = 0 holds 0, 1, column x = 1 holds 10, 11; x is the fastest.
  EXPECT_EQ(contents<double>(disk_), (std::vector<double>{0, 10, 1, 11}));
  EXPECT_EQ(disk_.writes, (Calls{{"f", 0, 32}}));
}

TEST_F(WriteParts, gaps_between_parts_are_left_alone) {
  const RecordPlacement placement{{{8, {{0, 0}, {2, 2}}}}};
  disk_.files["f"] = Bytes(40, std::byte{0});

  write(placement, {part({0, 0}, {1, 2}, 5)});

  EXPECT_EQ(contents<double>(disk_), (std::vector<double>{0, 5, 0, 6, 0}));
  EXPECT_EQ(disk_.writes, (Calls{{"f", 8, 8}, {"f", 24, 8}}));
}

TEST_F(WriteParts, blocks_that_lie_one_behind_the_other_are_one_write) {
  const RecordPlacement placement{{{0, {{0}, {2}}}, {16, {{2}, {2}}}, {100, {{4}, {1}}}}};

  write(placement, {part({0}, {5}, 1)});

  EXPECT_EQ(disk_.writes, (Calls{{"f", 0, 32}, {"f", 100, 8}}));
}

TEST_F(WriteParts, gathers_no_more_than_one_mebibyte) {
  // 0.5 MiB each: two fit together, the third goes alone.
  constexpr Index kHalf = 65536;
  const RecordPlacement placement{{{0, {{0}, {3 * kHalf}}}}};

  write(placement, {part({0}, {kHalf}, 0), part({kHalf}, {kHalf}, 0), part({2 * kHalf}, {kHalf}, 0)});

  EXPECT_EQ(disk_.writes, (Calls{{"f", 0, 1 << 20}, {"f", 1 << 20, 1 << 19}}));
}

TEST_F(WriteParts, a_long_run_between_short_ones_keeps_its_place) {
  constexpr Index kLong = 131072;  // 1 MiB
  const RecordPlacement placement{{{0, {{0}, {kLong + 2}}}}};

  write(placement, {part({kLong + 1}, {1}, -2), part({1}, {kLong}, 1), part({0}, {1}, 0)});

  const std::vector<double> values = contents<double>(disk_);
  EXPECT_EQ(values[0], 0);
  EXPECT_EQ(values[1], 1);
  EXPECT_EQ(values[kLong], kLong);
  EXPECT_EQ(values[kLong + 1], -2);
}

TEST_F(WriteParts, an_empty_part_and_no_parts_write_nothing) {
  const RecordPlacement placement{{{0, {{0, 0}, {2, 2}}}}};

  write(placement, {});
  write(placement, {part({0, 0}, {0, 2}, 0)});

  EXPECT_TRUE(disk_.writes.empty());
}

TEST_F(WriteParts, a_scalar_is_written_at_its_place) {
  write({{{16, {{}, {}}}}}, {part({}, {}, 7)});

  EXPECT_EQ(contents<double>(disk_), (std::vector<double>{0, 0, 7}));
}

TEST_F(WriteParts, a_part_without_a_value_becomes_missing_values_of_the_type) {
  const RecordPlacement placement{{{0, {{0}, {2}}}}};
  const std::vector<Record> parts = {{VariableId(0), {}, {{0}, {2}}, std::nullopt, nullptr}};

  // The numbers are NC_FILL_DOUBLE, _FLOAT and _INT of netCDF, and -2^63 + 2.
  write(placement, parts, ElementType::float64);
  EXPECT_EQ(contents<double>(disk_), (std::vector<double>(2, 9.9692099683868690e+36)));
  disk_.files["f"].clear();
  write(placement, parts, ElementType::float32);
  EXPECT_EQ(contents<float>(disk_), (std::vector<float>(2, 9.9692099683868690e+36F)));
  disk_.files["f"].clear();
  write(placement, parts, ElementType::int32);
  EXPECT_EQ(contents<std::int32_t>(disk_), (std::vector<std::int32_t>(2, -2147483647)));
  disk_.files["f"].clear();
  write(placement, parts, ElementType::int64);
  EXPECT_EQ(contents<std::int64_t>(disk_), (std::vector<std::int64_t>(2, INT64_MIN + 2)));
}

TEST_F(WriteParts, parts_are_cast_to_the_type_of_the_file) {
  const RecordPlacement placement{{{4, {{0}, {3}}}}};

  write(placement, {part({0}, {3}, 1.5)}, ElementType::float32);

  EXPECT_EQ(contents<float>(disk_), (std::vector<float>{0, 1.5F, 2.5F, 3.5F}));
}

TEST(CastTo, shares_the_bytes_where_the_type_is_right_already) {
  const Array array = numbers({3}, 0);

  EXPECT_EQ(cast_to(array, ElementType::float64).bytes, array.bytes);
}

TEST(CastTo, converts_between_all_pairs_of_types) {
  const std::vector<Array> arrays = {array_of<double>(ElementType::float64, {-2, 3}),
                                     array_of<float>(ElementType::float32, {-2, 3}),
                                     array_of<std::int32_t>(ElementType::int32, {-2, 3}),
                                     array_of<std::int64_t>(ElementType::int64, {-2, 3})};

  for (const Array& from : arrays) {
    for (const Array& to : arrays) {
      const Array cast = cast_to(from, to.type);

      EXPECT_EQ(cast.type, to.type);
      EXPECT_EQ(cast.extents, to.extents);
      EXPECT_EQ(std::memcmp(cast.bytes.get(), to.bytes.get(), to.size_bytes()), 0);
    }
  }
}

TEST(CastTo, rounds_to_float_and_cuts_to_integers) {
  const Array array = array_of<double>(ElementType::float64, {1 + 0x1p-30, -2.75});

  // 1 + 2^-30 lies nearer to 1 than to the next float, 1 + 2^-23.
  EXPECT_EQ(cast_to(array, ElementType::float32).as<float>()[0], 1.0F);
  EXPECT_EQ(cast_to(array, ElementType::int32).as<std::int32_t>()[1], -2);
}

}  // namespace
}  // namespace pileus::testing
