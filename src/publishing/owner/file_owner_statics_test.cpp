// Files wait for large static variables, which are laid aside on the disk, and are lost with them.

#include <gtest/gtest.h>

#include "publishing/owner/testing/owner_run.h"
#include "time/manipulations/list.h"

namespace pileus::testing {
namespace {

constexpr Index kElements = 300'000;  // 2.4 MB

/// Two files each 10 s; one of them with a large static variable of rank 0.
struct OwnerOfMap : Owner {
  explicit OwnerOfMap(std::uint64_t seed, WhenFull policy = WhenFull::wait) : Owner(seed) {
    add_means(*this, "f.nc");
    add_means(*this, "g.nc");
    Value value;
    value.spread = Spread::rooted;
    value.dimensions = {small.dimension("x", kElements)};
    small.plan.values.push_back(value);
    const ValueId id(small.plan.values.size() - 1);
    small.plan.statics.push_back({"map", FileId(0), {}, id, ElementType::float64, {}, value.dimensions});
    for (PlannedFile& file : small.plan.files) file.when_full = policy;
    is_disk_tried_again = policy == WhenFull::skip;
    if (is_disk_tried_again) time.emplace();
    start();
  }
  /// So much time passes, and what waits is tried again.
  void pass(std::chrono::milliseconds duration) {
    executor.run_until_idle();
    *time += duration;
    for (int i = 0; i < 5; ++i) {
      pauses.poll();
      executor.run_until_idle();
    }
  }
  void add_map() {
    home.post([this] {
      owner->add_static({VariableId(0), {}, {{0}, {kElements}}, numbers({kElements}, 0), nullptr, 0}, 0);
    });
  }
};

TEST(FileOwnerOfStatics, begins_files_when_they_are_on_the_disk) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    OwnerOfMap run(seed);
    run.add_map();

    run.run(20, seed % 5);

    std::ranges::sort(run.published_files);
    EXPECT_EQ(run.published_files,
              (Texts{"out/f_10.nc 2", "out/f_20.nc 2", "out/g_10.nc 2", "out/g_20.nc 2"}));
    EXPECT_FALSE(run.owner->has_open_files()) << seed;
    EXPECT_EQ(run.owner->static_bytes(), 0U);
  }
}

TEST(FileOwnerOfStatics, loses_the_files_that_need_them_where_the_disk_fails) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    OwnerOfMap run(seed);
    run.disk.failing_write["out"] = 1 + seed % 4;
    run.add_map();

    run.run(20, seed % 5);

    const std::string why = ": is lost: its static fields could not be laid aside: out: could not write";
    std::ranges::sort(run.failed);
    EXPECT_EQ(run.failed, (Texts{"out/f_10.nc" + why, "out/f_20.nc" + why})) << seed;
    std::ranges::sort(run.published_files);
    EXPECT_EQ(run.published_files, (Texts{"out/g_10.nc 2", "out/g_20.nc 2"})) << seed;
    EXPECT_FALSE(run.owner->has_open_files()) << seed;
  }
}

constexpr std::chrono::milliseconds kPatience{1000};
const std::string kNoSpace = ": is lost: its static fields could not be laid aside: out: is full";

TEST(FileOwnerOfStatics, gives_up_files_that_waited_for_a_full_disk_and_begins_later_ones) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    OwnerOfMap run(seed, WhenFull::skip);
    run.disk.full.insert("out");
    run.add_map();

    for (int i = 1; i <= 10; ++i) run.step(i, seed % 5);
    run.pass(kPatience);
    EXPECT_EQ(run.failed, (Texts{"out/f_10.nc" + kNoSpace})) << seed;
    for (int i = 11; i <= 15; ++i) run.step(i, seed % 5);  // the next file begins to wait
    run.pass(kPatience / 2);
    EXPECT_EQ(run.failed.size(), 1U) << seed;
    run.disk.full.clear();
    for (int i = 16; i <= 30; ++i) run.step(i, seed % 5);
    run.run(0);  // the end

    EXPECT_EQ(run.failed.size(), 1U) << seed;
    std::ranges::sort(run.published_files);
    EXPECT_EQ(run.published_files,
              (Texts{"out/f_20.nc 2", "out/f_30.nc 2", "out/g_10.nc 2", "out/g_20.nc 2", "out/g_30.nc 2"}))
        << seed;
    EXPECT_FALSE(run.owner->has_open_files()) << seed;
  }
}

TEST(FileOwnerOfStatics, ends_where_the_disk_stays_full) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    OwnerOfMap run(seed, WhenFull::skip);
    run.disk.full.insert("out");
    run.add_map();

    for (int i = 1; i <= 20; ++i) run.step(i, seed % 5);
    run.home.post([&] { run.owner->finish(); });
    run.pass(kPatience / 2);
    EXPECT_TRUE(run.owner->has_open_files()) << seed;
    run.pass(kPatience);

    std::ranges::sort(run.failed);
    EXPECT_EQ(run.failed, (Texts{"out/f_10.nc" + kNoSpace, "out/f_20.nc" + kNoSpace})) << seed;
    EXPECT_FALSE(run.owner->has_open_files()) << seed;
    EXPECT_TRUE(run.pauses.is_idle()) << seed;
  }
}

}  // namespace
}  // namespace pileus::testing
