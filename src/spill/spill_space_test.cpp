#include "spill/spill_space.h"

#include <gtest/gtest.h>

#include <vector>

#include "exec/seeded_random.h"

namespace pileus {
namespace {

TEST(SpillSpace, uses_again_what_was_given_back_and_nothing_beyond_its_limit) {
  SpillSpace space(100);
  ASSERT_EQ(space.take(60), 0);
  ASSERT_EQ(space.take(40), 60);
  EXPECT_EQ(space.take(1), std::nullopt);

  space.give_back(0, 60);
  EXPECT_EQ(space.used_bytes(), 40);
  EXPECT_EQ(space.take(61), std::nullopt);
  EXPECT_EQ(space.take(10), 0);
  EXPECT_EQ(space.take(50), 10);
  EXPECT_EQ(space.take(1), std::nullopt);
}

TEST(SpillSpace, has_none_where_its_limit_is_0) { EXPECT_EQ(SpillSpace(0).take(1), std::nullopt); }

TEST(SpillSpace, gives_no_byte_twice_and_is_whole_again_at_the_end) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SeededRandom random(seed);
    constexpr std::uint64_t kLimit = 200;
    SpillSpace space(kLimit);
    std::vector<bool> is_taken(kLimit, false);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> taken;
    for (int turn = 0; turn < 300; ++turn) {
      if (random.below(2) == 0) {
        const std::uint64_t bytes = 1 + random.below(60);
        const auto offset = space.take(bytes);
        if (!offset) continue;
        for (std::uint64_t i = *offset; i < *offset + bytes; ++i) {
          ASSERT_LT(i, kLimit) << seed;
          ASSERT_FALSE(is_taken[i]) << seed;
          is_taken[i] = true;
        }
        taken.emplace_back(*offset, bytes);
      } else if (!taken.empty()) {
        const std::size_t which = random.below(taken.size());
        const auto [offset, bytes] = taken[which];
        space.give_back(offset, bytes);
        for (std::uint64_t i = offset; i < offset + bytes; ++i) is_taken[i] = false;
        taken.erase(taken.begin() + static_cast<std::ptrdiff_t>(which));
      }
    }
    for (const auto& [offset, bytes] : taken) space.give_back(offset, bytes);
    EXPECT_EQ(space.used_bytes(), 0);
    EXPECT_EQ(space.take(kLimit), 0) << seed;
  }
}

}  // namespace
}  // namespace pileus
