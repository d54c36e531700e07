#include "formats/chunk_shape.h"

#include <gtest/gtest.h>

namespace pileus {
namespace {

TEST(ChunkShape, of_a_scalar_holds_as_many_records_as_fit) {
  EXPECT_EQ(chunk_shape({}, 8, 20), (ChunkShape{20, {}}));
  // 64 KiB / 8 bytes = 8192 records.
  EXPECT_EQ(chunk_shape({}, 8, 1'000'000), (ChunkShape{8192, {}}));
}

TEST(ChunkShape, of_a_small_record_stays_within_64_KiB) {
  // A record has 100 * 50 * 4 = 20000 bytes; three of them fit into 65536.
  EXPECT_EQ(chunk_shape({100, 50}, 4, 20), (ChunkShape{3, {100, 50}}));
  EXPECT_EQ(chunk_shape({100, 50}, 4, 2), (ChunkShape{2, {100, 50}}));
}

TEST(ChunkShape, of_a_large_record_is_the_record) {
  EXPECT_EQ(chunk_shape({128, 64}, 8, 20), (ChunkShape{1, {128, 64}}));
  EXPECT_EQ(chunk_shape({1024, 1024, 2}, 8, 20), (ChunkShape{1, {1024, 1024, 2}}));
}

TEST(ChunkShape, above_16_MiB_is_cut_evenly_along_the_slowest_dimension) {
  // 5 levels of 8 MiB: at most 2 in a chunk, so 3 pieces of 2.
  EXPECT_EQ(chunk_shape({1024, 1024, 5}, 8, 20), (ChunkShape{1, {1024, 1024, 2}}));
  // 17 levels of 1 MiB: 2 pieces, of 9 and not of 16.
  EXPECT_EQ(chunk_shape({512, 256, 17}, 8, 20), (ChunkShape{1, {512, 256, 9}}));
}

TEST(ChunkShape, is_cut_along_faster_dimensions_where_one_slice_is_too_large) {
  // A slice of 4096 * 4096 * 8 = 128 MiB is 8 pieces of 512 rows.
  EXPECT_EQ(chunk_shape({4096, 4096, 3}, 8, 20), (ChunkShape{1, {4096, 512, 1}}));
  // 3 GiB in one dimension: 192 pieces of 16 MiB.
  EXPECT_EQ(chunk_shape({Index{3} << 27}, 8, 20), (ChunkShape{1, {Index{1} << 21}}));
}

TEST(ChunkShape, of_compressed_records_is_the_record_or_even_cuts_of_it) {
  EXPECT_EQ(packed_shape({11, 7, 3}, 8, 1848), (ChunkShape{1, {11, 7, 3}}));
  // 3 levels of 616 bytes: two of them in 1240 bytes, one in 1000, and 4 of 7 rows of 88 in 400.
  EXPECT_EQ(packed_shape({11, 7, 3}, 8, 1240), (ChunkShape{1, {11, 7, 2}}));
  EXPECT_EQ(packed_shape({11, 7, 3}, 8, 1000), (ChunkShape{1, {11, 7, 1}}));
  EXPECT_EQ(packed_shape({11, 7, 3}, 8, 400), (ChunkShape{1, {11, 4, 1}}));
}

TEST(ChunkShape, may_have_whole_planes) {
  Compression compression = {&codecs::ccsds(), 0, Shuffle::none, 16, {}, 2};
  EXPECT_EQ(packed_shape({11, 7, 3, 2}, 8, 100, compression), (ChunkShape{1, {11, 7, 1, 1}}));
  compression.together = 1;
  EXPECT_EQ(packed_shape({11}, 8, 8, compression), (ChunkShape{1, {11}}));
  compression.together = 0;
  EXPECT_EQ(packed_shape({11, 7, 3}, 8, 1000, compression), packed_shape({11, 7, 3}, 8, 1000));
}

TEST(ChunkRegions, of_a_scalar_are_one) {
  EXPECT_EQ(chunk_regions({}, ChunkShape{4, {}}), std::vector<Region>{(Region{{}, {}})});
}

TEST(ChunkRegions, run_fastest_first_and_reach_past_the_extents) {
  const std::vector<Region> expected = {
      {{0, 0}, {2, 2}}, {{2, 0}, {2, 2}}, {{0, 2}, {2, 2}}, {{2, 2}, {2, 2}}};

  EXPECT_EQ(chunk_regions({4, 3}, ChunkShape{1, {2, 2}}), expected);
}

}  // namespace
}  // namespace pileus
