#include "core/arena.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace pileus {
namespace {

using Object = std::array<double, 4>;

TEST(Arena, gives_pieces_that_do_not_overlap_until_it_is_full) {
  Arena arena(64);

  void* const first = arena.take(24, 8);
  void* const second = arena.take(40, 8);
  void* const third = arena.take(1, 1);

  EXPECT_TRUE(arena.has(first));
  EXPECT_EQ(static_cast<std::byte*>(first) + 24, second);
  EXPECT_EQ(third, nullptr);
}

TEST(ArenaAllocator, keeps_the_arena_until_its_last_object_is_gone) {
  auto arena = std::make_shared<Arena>(1024);
  const std::weak_ptr<Arena> watched = arena;
  std::vector<std::shared_ptr<Object>> objects;
  for (int i = 0; i < 3; ++i)
    objects.push_back(std::allocate_shared<Object>(ArenaAllocator<Object>(arena), Object{1.0 * i}));
  const Arena* const whole = std::exchange(arena, nullptr).get();

  objects.erase(objects.begin());
  objects.pop_back();

  EXPECT_TRUE(whole->has(objects[0].get()));
  EXPECT_EQ((*objects[0])[0], 1);
  objects.clear();
  EXPECT_TRUE(watched.expired());
}

TEST(ArenaAllocator, allocates_elsewhere_what_does_not_fit_into_the_arena) {
  const auto arena = std::make_shared<Arena>(8);

  const auto object = std::allocate_shared<Object>(ArenaAllocator<Object>(arena), Object{7});

  EXPECT_FALSE(arena->has(object.get()));
  EXPECT_EQ((*object)[0], 7);
}

}  // namespace
}  // namespace pileus
