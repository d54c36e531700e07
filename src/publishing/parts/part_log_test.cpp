#include "publishing/parts/part_log.h"

#include <gtest/gtest.h>

#include "publishing/parts/testing/writers.h"

namespace pileus {
namespace {

using namespace testing;

/// Writers whose file is in parts: w is, and m is not.
class PartsOfServers : public Writers {
 public:
  PartsOfServers(std::size_t count, std::uint64_t seed) : Writers(count, seed) {
    small.plan.files[0].on_disk.is_in_parts = true;
    small.plan.files[0].on_disk.align_bytes = 4096;
  }
};

Share share_of(const RankRegions& regions, std::vector<ClientRank> clients) {
  Share share{std::move(clients), {true}, false, &regions};
  return share;
}

class PartLogOfTwo : public ::testing::Test {
 protected:
  PartLogOfTwo() : own_(writers_.small.plan, share_of(writers_.regions, {1, 2})) {}
  PartLog log() { return {writers_.small.plan, own_, {FileId(0), 1}, "f.parts/0000.nc"}; }

  PartsOfServers writers_{1, 1};
  OwnPieces own_;
};

TEST_F(PartLogOfTwo, has_a_box_for_each_model_rank_of_its_server) {
  const std::vector<PartDataset> boxes = boxes_here(writers_.small.plan, own_, FileId(0));

  ASSERT_EQ(boxes.size(), 2U);
  EXPECT_EQ(boxes[0].number, 1U);
  EXPECT_EQ(boxes[0].region, quarter(1));
  EXPECT_EQ(boxes[1].region, quarter(2));
  EXPECT_EQ(boxes[1].stored, quarter(2).count);
}

TEST_F(PartLogOfTwo, records_follow_each_other_as_they_come) {
  PartLog log = this->log();
  const Piece later{0, 3}, earlier{0, 1};
  EXPECT_EQ(log.bytes_of(later), 2U * 4 * 8);
  const std::uint64_t first = log.allot(log.bytes_of(later)), second = log.allot(log.bytes_of(earlier));
  EXPECT_EQ(first, kHeadOfPart);
  EXPECT_EQ(second, first + 64);
  log.add(earlier, second, 0, 0);
  log.add(later, first, 0, 0);

  const PartOfFile part = log.part({4});

  EXPECT_EQ(part.name, "f.parts/0000.nc");
  EXPECT_EQ(part.first, std::vector<Index>{0});
  EXPECT_EQ(part.end, std::vector<Index>{4});
  ASSERT_EQ(part.datasets.size(), 2U);
  EXPECT_EQ(part.datasets[0].chunks, (std::vector<PartChunk>{{1, second, 32, 0}, {3, first, 32, 0}}));
  EXPECT_EQ(part.datasets[1].chunks,
            (std::vector<PartChunk>{{1, second + 32, 32, 0}, {3, first + 32, 32, 0}}));
  EXPECT_EQ(part.size_bytes(), second + 64);
  EXPECT_EQ(part.chunk_count(), 4U);
}

TEST_F(PartLogOfTwo, a_cut_has_the_records_before_it_alone) {
  PartLog log = this->log();
  for (Index record : {0, 1, 2}) log.add({0, record}, log.allot(64), 0, 0);
  EXPECT_EQ(log.part({2}).chunk_count(), 4U);
  EXPECT_EQ(log.part({2}).end, std::vector<Index>{2});
  EXPECT_EQ(log.part({0}).name, "");
}

TEST_F(PartLogOfTwo, what_is_long_begins_at_a_multiple) {
  writers_.small.plan.files[0].on_disk.align_bytes = 1 << 18;
  PartLog log = this->log();
  EXPECT_EQ(log.allot(100), kHeadOfPart);
  EXPECT_EQ(log.allot(1 << 17), kHeadOfPart + 100);
  EXPECT_EQ(log.allot(1 << 18), 1U << 18);
}

class SeededParts : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(SeededParts, servers_write_their_own_files_and_tell_the_owner) {
  constexpr Index kRecords = 6;
  PartsOfServers writers(3, GetParam());
  writers.post_everything(kRecords);

  ASSERT_EQ(writers.done.size(), 3U);
  std::vector<double> w(16 * kRecords, -1);
  for (std::size_t server = 0; server < 3; ++server) {
    const PartsDone& done = writers.done[server];
    EXPECT_EQ(done.error, "");
    ASSERT_FALSE(done.part.name.empty());
    for (const PartDataset& box : done.part.datasets) EXPECT_TRUE(box.chunks.empty());
  }
  // What is nobody's is not written; the owner's number is in the file of all.
  const std::vector<double> whole = as_numbers(writers.disk.files.at(writers.path(1)));
  ASSERT_EQ(whole.size(), 17U * kRecords);
  for (std::size_t r = 0; r < kRecords; ++r) EXPECT_EQ(whole[17 * r + 16], -static_cast<double>(r));
  for (std::size_t r = 0; r < kRecords; ++r) EXPECT_EQ(whole[17 * r], 0);
  std::size_t bytes = 0;
  for (const auto& [path, content] : writers.disk.files) {
    if (path.find(".parts/") != path.npos) bytes += content.size() - kHeadOfPart;
  }
  EXPECT_EQ(bytes, kRecords * 16 * 8);
}

INSTANTIATE_TEST_SUITE_P(Seeds, SeededParts, ::testing::Range<std::uint64_t>(1, 60));

}  // namespace
}  // namespace pileus
