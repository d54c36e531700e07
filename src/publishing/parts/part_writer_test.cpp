#include "publishing/parts/part_writer.h"

#include <gtest/gtest.h>

#include "publishing/parts/testing/writers.h"

namespace pileus::testing {
namespace {

TEST(PartWriter, any_order_and_any_number_of_writers_give_the_same_bytes) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const std::size_t count = 1 + seed % 3;
    Writers run(count, seed);

    run.post_everything(4);

    ASSERT_EQ(run.numbers(), whole_records(4)) << "seed " << seed;
    ASSERT_EQ(run.done.size(), count);
    for (const PartsDone& done : run.done) EXPECT_EQ(done.error, "");
    for (const auto& writer : run.writers) EXPECT_FALSE(writer->has_open_files());
  }
}

TEST(PartWriter, parts_that_are_there_before_their_place_are_written_when_it_comes) {
  Writers run(1, 0);
  run.add_record(0);
  run.executor.run_until_idle();
  EXPECT_TRUE(run.disk.writes.empty());

  run.only().place(placed(0, 1));
  run.only().close(closed(1));
  run.executor.run_until_idle();

  EXPECT_EQ(run.numbers(), whole_records(1));
  EXPECT_EQ(run.disk.writes.size(), 1U);  // m lies behind w
}

TEST(PartWriter, records_that_are_ready_at_once_go_to_the_disk_in_one_write) {
  Writers run(1, 0);
  for (Index record = 0; record < 6; ++record) run.add_record(record);

  run.only().place(placed(0, 6));
  run.only().close(closed(6));
  run.executor.run_until_idle();

  EXPECT_EQ(run.numbers(), whole_records(6));
  EXPECT_EQ(run.disk.writes, (std::vector<MemoryFiles::Call>{{run.path(1), 0, 6 * kRecordBytes}}));
}

TEST(PartWriter, records_that_come_while_the_disk_is_busy_gather_for_the_next_write) {
  Writers run(1, 0);
  run.only().place(placed(0, 8));
  run.add_record(0);
  ASSERT_TRUE(run.executor.run_one());  // the first record is on its way to the disk

  for (Index record = 1; record < 8; ++record) run.add_record(record);
  run.only().close(closed(8));
  run.executor.run_until_idle();

  EXPECT_EQ(run.numbers(), whole_records(8));
  EXPECT_EQ(run.disk.writes, (std::vector<MemoryFiles::Call>{{run.path(1), 0, kRecordBytes},
                                                             {run.path(1), kRecordBytes, 7 * kRecordBytes}}));
}

TEST(PartWriter, holds_nothing_of_records_that_are_written_while_the_file_is_open) {
  Writers run(1, 0);
  for (Index r = 0; r < 200; r += 2) {
    run.only().place(placed(r, 2));
    run.add_record(r + 1);
    run.executor.run_until_idle();
    EXPECT_EQ(run.only().held_of_written(), 3U) << r;  // the later record of two variables, and the places
    run.add_record(r);
    run.executor.run_until_idle();
    EXPECT_EQ(run.only().held_of_written(), 0U) << r;
  }
  run.only().close(closed(200));
  run.executor.run_until_idle();
  EXPECT_EQ(run.numbers(), whole_records(200));
}

TEST(PartWriter, a_part_that_another_server_writes_is_dropped) {
  Writers run(2, 0);
  run.writers[1]->add(m(0), 0);
  run.executor.run_until_idle();
  EXPECT_EQ(run.writers[1]->held_of_written(), 0U);

  run.post_everything(2);
  EXPECT_EQ(run.numbers(), whole_records(2));
}

TEST(PartWriter, a_part_of_a_record_that_is_written_is_dropped) {
  Writers run(1, 0);
  run.only().place(placed(0, 2));
  run.add_record(0);
  run.executor.run_until_idle();
  run.add_record(0);
  EXPECT_EQ(run.only().held_of_written(), 1U);
  run.add_record(1);
  run.only().close(closed(2));
  run.executor.run_until_idle();
  EXPECT_EQ(run.numbers(), whole_records(2));
  EXPECT_EQ(run.done.size(), 1U);
}

TEST(PartWriter, holds_nothing_of_files_that_their_owner_has_published) {
  Writers run(1, 0);
  for (std::int64_t period = 1; period <= 1000; ++period) {
    run.disk.files[run.path(period)] = {};
    run.add_record(0, period);
    run.only().place(placed(0, 1, period));
    Closing closing = closed(1, period);
    closing.first_open = period;
    run.only().close(closing);
    run.executor.run_until_idle();

    ASSERT_LE(run.only().held_of_done(), 1U);
  }
  EXPECT_EQ(run.done.size(), 1000U);
}

TEST(PartWriter, a_record_is_written_as_soon_as_it_is_complete_and_gives_its_memory_back) {
  Writers run(1, 0);
  run.only().place(placed(0, 2));
  MemoryOfParts memory;

  run.only().add(memory.given_to(part_of_w(0, 0)), 0);
  run.executor.run_until_idle();
  EXPECT_TRUE(run.disk.writes.empty());
  EXPECT_FALSE(memory.is_back());
  for (ClientRank client = 1; client < kClients; ++client) run.only().add(part_of_w(0, client), client);
  run.executor.run_until_idle();

  EXPECT_EQ(run.disk.writes.size(), 1U);
  EXPECT_TRUE(memory.is_back());
}

TEST(PartWriter, a_file_that_is_closed_early_waits_for_its_last_part) {
  Writers run(1, 0);
  run.only().place(placed(0, 2));
  run.only().close(closed(2));
  run.add_record(1);
  for (ClientRank client = 1; client < kClients; ++client) run.only().add(part_of_w(0, client), client);
  run.only().add(m(0), 0);
  run.executor.run_until_idle();
  EXPECT_TRUE(run.done.empty());

  run.only().add(part_of_w(0, 0), 0);
  run.executor.run_until_idle();

  EXPECT_EQ(run.done.size(), 1U);
  EXPECT_EQ(run.numbers(), whole_records(2));
}

TEST(PartWriter, places_that_no_record_takes_hold_nothing_up) {
  Writers run(1, 0);
  run.only().place(placed(0, 4));
  run.add_record(0);
  run.only().close(closed(1));
  run.executor.run_until_idle();

  EXPECT_EQ(run.done.size(), 1U);
  EXPECT_EQ(run.numbers(), whole_records(1));
}

TEST(PartWriter, a_file_without_parts_of_this_server_is_done_at_once) {
  Writers run(1, 0, false);
  const auto idle = run.make_writer({{}, {false}, false, &run.regions}, *run.homes[0]);

  idle->place(placed(0, 2));
  idle->close(closed(2));
  run.executor.run_until_idle();

  ASSERT_EQ(run.done.size(), 1U);
  EXPECT_EQ(run.done[0].error, "");
  EXPECT_FALSE(idle->has_open_files());
}

TEST(PartWriter, the_owner_alone_may_write_the_parts_of_all) {
  Writers run(1, 0, true);

  run.post_everything(2);

  EXPECT_EQ(run.numbers(), whole_records(2));
}

TEST(PartWriter, parts_that_an_ended_rank_never_sent_are_filled_and_named) {
  Writers run(1, 0);
  run.only().place(placed(0, 1));
  for (ClientRank client : {0U, 1U, 3U}) run.only().add(part_of_w(0, client), client);
  run.only().add(m(0), 0);
  run.only().close(closed(1));
  run.executor.run_until_idle();
  EXPECT_TRUE(run.done.empty());

  run.only().end_client(2);
  run.executor.run_until_idle();

  ASSERT_EQ(run.done.size(), 1U);
  EXPECT_EQ(run.done[0].error, "");
  ASSERT_EQ(run.done[0].missing.size(), 1U);
  EXPECT_EQ(run.done[0].missing[0], (MissingPart{0, 2, {{0, 2}, {2, 2}}, 1}));
  std::vector<double> expected = whole_records(1);  // rank 2 has y = 2 and 3 at x = 0 and 1
  for (std::size_t i : {8, 9, 12, 13}) expected[i] = 9.9692099683868690e+36;
  EXPECT_EQ(run.numbers(), expected);
}

/// Others would wait for the memory that their parts of it take, and with them the end of the file.
TEST(PartWriter, a_record_that_lacks_only_ended_ranks_is_written_before_the_file_closes) {
  for (const bool ends_first : {true, false}) {
    Writers run(1, 0);
    MemoryOfParts memory;
    run.only().place(placed(0, 2));
    if (ends_first) run.only().end_client(2);
    for (ClientRank client : {0U, 1U, 3U}) {
      run.only().add(memory.given_to(part_of_w(0, client)), client);
    }
    if (!ends_first) run.only().end_client(2);
    run.executor.run_until_idle();

    EXPECT_TRUE(memory.is_back());
    EXPECT_TRUE(run.done.empty());

    run.only().add(m(0), 0);
    run.only().close(closed(1));
    run.executor.run_until_idle();
    ASSERT_EQ(run.done.size(), 1U);
    ASSERT_EQ(run.done[0].missing.size(), 1U);
    EXPECT_EQ(run.done[0].missing[0].records, 1);
  }
}

TEST(PartWriter, the_end_of_ranks_that_sent_everything_changes_nothing) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Writers run(1, seed);
    run.only().place(placed(0, 2));
    for (Index r : {0, 1}) run.add_record(r);

    for (ClientRank client = 0; client < kClients; ++client) run.only().end_client(client);
    run.only().close(closed(2));
    run.executor.run_until_idle();

    ASSERT_EQ(run.done.size(), 1U);
    EXPECT_TRUE(run.done[0].missing.empty());
    EXPECT_EQ(run.numbers(), whole_records(2));
  }
}

}  // namespace
}  // namespace pileus::testing
