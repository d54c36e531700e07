#include "core/index_ranges.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "core/error.h"
#include "core/model_ranks.h"

namespace pileus {
namespace {

IndexRanges ranges_of(const std::set<Index>& indices) {
  IndexRanges ranges;
  for (const Index index : indices) add_index(ranges, index);
  return ranges;
}

std::set<Index> indices_of(const IndexRanges& ranges) {
  std::set<Index> indices;
  for (const IndexSet::Range& range : ranges) {
    for (Index i = 0; i < range.count; ++i) indices.insert(range.first + i);
  }
  return indices;
}

Bytes encoded(const IndexRanges& ranges) {
  Bytes bytes;
  Encoder out(bytes);
  encode_ranges(ranges, out);
  return bytes;
}

TEST(IndexRanges, joins_indices_that_follow_each_other) {
  EXPECT_EQ(ranges_of({3, 4, 5, 8, 10, 11}), (IndexRanges{{3, 3}, {8, 1}, {10, 2}}));
  EXPECT_EQ(size_of(ranges_of({3, 4, 5, 8, 10, 11})), 6);
}

TEST(IndexRanges, come_back_from_bytes_and_are_cut_for_any_indices) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    const Index end = 1 + static_cast<Index>(random() % 500);
    const std::uint64_t many = 1 + random() % 6;
    std::set<Index> all, cut;
    const Index first = static_cast<Index>(random() % 500), last = first + static_cast<Index>(random() % 300);
    for (Index i = 0; i < end; ++i) {
      if (random() % many != 0) continue;
      all.insert(i);
      if (i >= first && i < last) cut.insert(i);
    }
    const Bytes bytes = encoded(ranges_of(all));
    Decoder in(bytes);
    EXPECT_EQ(decode_ranges(in, end), ranges_of(all));
    EXPECT_TRUE(in.is_at_end());
    EXPECT_EQ(indices_of(within(ranges_of(all), first, last)), cut) << first << " to " << last;
  }
}

TEST(IndexRanges, take_two_bytes_where_they_are_near) {
  EXPECT_LE(encoded(IndexRanges{{10, 100}, {120, 5}, {200, 60}}).size(), 1 + 3 * 2U);
}

TEST(IndexRanges, refuses_bytes_that_are_no_indices_of_the_dimension) {
  const auto refuses = [](const Bytes& bytes, Index end) {
    Decoder in(bytes);
    EXPECT_THROW(decode_ranges(in, end), TransportError);
  };
  refuses(encoded({{3, 3}}), 5);
  refuses(encoded({{7, 1}}), 5);
  refuses(encoded({{0, 0}}), 5);
  refuses({}, 5);
  Bytes many;
  Encoder out(many);
  put_number(out, UINT64_MAX);
  refuses(many, 5);
  Bytes large;
  Encoder large_out(large);
  for (const std::uint64_t number : {std::uint64_t{1}, UINT64_MAX, UINT64_MAX}) put_number(large_out, number);
  refuses(large, 5);
}

}  // namespace
}  // namespace pileus
