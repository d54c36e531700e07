// Files that fail or are given up: what is reported, and what is held of them.

#include <gtest/gtest.h>

#include "publishing/parts/testing/writers.h"

namespace pileus::testing {
namespace {

TEST(PartWriter, holds_files_that_failed_one_after_the_other_as_one_range) {
  Writers run(1, 0);
  for (std::int64_t period = 1; period <= 1000; ++period) {
    run.only().close({{FileId(0), period}, true, false, {0}, period});
    run.executor.run_until_idle();
  }

  EXPECT_LE(run.only().held_of_done(), 2U);
  run.add_record(0, 500);
  EXPECT_FALSE(run.only().has_open_files());
}

TEST(PartWriter, holds_files_that_failed_with_periods_between_that_have_none_as_one_range) {
  Writers run(1, 0);
  for (std::int64_t period = 3; period <= 3000; period += 3) {
    run.only().close({{FileId(0), period}, true, false, {0}, period});
    run.executor.run_until_idle();
  }

  EXPECT_LE(run.only().held_of_done(), 3U);
  run.add_record(0, 1500);
  EXPECT_FALSE(run.only().has_open_files());
  run.add_record(0, 3001);
  EXPECT_TRUE(run.only().has_open_files());
}

TEST(PartWriter, a_write_that_fails_is_reported_once_and_later_parts_give_their_memory_back) {
  Writers run(1, 0);
  run.disk.failing_write[run.path(1)] = 1;
  run.only().place(placed(0, 2));
  for (ClientRank client = 0; client < kClients; ++client) run.only().add(part_of_w(0, client), client);
  run.executor.run_until_idle();
  MemoryOfParts memory;

  run.only().add(memory.given_to(part_of_w(1, 0)), 0);
  EXPECT_TRUE(memory.is_back());
  run.only().close(closed(2));
  run.executor.run_until_idle();

  ASSERT_EQ(run.done.size(), 1U);
  EXPECT_EQ(run.done[0].error, run.path(1) + ": could not write");
  EXPECT_FALSE(run.only().has_open_files());
}

TEST(PartWriter, parts_that_waited_when_a_write_failed_give_their_memory_back) {
  Writers run(1, 0);
  run.disk.failing_write[run.path(1)] = 1;
  MemoryOfParts memory;
  run.only().add(memory.given_to(part_of_w(1, 0)), 0);

  run.only().place(placed(0, 2));
  for (ClientRank client = 0; client < kClients; ++client) run.only().add(part_of_w(0, client), client);
  run.executor.run_until_idle();

  EXPECT_TRUE(memory.is_back());
}

TEST(PartWriter, parts_that_come_when_a_failed_file_is_done_open_nothing_again) {
  Writers run(1, 0);
  run.disk.failing_write[run.path(1)] = 1;
  run.only().place(placed(0, 2));
  run.only().add(m(0), 0);
  run.only().close(closed(2));
  run.executor.run_until_idle();
  ASSERT_EQ(run.done.size(), 1U);
  MemoryOfParts memory;

  run.only().add(memory.given_to(part_of_w(1, 0)), 0);

  EXPECT_TRUE(memory.is_back());
  EXPECT_FALSE(run.only().has_open_files());
}

/// All ranks have ended, so the bytes of a placement would be filled and written at once.
TEST(PartWriter, bytes_that_come_for_a_failed_file_are_not_written) {
  Writers run(1, 0);
  run.disk.failing_write[run.path(1)] = 1;
  for (ClientRank client = 0; client < kClients; ++client) run.only().end_client(client);
  run.only().progress({{FileId(0), 1}, 0, 100, 0});
  run.only().place(placed(0, 1));
  // The first write fails; more bytes come before it, while the file is given up, and behind that.
  for (Index record = 1; run.executor.run_one(); ++record) {
    if (record < 100) run.only().place(placed(record, 1));
  }

  ASSERT_EQ(run.done.size(), 1U);
  EXPECT_EQ(run.done[0].error, run.path(1) + ": could not write");
  EXPECT_TRUE(run.disk.writes.empty());
  EXPECT_FALSE(run.only().has_open_files());
}

TEST(PartWriter, a_file_that_fails_leaves_the_others_alone) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Writers run(1, seed);
    run.disk.failing_write[run.path(1)] = 1 + seed % 2;
    for (std::int64_t period : {1, 2}) run.only().place(placed(0, 2, period));
    for (Index r : {0, 1}) {
      for (std::int64_t period : {1, 2}) run.add_record(r, period);
      run.executor.run_until_idle();  // a write for each record
    }
    for (std::int64_t period : {1, 2}) run.only().close(closed(2, period));
    run.executor.run_until_idle();

    ASSERT_EQ(run.done.size(), 2U);
    for (const PartsDone& done : run.done) {
      EXPECT_EQ(done.error, done.file.period == 1 ? run.path(1) + ": could not write" : "");
    }
    EXPECT_EQ(run.numbers(2), whole_records(2));
  }
}

TEST(PartWriter, a_sync_that_fails_is_reported) {
  Writers run(1, 0);
  run.disk.failing_sync[run.path(1)] = 1;

  run.post_everything(2);

  ASSERT_EQ(run.done.size(), 1U);
  EXPECT_EQ(run.done[0].error, run.path(1) + ": could not sync");
}

TEST(PartWriter, parts_of_a_file_that_its_owner_gave_up_are_dropped) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Writers run(1, seed);
    MemoryOfParts memory;
    run.only().add(memory.given_to(part_of_w(0, 0)), 0);
    run.only().close({{FileId(0), 1}, true, false, {0}});
    Record late = memory.given_to(part_of_w(1, 1));
    run.executor.submit([&] { run.homes[0]->post([&] { run.only().add(std::move(late), 1); }); });
    run.executor.run_until_idle();

    EXPECT_TRUE(memory.is_back());
    ASSERT_EQ(run.done.size(), 1U);
    EXPECT_NE(run.done[0].error, "");
    EXPECT_TRUE(run.disk.writes.empty());
    EXPECT_FALSE(run.only().has_open_files());
  }
}

TEST(PartWriter, parts_of_periods_behind_the_last_one_are_dropped) {
  Writers run(1, 0);
  run.only().add(part_of_w(0, 0, 3), 0);

  run.only().close({{FileId(0), 2}, false, true, {}});
  EXPECT_FALSE(run.only().has_open_files());
  run.only().add(part_of_w(0, 1, 3), 1);

  EXPECT_FALSE(run.only().has_open_files());
  EXPECT_TRUE(run.done.empty());
}

}  // namespace
}  // namespace pileus::testing
