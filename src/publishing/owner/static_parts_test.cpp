// Static variables come together of parts in any order. Small ones are in memory, large ones on the disk;
// what becomes of them does not depend on that. The oracle is an array that each element is computed for.

#include "publishing/owner/static_parts.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstring>
#include <functional>

#include "core/error.h"
#include "core/testing/temporary_directory.h"
#include "disk/passing_files.h"
#include "disk/testing/memory_files.h"
#include "exec/seeded_executor.h"
#include "files/testing/small_plan.h"
#include "publishing/owner/testing/owner_run.h"
#include "state/checkpoint_part.h"

namespace pileus::testing {
namespace {

const double kMissing = std::get<double>(missing_value(ElementType::float64));

/// Calls something at each write aside, which may throw.
class WatchedScratch : public PassingFiles {
 public:
  std::function<void()> at_write = [] {};

  std::unique_ptr<ScratchFile> open_scratch(const std::string& directory) override {
    return std::make_unique<Hand>(*this, PassingFiles::open_scratch(directory));
  }

 private:
  class Hand : public ScratchFile {
   public:
    Hand(WatchedScratch& files, std::unique_ptr<ScratchFile> file) : files_(files), file_(std::move(file)) {}
    void write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
      files_.at_write();
      file_->write_at(offset, bytes);
    }
    void read_at(std::uint64_t offset, std::span<std::byte> bytes) override { file_->read_at(offset, bytes); }
    void clear() override { file_->clear(); }

   private:
    WatchedScratch& files_;
    std::unique_ptr<ScratchFile> file_;
  };
};

/// One file with one static variable on x and y; each of four model ranks has a quarter of both, but for a
/// last row and column that nobody has.
class Quarters : private FullDiskTeller {
 public:
  Quarters(std::uint64_t seed, Index nx, Index ny, FileSystem& disk, const std::string& directory = "out",
           const KeptWholes& kept = {}, bool is_reordered = false)
      : executor(seed), random(seed), nx_(nx), ny_(ny) {
    const FileId file = small.file("f.nc", 10);
    small.plan.layout.clients = 4;
    Value value;
    value.spread = Spread::distributed;
    value.dimensions = {small.dimension("x", nx), small.dimension("y", ny)};
    small.plan.values.push_back(value);
    std::vector<DimensionId> in_file = value.dimensions;
    if (is_reordered) std::swap(in_file[0], in_file[1]);
    small.plan.statics.push_back({"area", file, {}, ValueId(0), ElementType::float64, {}, in_file});
    full_disks = std::make_unique<FullDisks>(
        FullDisks{small.plan, pauses, {0, 0, 1}, executor, executor, static_cast<FullDiskTeller&>(*this)});
    parts = std::make_unique<StaticParts>(small.plan, 0,
                                          StaticParts::Means{disk,
                                                             directory,
                                                             {home, &library, executor},
                                                             full_disks.get(),
                                                             [](FileId f) {
                                                               return FilePeriod{f, 0};
                                                             },
                                                             [this] { ++moved; }},
                                          kept);
  }

  Region region(ClientRank client) const {
    return {{(client % 2) * (nx_ / 2), (client / 2) * (ny_ / 2)}, {nx_ / 2, ny_ / 2}};
  }
  double value(Index x, Index y) const { return static_cast<double>(y * nx_ + x); }
  Record part(ClientRank client) const {
    const Region of = region(client);
    auto [array, values] = make_doubles(of.count);
    for (Index y = 0; y < of.count[1]; ++y) {
      for (Index x = 0; x < of.count[0]; ++x)
        values[static_cast<std::size_t>(y * of.count[0] + x)] = value(of.start[0] + x, of.start[1] + y);
    }
    return {VariableId(0), {}, of, array, nullptr, 0};
  }
  void add_all() {
    std::vector<ClientRank> clients = {0, 1, 2, 3};
    for (; !clients.empty();) {
      const auto next = clients.begin() + static_cast<std::ptrdiff_t>(random.below(clients.size()));
      home.post([this, client = *next] { parts->add(part(client), client); });
      clients.erase(next);
      for (std::uint64_t turns = random.below(4); turns > 0; --turns) executor.run_one();
    }
  }
  void run() {
    do executor.run_until_idle();
    while (pauses.poll());
  }
  std::vector<double> right(bool is_reordered = false) const {
    std::vector<double> all;
    const Index slow = is_reordered ? nx_ : ny_, fast = is_reordered ? ny_ : nx_;
    for (Index s = 0; s < slow; ++s) {
      for (Index f = 0; f < fast; ++f) {
        const Index x = is_reordered ? s : f, y = is_reordered ? f : s;
        all.push_back(x < nx_ / 2 * 2 && y < ny_ / 2 * 2 ? value(x, y) : kMissing);
      }
    }
    return all;
  }
  std::vector<double> values() const {
    FileDefinition definition;
    definition.statics.emplace_back();
    parts->give_to(FileId(0), definition);
    const ByteSource& source = *definition.statics[0].values;
    std::vector<double> all(source.size_bytes() / sizeof(double));
    source.read(0, std::as_writable_bytes(std::span(all)));
    return all;
  }

  SmallPlan small;
  SeededExecutor executor;
  SeededRandom random;
  Strand home{executor}, library{executor};
  Pauses pauses;
  std::unique_ptr<FullDisks> full_disks;
  std::unique_ptr<StaticParts> parts;
  int moved = 0, told_full = 0;

 private:
  void full(FilePeriod, const std::string&) override { ++told_full; }
  void over(FilePeriod, double, bool) override {}

  Index nx_, ny_;
};

constexpr Index kSmall = 41, kLarge = 401;  // 13 KB, and 1.3 MB

TEST(StaticParts, come_together_in_any_order_in_memory_as_on_the_disk) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    for (const Index size : {kSmall, kLarge}) {
      for (const bool is_reordered : {false, true}) {
        MemoryFiles disk;
        Quarters one(seed, size, size + 2, disk, "out", {}, is_reordered);
        EXPECT_EQ(one.parts->wait_text(FileId(0)), "waits for \"area\" of model ranks 0, 1, 2, 3");

        one.add_all();
        one.run();

        ASSERT_TRUE(one.parts->is_whole(FileId(0))) << seed;
        EXPECT_EQ(one.parts->wait_text(FileId(0)), "");
        EXPECT_TRUE(one.values() == one.right(is_reordered)) << seed;
        EXPECT_EQ(one.parts->size_bytes(), size == kSmall ? kSmall * (kSmall + 2) * sizeof(double) : 0);
        EXPECT_EQ(one.moved, size == kSmall ? 0 : 1);
      }
    }
  }
}

TEST(StaticParts, are_missing_where_model_ranks_ended_before) {
  for (const Index size : {kSmall, kLarge}) {
    MemoryFiles disk;
    Quarters one(1, size, size, disk);
    one.home.post([&] {
      for (ClientRank client = 0; client < 4; ++client) one.parts->end_client(client);
    });
    one.run();

    ASSERT_TRUE(one.parts->is_whole(FileId(0)));
    EXPECT_TRUE(one.values() == std::vector(static_cast<std::size_t>(size * size), kMissing));
  }
}

TEST(StaticParts, wait_for_the_disk_and_say_so) {
  MemoryFiles disk;
  Quarters one(1, kLarge, kLarge, disk);
  one.home.post([&] {
    for (ClientRank client = 0; client < 4; ++client) one.parts->add(one.part(client), client);
  });
  one.executor.run_one();

  EXPECT_FALSE(one.parts->is_whole(FileId(0)));
  EXPECT_EQ(one.parts->wait_text(FileId(0)), "waits for the disk, to lay \"area\" aside");
  EXPECT_TRUE(one.parts->state().empty());
}

TEST(StaticParts, are_lost_where_the_disk_fails_and_say_why) {
  for (std::size_t write = 1; write <= 6; ++write) {  // two of missing values, one of each part
    MemoryFiles disk;
    disk.failing_write["out"] = write;
    Quarters one(write, kLarge, kLarge, disk);

    one.add_all();
    one.run();

    EXPECT_FALSE(one.parts->is_whole(FileId(0)));
    ASSERT_NE(one.parts->failure(FileId(0)), nullptr) << write;
    EXPECT_EQ(one.parts->failure(FileId(0))->text,
              "its static fields could not be laid aside: out: could not write");
    EXPECT_TRUE(one.parts->state().empty());
    EXPECT_GE(one.moved, 1);
  }
}

TEST(StaticParts, are_written_once_a_full_disk_has_space_again) {
  const TemporaryDirectory directory;
  WatchedScratch disk;
  int writes = 0;
  disk.at_write = [&] {
    if (++writes % 5 == 0) throw DiskFullError("full");
  };
  Quarters one(1, kLarge, kLarge, disk, directory.path());

  one.add_all();
  for (int i = 0; i < 2000 && !one.parts->is_whole(FileId(0)); ++i) {
    if (i == 20) disk.at_write = [] {};
    one.executor.run_until_idle();
    one.pauses.poll();
  }

  ASSERT_TRUE(one.parts->is_whole(FileId(0)));
  EXPECT_TRUE(one.values() == one.right());
  EXPECT_GE(one.told_full, 1);
}

/// Four columns of 100 000 elements, two of them in a part: 400 KB, of which each element lies by itself.
TEST(StaticParts, that_are_narrow_in_the_file_take_few_writes) {
  const TemporaryDirectory directory;
  WatchedScratch disk;
  int writes = 0;
  disk.at_write = [&] { ++writes; };
  Quarters one(1, 100'000, 4, disk, directory.path(), {}, true);

  one.add_all();
  one.run();

  ASSERT_TRUE(one.parts->is_whole(FileId(0)));
  EXPECT_TRUE(one.values() == one.right(true));
  EXPECT_LT(writes, 20);
}

TEST(StaticParts, of_a_checkpoint_are_whole_from_the_start) {
  for (const Index size : {kSmall, kLarge}) {
    MemoryFiles disk;
    Quarters before(3, size, size, disk);
    before.add_all();
    before.run();
    const EncodedPart part = encode_part(before.parts->state());
    StateEntries entries;
    for (StateEntry& entry : decode_part(part.bytes, part.summary.directory_bytes))
      entries.add(std::move(entry));

    Quarters after(4, size, size, disk, "out", kept_wholes(before.small.plan, entries));

    ASSERT_TRUE(after.parts->is_whole(FileId(0)));
    EXPECT_TRUE(after.values() == before.right());
    ASSERT_EQ(after.parts->state().size(), 1U);
    EXPECT_EQ(encode_part(after.parts->state()).bytes, part.bytes);
    EXPECT_TRUE(kept_wholes(Quarters(4, size, size + 1, disk).small.plan, entries).empty());
  }
}

/// Bytes that the process has in use; 0 where the memory is not the C library's.
std::size_t bytes_in_use() {
  const struct mallinfo2 now = ::mallinfo2();
  return now.uordblks + now.hblkhd;
}

TEST(StaticParts, of_any_size_take_little_memory) {
  const TemporaryDirectory directory;
  WatchedScratch disk;
  const std::size_t before = bytes_in_use();
  std::size_t most = before;
  disk.at_write = [&] { most = std::max(most, bytes_in_use()); };
  Quarters one(1, 4096, 2048, disk, directory.path());  // 64 MiB
  for (ClientRank client = 0; client < 4; ++client) {
    one.home.post([&] { one.parts->add(one.part(client), client); });  // 16 MiB, gone when it is written
    one.run();
  }
  ASSERT_TRUE(one.parts->is_whole(FileId(0)));
  const StateEntry entry = one.parts->state().at(0);
  most = std::max(most, bytes_in_use());

  EXPECT_LT(most - before, std::size_t{20} << 20);
  EXPECT_LT(bytes_in_use() - before, std::size_t{1} << 20);
  std::uint64_t put = 0;
  const PartOutline outline = outline_of(std::span(&entry, 1));
  put_part(outline, std::span(&entry, 1), [&](std::span<const std::byte> bytes) {
    put += bytes.size();
    most = std::max(most, bytes_in_use());
  });
  EXPECT_EQ(put, outline.summary.size_bytes);
  EXPECT_LT(most - before, std::size_t{20} << 20);
}

}  // namespace
}  // namespace pileus::testing
