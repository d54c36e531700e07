#include "publishing/chunks/pack_chunk.h"

#include <gtest/gtest.h>

#include <cstring>

namespace pileus {
namespace {

Bytes bytes_of(const std::vector<float>& values) {
  Bytes bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

TEST(PackChunk, what_a_file_has_for_no_value_is_no_number_that_is_compared) {
  ValueLayout layout;
  layout.type = ElementType::float32;
  layout.fill_value = 1e20;
  const Region region{{0}, {3}};
  const Bytes before = bytes_of({1, 1e20F, 3}), now = bytes_of({1, 1e20F, 5});

  const Difference found = difference_in_chunk(now, before, layout, region, {3});

  EXPECT_FALSE(found.is_other);
  EXPECT_EQ(found.count, 2);
  EXPECT_EQ(found.squares.round(), 4);
  EXPECT_EQ(found.squares_before.round(), 10);
  EXPECT_TRUE(difference_in_chunk(bytes_of({1, 1e20F, 1e20F}), before, layout, region, {3}).is_other);
}

}  // namespace
}  // namespace pileus
