// stretches_of of formats/format.h against an element-by-element search.

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "formats/format.h"

namespace pileus {
namespace {

TEST(StretchesOf, a_scalar_is_one_stretch) {
  const RecordPlacement placement{{{100, {{}, {}}}}};

  EXPECT_EQ(stretches_of(placement, {{}, {}}, 8), (std::vector<FileStretch>{{100, 0, 8}}));
}

TEST(StretchesOf, an_empty_part_has_none) {
  const RecordPlacement placement{{{100, {{0, 0}, {4, 3}}}}};

  EXPECT_TRUE(stretches_of(placement, {{1, 1}, {0, 2}}, 8).empty());
}

TEST(StretchesOf, the_whole_record_is_one_stretch_over_blocks_that_touch) {
  const RecordPlacement placement{{{148, {{0, 2}, {4, 2}}}, {116, {{0, 0}, {4, 2}}}}};

  EXPECT_EQ(stretches_of(placement, {{0, 0}, {4, 4}}, 4), (std::vector<FileStretch>{{116, 0, 64}}));
}

TEST(StretchesOf, a_column_is_one_stretch_a_row) {
  const RecordPlacement placement{{{1000, {{0, 0}, {4, 3}}}}};

  EXPECT_EQ(stretches_of(placement, {{1, 1}, {2, 2}}, 8),
            (std::vector<FileStretch>{{1040, 0, 16}, {1072, 16, 16}}));
}

TEST(StretchesOf, padding_is_stepped_over) {
  // 3 x 2 elements in a block of 4 x 2: the fourth column is padding.
  const RecordPlacement placement{{{0, {{0, 0}, {4, 2}}}}};

  EXPECT_EQ(stretches_of(placement, {{0, 0}, {3, 2}}, 4),
            (std::vector<FileStretch>{{0, 0, 12}, {16, 12, 12}}));
}

TEST(StretchesOf, offsets_exceed_4_GiB) {
  const RecordPlacement placement{{{std::uint64_t{5} << 32, {{0}, {Index{1} << 30}}}}};

  EXPECT_EQ(stretches_of(placement, {{(Index{1} << 30) - 1}, {1}}, 8),
            (std::vector<FileStretch>{{(std::uint64_t{5} << 32) + (std::uint64_t{1} << 33) - 8, 0, 8}}));
}

/// Calls `visit` with each index of the region, fastest first.
template <class Visit>
void for_each_index(const Region& region, Visit visit) {
  for (Index i = 0; i < region.size(); ++i) {
    std::vector<Index> at = region.start;
    Index rest = i;
    for (int d = 0; d < region.rank(); ++d) {
      at[d] += rest % region.count[d];
      rest /= region.count[d];
    }
    visit(at, i);
  }
}

/// Blocks of `count` that cover `extents`, far apart or next to each other.
RecordPlacement random_placement(std::mt19937& random, const std::vector<Index>& extents,
                                 const std::vector<Index>& count, std::size_t element_size) {
  std::vector<Index> blocks;
  for (std::size_t d = 0; d < extents.size(); ++d) blocks.push_back((extents[d] + count[d] - 1) / count[d]);
  RecordPlacement placement;
  std::uint64_t offset = 64;
  for_each_index({std::vector<Index>(extents.size(), 0), blocks}, [&](std::vector<Index> at, Index) {
    for (std::size_t d = 0; d < at.size(); ++d) at[d] *= count[d];
    const Region region{at, count};
    placement.blocks.push_back({offset, region});
    offset += static_cast<std::uint64_t>(region.size()) * element_size + (random() % 2) * 8;
  });
  std::shuffle(placement.blocks.begin(), placement.blocks.end(), random);
  return placement;
}

TEST(StretchesOf, agrees_with_a_search_element_by_element) {
  for (unsigned seed = 0; seed < 1000; ++seed) {
    std::mt19937 random(seed);
    const auto between = [&](Index low, Index high) {
      return low + static_cast<Index>(random() % (high - low + 1));
    };
    const std::size_t element_size = random() % 2 == 0 ? 4 : 8;
    std::vector<Index> extents, count;
    Region part;
    for (std::size_t rank = random() % 4; rank > 0; --rank) {
      extents.push_back(between(1, 6));
      count.push_back(between(1, extents.back()));
      part.start.push_back(between(0, extents.back() - 1));
      part.count.push_back(between(1, extents.back() - part.start.back()));
    }
    const RecordPlacement placement = random_placement(random, extents, count, element_size);
    std::map<std::vector<Index>, std::uint64_t> file_offset_of;
    for (const Block& block : placement.blocks) {
      for_each_index(block.region, [&](const std::vector<Index>& at, Index i) {
        file_offset_of[at] = block.offset + static_cast<std::uint64_t>(i) * element_size;
      });
    }
    std::map<std::uint64_t, std::size_t> expected;  // file offset to offset in the part
    for_each_index(part, [&](const std::vector<Index>& at, Index i) {
      expected[file_offset_of.at(at)] = static_cast<std::size_t>(i) * element_size;
    });

    const std::vector<FileStretch> stretches = stretches_of(placement, part, element_size);

    std::map<std::uint64_t, std::size_t> found;
    for (const FileStretch& stretch : stretches) {
      for (std::size_t byte = 0; byte < stretch.length; byte += element_size) {
        found[stretch.file_offset + byte] = stretch.part_offset + byte;
      }
    }
    EXPECT_EQ(found, expected) << "seed " << seed;
    for (std::size_t i = 1; i < stretches.size(); ++i) {
      const FileStretch &a = stretches[i - 1], &b = stretches[i];
      EXPECT_LT(a.file_offset, b.file_offset) << "seed " << seed;
      EXPECT_FALSE(a.file_offset + a.length == b.file_offset && a.part_offset + a.length == b.part_offset)
          << "two stretches that are one, seed " << seed;
    }
  }
}

}  // namespace
}  // namespace pileus
