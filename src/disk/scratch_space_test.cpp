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

/// Columns of a grid of 8-byte elements, x fastest.
Region columns(Index first, Index count, Index ny) { return {{first, 0}, {count, ny}}; }

TEST(ScratchSpace, is_written_in_few_pieces_where_short_stretches_lie_close_together) {
  struct Case {
    Index nx, ny, width;
    std::size_t writes;
  };
  // 10 rows of 80 bytes: one piece. 30000 rows of 80 bytes: 2.4 MB. Rows of 24 KB: each by itself, as what is
  // between them is more. Stretches of 8 KB: each by itself, as they are long.
  for (const Case& c : {Case{10, 10, 1, 1}, {10, 30000, 1, 3}, {3000, 100, 1, 100}, {1500, 100, 1024, 100}}) {
    MemoryFiles disk;
    ScratchSpace space(disk, "out");
    const Extents extents = {c.nx, c.ny};
    auto other = space.make(100), to = space.make(static_cast<std::uint64_t>(c.nx * c.ny) * 8);
    other->write(0, filled(100, 9));
    to->write(0, filled(to->size_bytes(), 1));
    const Region part = columns(3, c.width, c.ny);
    Bytes dense(static_cast<std::size_t>(part.size()) * 8), right = filled(to->size_bytes(), 1);
    for (std::size_t i = 0; i < dense.size(); ++i) dense[i] = static_cast<std::byte>(i % 251);
    for (const Stretch& one : contiguous_stretches(part, extents)) {
      for (Index b = 0; b < one.length * 8; ++b)
        right[static_cast<std::size_t>(one.global_offset * 8 + b)] =
            dense[static_cast<std::size_t>(one.local_offset * 8 + b)];
    }
    disk.writes.clear();

    to->write(contiguous_stretches(part, extents), dense, 8);

    EXPECT_EQ(disk.writes.size(), c.writes) << c.nx;
    EXPECT_TRUE(all_of(*to) == right) << c.nx;
    EXPECT_EQ(all_of(*other), filled(100, 9));
  }
}

}  // namespace
}  // namespace pileus::testing
