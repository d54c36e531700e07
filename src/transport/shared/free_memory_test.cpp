#include "transport/shared/free_memory.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace pileus {
namespace {

constexpr std::size_t kFirst = 4096, kSize = 64 * 1000;

TEST(FreeMemoryTest, gives_each_byte_once) {
  FreeMemory memory(kFirst, kSize);
  std::mt19937 random(7);
  std::map<std::size_t, std::size_t> taken;
  for (int i = 0; i < 20'000; ++i) {
    const std::size_t bytes = 64 * (1 + random() % 40);
    if (random() % 2 == 0) {
      if (const auto offset = memory.take(bytes)) {
        const auto next = taken.lower_bound(*offset);
        ASSERT_TRUE(next == taken.end() || *offset + bytes <= next->first);
        if (next != taken.begin()) {
          const auto before = std::prev(next);
          ASSERT_LE(before->first + before->second, *offset);
        }
        ASSERT_GE(*offset, kFirst);
        ASSERT_LE(*offset + bytes, kFirst + kSize);
        taken[*offset] = bytes;
      }
    } else if (!taken.empty()) {
      auto one = taken.lower_bound(kFirst + random() % kSize);
      if (one == taken.end()) one = taken.begin();
      memory.give_back(one->first, one->second);
      taken.erase(one);
    }
  }
  for (const auto& [offset, bytes] : taken) memory.give_back(offset, bytes);
  EXPECT_EQ(memory.take(kSize), kFirst) << "all of it is one piece again";
}

TEST(FreeMemoryTest, says_when_no_piece_is_long_enough) {
  FreeMemory memory(kFirst, 192);
  EXPECT_EQ(memory.take(256), std::nullopt);
  EXPECT_EQ(memory.take(64), kFirst);
  EXPECT_EQ(memory.take(64), kFirst + 64);
  EXPECT_EQ(memory.take(64), kFirst + 128);
  EXPECT_EQ(memory.take(64), std::nullopt);
  memory.give_back(kFirst, 64);
  memory.give_back(kFirst + 128, 64);
  EXPECT_EQ(memory.take(128), std::nullopt);
  memory.give_back(kFirst + 64, 64);
  EXPECT_EQ(memory.take(192), kFirst);
}

TEST(FreeMemoryTest, gives_the_same_place_to_one_message_after_another) {
  FreeMemory memory(kFirst, kSize);
  const std::size_t place = memory.take(640).value();
  for (int i = 0; i < 10; ++i) {
    memory.give_back(place, 640);
    EXPECT_EQ(memory.take(640), place);
  }
}

}  // namespace
}  // namespace pileus
