#include "publishing/parts/write_parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "disk/testing/memory_files.h"
#include "files/testing/small_plan.h"

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

class WriteParts : public ::testing::Test {
 protected:
  WriteParts() { disk_.files["f"] = {}; }
  void write(const RecordPlacement& placement, const std::vector<Record>& parts,
             ElementType type = ElementType::float64) {
    const ValueLayout layout{type};
    write_parts(*disk_.open_parts("f"), {{placement, parts, layout}});
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

TEST_F(WriteParts, of_a_slab_only_what_lies_in_it_is_written) {
  // A record of 2 x 3 x 4; the slab is rows 1 and 2 of the level z = 1. Each part holds one x.
  const RecordPlacement placement{{{0, {{0, 0, 0}, {2, 3, 4}}}}};
  const Region slab{{0, 1, 1}, {2, 2, 1}};
  const std::vector<Record> parts = {part({0, 0, 0}, {1, 3, 4}, 0), part({1, 0, 0}, {1, 3, 4}, 100)};
  for (const ElementType type : {ElementType::float64, ElementType::float32}) {
    disk_.files["f"] = Bytes(24 * size_bytes(type), std::byte{0});
    disk_.writes.clear();
    const ValueLayout layout{type};

    write_parts(*disk_.open_parts("f"), {{placement, parts, layout, &slab}});

    // Row y = 1 of level 1 has number 4 in each part, and place 2 * (3 + 1) in the record.
    EXPECT_EQ(disk_.writes, (Calls{{"f", 8 * size_bytes(type), 4 * size_bytes(type)}}));
    if (type == ElementType::float64) {
      const std::vector<double> numbers = contents<double>(disk_);
      EXPECT_EQ(std::vector<double>(numbers.begin() + 8, numbers.begin() + 12),
                (std::vector<double>{4, 104, 5, 105}));
    }
  }
}

TEST_F(WriteParts, a_part_that_reaches_beyond_the_slab_is_cut_where_it_lies_in_memory) {
  const RecordPlacement placement{{{0, {{0, 0}, {2, 4}}}}};
  const Region slab{{0, 2}, {2, 2}};

  const std::vector<Record> parts = {part({0, 0}, {2, 4}, 10)};
  const ValueLayout layout{};
  write_parts(*disk_.open_parts("f"), {{placement, parts, layout, &slab}});

  EXPECT_EQ(disk_.writes, (Calls{{"f", 32, 32}}));
  EXPECT_EQ(contents<double>(disk_), (std::vector<double>{0, 0, 0, 0, 14, 15, 16, 17}));
}

/// Notes where in memory the pieces are that are written together.
class PiecesSeen : public PartFile {
 public:
  void write_at(std::uint64_t, std::span<const std::byte> bytes) override { seen.push_back(bytes.data()); }
  void write_pieces_at(std::uint64_t, std::span<const std::span<const std::byte>> pieces) override {
    for (const std::span<const std::byte> piece : pieces) seen.push_back(piece.data());
  }
  void sync() override {}
  std::vector<const std::byte*> seen;
};

TEST_F(WriteParts, pages_of_several_parts_are_written_from_where_they_are) {
  // Two parts that lie beside each other in three rows: each row of each is a page of 512 doubles.
  constexpr Index kRow = 1024;
  const RecordPlacement placement{{{0, {{0, 0}, {kRow, 3}}}}};
  const std::vector<Record> parts = {part({0, 0}, {512, 3}, 0), part({512, 0}, {512, 3}, 0)};
  PiecesSeen file;

  write_parts(file, {{placement, parts, ValueLayout{}}});

  std::vector<const std::byte*> expected;
  for (std::size_t row = 0; row < 3; ++row) {
    for (const Record& part : parts) expected.push_back(part.value->bytes.get() + row * 512 * sizeof(double));
  }
  EXPECT_EQ(file.seen, expected);
}

TEST_F(WriteParts, parts_of_any_width_beside_each_other_are_the_record) {
  std::mt19937 random(20261126);
  for (int round = 0; round < 50; ++round) {
    // Rows of up to 24 KiB in parts: some shorter than a page, some longer.
    const Index row = 1 + static_cast<Index>(random() % 3000), rows = 1 + static_cast<Index>(random() % 80);
    std::vector<Record> parts;
    for (Index first = 0; first < row;) {
      const Index width = std::min<Index>(row - first, 1 + static_cast<Index>(random() % 900));
      std::vector<double> values;
      for (Index r = 0; r < rows; ++r) {
        for (Index x = 0; x < width; ++x) values.push_back(static_cast<double>(r * row + first + x));
      }
      const Region region{{first, 0}, {width, rows}};
      parts.push_back({VariableId(0), {}, region, make_array(values, {width, rows}), nullptr});
      first += width;
    }
    std::ranges::shuffle(parts, random);
    disk_.files["f"].clear();
    disk_.writes.clear();

    write({{{0, {{0, 0}, {row, rows}}}}}, parts);

    const std::vector<double> found = contents<double>(disk_);
    ASSERT_EQ(std::ssize(found), row * rows);
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], static_cast<double>(i)) << round;
    for (const auto& call : disk_.writes) EXPECT_LE(call.length, std::size_t{1} << 20);
    EXPECT_LE(std::ssize(disk_.writes), 1 + row * rows * 8 / (900 << 10));
  }
}

TEST_F(WriteParts, gathers_no_more_than_one_mebibyte) {
  // 0.5 MiB each: two fit together, the third goes alone.
  constexpr Index kHalf = 65536;
  const RecordPlacement placement{{{0, {{0}, {3 * kHalf}}}}};

  write(placement, {part({0}, {kHalf}, 0), part({kHalf}, {kHalf}, 0), part({2 * kHalf}, {kHalf}, 0)});

  EXPECT_EQ(disk_.writes, (Calls{{"f", 0, 1 << 20}, {"f", 1 << 20, 1 << 19}}));
}

TEST_F(WriteParts, a_long_stretch_between_short_ones_keeps_its_place) {
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

TEST_F(WriteParts, neighbours_of_several_records_are_one_write_of_up_to_1_MiB) {
  // Five records of 300 000 bytes, one behind the other: three of them are no more than 1 MiB.
  std::vector<RecordPlacement> placements;
  std::vector<std::vector<Record>> parts;
  for (Index r = 0; r < 5; ++r) {
    placements.push_back({{{static_cast<std::uint64_t>(300000 * r), {{0}, {37500}}}}});
    parts.push_back({part({0}, {37500}, static_cast<double>(r))});
  }
  const ValueLayout layout;
  std::vector<PlacedParts> records;
  for (std::size_t r = 0; r < 5; ++r) records.push_back({placements[r], parts[r], layout});

  write_parts(*disk_.open_parts("f"), records);

  EXPECT_EQ(disk_.writes, (std::vector<MemoryFiles::Call>{{"f", 0, 900000}, {"f", 900000, 600000}}));
}

TEST_F(WriteParts, parts_are_turned_to_the_order_of_the_file_band_by_band) {
  // 600 x 700 x 3 in memory, 10 MB: more than one band. In the file the order is the other way round.
  const std::vector<Index> in_file = {3, 700, 600};
  const RecordPlacement placement{{{0, {{0, 0, 0}, in_file}}}};
  ValueLayout layout;
  layout.axes = {2, 1, 0};
  const auto part_of = [](Index start, Index count) {
    std::vector<double> values;
    for (Index z = 0; z < 3; ++z) {
      for (Index y = 0; y < 700; ++y) {
        for (Index x = start; x < start + count; ++x)
          values.push_back(static_cast<double>(1000000 * z + 1000 * y + x));
      }
    }
    return Record{
        VariableId(0), {}, {{start, 0, 0}, {count, 700, 3}}, make_array(values, {count, 700, 3}), nullptr};
  };

  const std::vector<Record> parts = {part_of(0, 411), part_of(411, 189)};
  write_parts(*disk_.open_parts("f"), {{placement, parts, layout}});

  const std::vector<double> found = contents<double>(disk_);
  ASSERT_EQ(found.size(), 600U * 700U * 3U);
  for (Index at = 0; at < std::ssize(found); ++at) {
    const Index z = at % 3, y = at / 3 % 700, x = at / 2100;
    ASSERT_EQ(found[static_cast<std::size_t>(at)], static_cast<double>(1000000 * z + 1000 * y + x)) << at;
  }
  EXPECT_GT(disk_.writes.size(), 1U);
}

}  // namespace
}  // namespace pileus::testing
