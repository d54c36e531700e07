#include "disk/scratch_space.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "disk/testing/memory_files.h"

namespace pileus::testing {
namespace {

Bytes filled(std::size_t size, int value) { return Bytes(size, static_cast<std::byte>(value)); }

Bytes all_of(const ByteSource& source) {
  Bytes all;
  in_pieces(source, [&](std::uint64_t offset, std::span<const std::byte> piece) {
    EXPECT_EQ(offset, all.size());
    EXPECT_LE(piece.size(), kPieceBytes);
    all.insert(all.end(), piece.begin(), piece.end());
  });
  return all;
}

TEST(ScratchSpace, keeps_bytes_apart_and_goes_with_the_last_of_them) {
  MemoryFiles disk;
  std::shared_ptr<ScratchBytes> one, other;
  {
    ScratchSpace space(disk, "out");
    one = space.make(5);
    other = space.make(3 * kPieceBytes / 2);
  }
  other->write(0, filled(other->size_bytes(), 2));
  one->write(2, filled(3, 1));
  one->write(0, filled(2, 7));

  EXPECT_EQ(all_of(*one), (Bytes{std::byte{7}, std::byte{7}, std::byte{1}, std::byte{1}, std::byte{1}}));
  EXPECT_EQ(all_of(*other), filled(3 * kPieceBytes / 2, 2));
  EXPECT_EQ(all_of(BytesBehind(one, 2)), filled(3, 1));
}

TEST(ScratchSpace, asks_nothing_of_the_disk_before_it_is_written) {
  MemoryFiles disk;
  disk.failing_write["out"] = 1;
  ScratchSpace space(disk, "out");
  const auto bytes = space.make(4);

  EXPECT_THROW(bytes->write(0, filled(4, 1)), OutputError);
  bytes->write(0, filled(4, 1));
  EXPECT_EQ(all_of(*bytes), filled(4, 1));
}

}  // namespace
}  // namespace pileus::testing
