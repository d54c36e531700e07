// Files that replace the one before: each has a temporary name of its own, and they come to their one name in
// the order of their periods.

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

#include "publishing/owner/testing/owner_run.h"

namespace pileus::testing {
namespace {

/// Of that file only the newest is kept.
struct OwnerOfNewest : OwnerOfMeans {
  explicit OwnerOfNewest(std::uint64_t seed) : OwnerOfMeans(seed) {
    small.plan.files.back().keeps_newest = true;
  }
};

TEST(NewestFiles, have_one_name_and_a_temporary_one_for_each_period) {
  OwnerOfNewest run(0);
  run.start();

  run.run(20);

  EXPECT_EQ(run.published_files, (Texts{"out/f.nc 2", "out/f.nc 2"}));
  EXPECT_EQ(run.disk.names(), Texts{"out/f.nc"});
  EXPECT_EQ(run.number_at("out/f.nc", 8), 20);
  EXPECT_EQ(run.format.calls.front(), "create " + temporary("f.nc.1"));
  EXPECT_EQ(run.format.calls.back(), "finish " + temporary("f.nc.2") + " 2");
}

TEST(NewestFiles, come_to_their_name_in_the_order_of_their_periods) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    OwnerOfNewest run(seed);
    run.are_writers_quick = false;
    run.start();
    run.run(30);
    const auto answer = [&](std::int64_t period) {
      run.home.post([&run, period] { run.owner->parts_done(0, {{FileId(0), period}, "", {}}); });
      run.executor.run_until_idle();
    };

    answer(3);
    answer(2);
    EXPECT_EQ(run.published_files, Texts());
    ASSERT_EQ(run.owner->waits().size(), 3U);
    EXPECT_EQ(run.owner->waits()[1].text,
              "out/f.nc: waits for the file of an earlier period, which it replaces");
    answer(1);

    EXPECT_EQ(run.published_files.size(), 3U);
    EXPECT_EQ(run.disk.names(), Texts{"out/f.nc"});
    EXPECT_EQ(run.number_at("out/f.nc", 8), 30);
    EXPECT_FALSE(run.owner->has_open_files());
  }
}

TEST(NewestFiles, do_not_wait_for_one_that_is_lost) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    OwnerOfNewest run(seed);
    run.format.failing.insert("grow " + temporary("f.nc.2") + " 0");
    run.start();

    run.run(30, seed % 4);

    EXPECT_EQ(run.failed.size(), 1U);
    EXPECT_EQ(run.published_files.size(), 2U);
    EXPECT_EQ(run.disk.names(), Texts{"out/f.nc"});
    EXPECT_EQ(run.number_at("out/f.nc", 8), 30);
    EXPECT_FALSE(run.owner->has_open_files());
  }
}

TEST(NewestFiles, never_replace_what_is_not_of_the_run) {
  OwnerOfNewest run(0);
  run.disk.files["out/f.nc"] = Bytes(3);
  run.start();

  run.run(20);

  EXPECT_EQ(run.failed.size(), 2U);
  EXPECT_EQ(run.disk.files["out/f.nc"], Bytes(3));
}

TEST(NewestFiles, wait_while_records_before_are_copied_from_their_name) {
  OwnerOfNewest run(0);
  run.start();
  const FilePeriod first{FileId(0), 1}, second{FileId(0), 2};
  OpenFile& later = run.book->open(second);
  run.book->open(first);
  EXPECT_FALSE(run.book->is_held_back(first));
  EXPECT_TRUE(run.book->is_held_back(second));

  const FileUnderWay before;
  later.before = &before;

  EXPECT_TRUE(run.book->is_held_back(first));
}

/// The checkpoint waits for a file that is published meanwhile, so that it is noted once more.
TEST(NewestFiles, wait_until_the_one_before_is_noted_for_a_checkpoint) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    OwnerOfNewest run(seed);
    run.start();
    for (std::int64_t i = 1; i <= 20; ++i) {
      Step step{i, static_cast<double>(i), 1};
      step.is_checkpoint = i == 6;
      run.home.post([&run, step] { run.owner->advance(step, 0); });
    }
    run.executor.run_until_idle();
    run.home.post([&run] { run.owner->finish(); });
    run.executor.run_until_idle();

    const Bytes& notes = run.disk.files.at("out/pileus-checkpoints/.published-id-0-0");
    std::istringstream lines(std::string(reinterpret_cast<const char*>(notes.data()), notes.size()));
    std::map<std::string, std::set<std::string>> marks;
    std::size_t count = 0;
    std::string step, size, sum, name;
    for (; lines >> step >> size >> sum >> name; ++count) marks[name].insert(size + " " + sum);
    ASSERT_EQ(count, 3U) << seed;
    ASSERT_EQ(marks["f.nc.1"].size(), 1U) << seed;
    ASSERT_EQ(marks["f.nc.2"].size(), 1U) << seed;
  }
}

/// Three files were under way at the checkpoint. The first one was lost, or the run was killed before it came
/// to its name; the second one was replaced by the third, or is about to be.
TEST(NewestFiles, of_the_run_before_count_as_published_where_they_were_replaced) {
  SmallPlan small;
  const FileId file = small.file("f.nc", 10);
  small.plan.files.back().keeps_newest = true;
  MemoryFiles disk;
  disk.files["out/.first"] = {};
  ContinuedFiles continued;
  continued.series[file] = {};
  for (const auto& [period, name] : {std::pair{1, ".first"}, {2, ".second"}, {3, ".third"}}) {
    continued.under_way[{file, period}].temporary_name = name;
    continued.begun[{file, period}] = {1};
  }
  continued.publications["f.nc.2"] = {{{7, 1}, 1, true}};
  continued.publications["f.nc.3"] = {{{8, 2}, 1, true}};
  continued.publications["f.nc.4"] = {{{9, 3}, 1, false}};
  continued.publications["f.nc.nc"] = {{{9, 4}, 1, true}};

  find_replaced(continued, small.plan, "out", disk);

  EXPECT_TRUE(continued.under_way.contains({file, 1}));
  EXPECT_FALSE(continued.under_way.contains({file, 2}));
  EXPECT_TRUE(continued.under_way.contains({file, 3}));
  EXPECT_TRUE(continued.is_over({file, 2}));
  EXPECT_FALSE(continued.is_over({file, 1}));
  EXPECT_EQ(continued.publications.at("f.nc").size(), 3U);
}

}  // namespace
}  // namespace pileus::testing
