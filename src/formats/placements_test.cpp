#include "formats/placements.h"

#include <gtest/gtest.h>

#include <random>

namespace pileus {
namespace {

RecordPlacement at(std::uint64_t offset) { return {{{offset, {{0}, {60}}}}}; }

TEST(RecordPlacements, answers_what_was_put_in_whatever_that_was) {
  std::mt19937 random(3);
  for (int turn = 0; turn < 50; ++turn) {
    RecordPlacements kept;
    std::vector<RecordPlacement> all;
    std::uint64_t offset = random() % 4096, distance = 480;
    Index blocks = 1;
    for (int i = 0; i < 200; ++i) {
      if (random() % 10 == 0) offset = random();
      if (random() % 20 == 0) distance = random() % 3 == 0 ? -std::uint64_t{480} : random() % 1000;
      if (random() % 30 == 0) blocks = static_cast<Index>(random() % 4);
      RecordPlacement record;
      for (Index b = 0; b < blocks; ++b) {
        const std::uint64_t place = offset + static_cast<std::uint64_t>(b) * 100000 + random() % 50 / 49;
        record.blocks.push_back({place, {{b * 3, 0}, {3, turn}}});
      }
      offset += distance;
      kept.push_back(record);
      all.push_back(record);
    }
    const std::size_t dropped = random() % 100;
    kept.drop_first(dropped);
    kept.push_back(at(7));
    all.push_back(at(7));
    ASSERT_EQ(kept.size(), all.size() - dropped);
    for (std::size_t i = 0; i < kept.size(); ++i) ASSERT_EQ(kept[i], all[i + dropped]) << turn << " " << i;
  }
}

TEST(RecordPlacements, records_at_equal_distances_take_no_more_memory) {
  RecordPlacements few, many;
  for (std::uint64_t i = 0; i < 10; ++i) few.push_back(at(480 * i));
  for (std::uint64_t i = 0; i < 100000; ++i) many.push_back(at(480 * i));
  EXPECT_EQ(many.held_bytes(), few.held_bytes());
  EXPECT_EQ(many[99999], at(480 * 99999));
}

}  // namespace
}  // namespace pileus
