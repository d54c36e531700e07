#include "publishing/parts/part_writer.h"

#include <gtest/gtest.h>

#include <cstring>

#include "disk/testing/memory_files.h"
#include "exec/seeded_executor.h"
#include "files/testing/small_plan.h"
#include "formats/testing/fake_format.h"
#include "publishing/parts/testing/part_records.h"
#include "time/manipulations/list.h"

namespace pileus::testing {
namespace {

constexpr std::uint64_t kRecordBytes = 17 * 8;

std::vector<double> whole_records(Index records) {
  std::vector<double> numbers;
  for (Index r = 0; r < records; ++r) {
    for (Index i = 0; i < 16; ++i) numbers.push_back(static_cast<double>(100 * r + i));
    numbers.push_back(static_cast<double>(-r));
  }
  return numbers;
}

Placement placed(Index first, Index records, std::int64_t period = 1) {
  Placement placement{{FileId(0), period}, 0, {first, records, {{0, {}}, {1, {}}}, {}, {}}};
  for (Index r = first; r < first + records; ++r) {
    const std::uint64_t at = static_cast<std::uint64_t>(r) * kRecordBytes;
    placement.growth.variables[0].second.push_back({{{at, {{0, 0}, {4, 4}}}}});
    placement.growth.variables[1].second.push_back({{{at + 128, {{}, {}}}}});
  }
  return placement;
}

class Writers : private FileOwners {
 public:
  Writers(std::size_t count, std::uint64_t seed, bool owners_write_all = false) : executor(seed) {
    small.plan.layout = {kClients, static_cast<ServerRank>(count)};
    const FileId file = small.file("f.nc", 10);
    const ScheduleId axis = small.axis(file, manipulations::instantaneous(), 5);
    small.variable("w", axis, Spread::distributed, {small.dimension("x", 4), small.dimension("y", 4)});
    small.variable("m", axis, Spread::rooted, {});
    for (std::size_t i = 0; i < count; ++i) {
      Share share{{}, {i == 0}, owners_write_all, &regions};
      for (ClientRank client = 0; client < kClients; ++client) {
        if (owners_write_all || client * count / kClients == i) share.clients.push_back(client);
      }
      homes.push_back(std::make_unique<Strand>(executor));
      writers.push_back(make_writer(std::move(share), *homes.back()));
    }
    disk.files[path(1)] = {};
    disk.files[path(2)] = {};
  }

  std::string path(std::int64_t period) const { return names.temporary_path({FileId(0), period}); }
  std::unique_ptr<PartWriter> make_writer(Share share, Strand& home) {
    const WriterMeans means{disk, format, home, executor, executor};
    return std::make_unique<PartWriter>(small.plan, std::move(share), names, means,
                                        static_cast<FileOwners&>(*this));
  }
  PartWriter& only() { return *writers.front(); }
  PartWriter& writer_of(ClientRank client) { return *writers[client * writers.size() / kClients]; }
  Strand& home_of(ClientRank client) { return *homes[client * writers.size() / kClients]; }

  /// Parts come whenever they like; what the owner says comes in its order.
  void post_everything(Index records) {
    for (Index r = 0; r < records; ++r) {
      for (ClientRank client = 0; client < kClients; ++client) {
        executor.submit([this, r, client] {
          home_of(client).post([this, r, client] { writer_of(client).add(part_of_w(r, client), client); });
        });
      }
      executor.submit([this, r] { homes[0]->post([this, r] { only().add(m(r), 0); }); });
    }
    for (std::size_t i = 0; i < writers.size(); ++i) {
      auto owner = std::make_shared<Strand>(executor);
      auto tell = [&](auto&& what) {
        owner->post([this, i, what, owner] { homes[i]->post([this, i, what] { what(*writers[i]); }); });
      };
      for (Index r = 0; r < records; r += 2) {
        tell([r](PartWriter& writer) { writer.place(placed(r, 2)); });
      }
      tell([records](PartWriter& writer) { writer.close(closed(records)); });
    }
    executor.run_until_idle();
  }
  void add_record(Index record, std::int64_t period = 1) {
    for (ClientRank client = 0; client < kClients; ++client) {
      only().add(part_of_w(record, client, period), client);
    }
    only().add(m(record, period), 0);
  }
  std::vector<double> numbers(std::int64_t period = 1) const {
    const Bytes& bytes = disk.files.at(path(period));
    std::vector<double> numbers(bytes.size() / 8);
    if (!bytes.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
    return numbers;
  }

  SmallPlan small;
  MemoryFiles disk;
  SeededExecutor executor;
  FakeFormat format{disk};
  FileNames names{small.plan, {"id", "today"}, "out", ".nc"};
  std::vector<std::vector<Region>> regions = regions_of_quarters();
  std::vector<std::unique_ptr<Strand>> homes;
  std::vector<PartsDone> done;
  std::vector<CutSynced> synced;
  std::vector<std::unique_ptr<PartWriter>> writers;

 private:
  void parts_done(PartsDone parts) override { done.push_back(std::move(parts)); }
  void cut_synced(CutSynced cut) override { synced.push_back(std::move(cut)); }
  void packed(PackedPart /*part*/) override {}
};

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

TEST(PartWriter, a_record_is_written_as_soon_as_it_is_complete_and_gives_its_memory_back) {
  Writers run(1, 0);
  run.only().place(placed(0, 2));
  auto ballast = std::make_shared<int>();
  const std::weak_ptr<int> watch = ballast;
  Record first = part_of_w(0, 0);
  first.ballast = std::move(ballast);

  run.only().add(std::move(first), 0);
  run.executor.run_until_idle();
  EXPECT_TRUE(run.disk.writes.empty());
  EXPECT_FALSE(watch.expired());
  for (ClientRank client = 1; client < kClients; ++client) run.only().add(part_of_w(0, client), client);
  run.executor.run_until_idle();

  EXPECT_EQ(run.disk.writes.size(), 1U);
  EXPECT_TRUE(watch.expired());
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
    auto ballast = std::make_shared<int>();
    const std::weak_ptr<int> watch = ballast;
    run.only().place(placed(0, 2));
    if (ends_first) run.only().end_client(2);
    for (ClientRank client : {0U, 1U, 3U}) {
      Record part = part_of_w(0, client);
      part.ballast = ballast;
      run.only().add(std::move(part), client);
    }
    ballast.reset();
    if (!ends_first) run.only().end_client(2);
    run.executor.run_until_idle();

    EXPECT_TRUE(watch.expired());
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

TEST(PartWriter, a_write_that_fails_is_reported_once_and_later_parts_give_their_memory_back) {
  Writers run(1, 0);
  run.disk.failing_write[run.path(1)] = 1;
  run.only().place(placed(0, 2));
  for (ClientRank client = 0; client < kClients; ++client) run.only().add(part_of_w(0, client), client);
  run.executor.run_until_idle();
  auto ballast = std::make_shared<int>();
  const std::weak_ptr<int> watch = ballast;
  Record late = part_of_w(1, 0);
  late.ballast = std::move(ballast);

  run.only().add(std::move(late), 0);
  EXPECT_TRUE(watch.expired());
  run.only().close(closed(2));
  run.executor.run_until_idle();

  ASSERT_EQ(run.done.size(), 1U);
  EXPECT_EQ(run.done[0].error, run.path(1) + ": could not write");
  EXPECT_FALSE(run.only().has_open_files());
}

TEST(PartWriter, parts_that_waited_when_a_write_failed_give_their_memory_back) {
  Writers run(1, 0);
  run.disk.failing_write[run.path(1)] = 1;
  auto ballast = std::make_shared<int>();
  const std::weak_ptr<int> watch = ballast;
  Record waiting = part_of_w(1, 0);
  waiting.ballast = std::move(ballast);
  run.only().add(std::move(waiting), 0);

  run.only().place(placed(0, 2));
  for (ClientRank client = 0; client < kClients; ++client) run.only().add(part_of_w(0, client), client);
  run.executor.run_until_idle();

  EXPECT_TRUE(watch.expired());
}

TEST(PartWriter, parts_that_come_when_a_failed_file_is_done_open_nothing_again) {
  Writers run(1, 0);
  run.disk.failing_write[run.path(1)] = 1;
  run.only().place(placed(0, 2));
  run.only().add(m(0), 0);
  run.only().close(closed(2));
  run.executor.run_until_idle();
  ASSERT_EQ(run.done.size(), 1U);
  auto ballast = std::make_shared<int>();
  const std::weak_ptr<int> watch = ballast;
  Record late = part_of_w(1, 0);
  late.ballast = std::move(ballast);

  run.only().add(std::move(late), 0);

  EXPECT_TRUE(watch.expired());
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
    auto ballast = std::make_shared<int>();
    const std::weak_ptr<int> watch = ballast;
    Record early = part_of_w(0, 0);
    early.ballast = ballast;
    run.only().add(std::move(early), 0);
    run.only().close({{FileId(0), 1}, true, false, {0}});
    Record late = part_of_w(1, 1);
    late.ballast = std::move(ballast);
    run.executor.submit([&] { run.homes[0]->post([&] { run.only().add(std::move(late), 1); }); });
    run.executor.run_until_idle();

    EXPECT_TRUE(watch.expired());
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

TEST(PartWriter, says_what_it_waits_for) {
  Writers run(1, 0);
  run.only().place(placed(0, 1));
  for (ClientRank client : {0U, 3U}) run.only().add(part_of_w(0, client), client);

  EXPECT_EQ(
      run.only().open_texts(),
      (std::vector<std::string>{"f.nc, period 1: record 0 of w at 0 s lacks the parts of model ranks 1, 2",
                                "f.nc, period 1: is not closed"}));
}

TEST(PartWriter, says_both_of_a_record_that_lacks_its_place_and_a_part) {
  Writers run(1, 0);
  for (ClientRank client : {0U, 2U, 3U}) run.only().add(part_of_w(0, client), client);
  run.only().add(m(0), 0);

  EXPECT_EQ(texts_of(run.only().waits()),
            (std::vector<std::string>{
                "f.nc, period 1: record 0 of w at 0 s has no place yet and lacks the part of model rank 1",
                "f.nc, period 1: record 0 of m at 0 s has no place yet"}));
}

TEST(PartWriter, tells_of_all_records_of_a_variable_that_lack_something_as_one_subject) {
  Writers run(1, 0);
  run.only().place(placed(0, 3));
  for (Index record = 0; record < 3; ++record) run.only().add(part_of_w(record, 0), 0);
  for (ClientRank client : {1U, 2U, 3U}) run.only().add(part_of_w(1, client), client);

  const std::vector<Wait> waits = run.only().waits();

  ASSERT_EQ(waits.size(), 2u);
  EXPECT_EQ(waits[0].text, "f.nc, period 1: 1 record is being written to the disk");
  EXPECT_EQ(waits[0].numbers, std::vector<std::int64_t>{1});
  EXPECT_EQ(waits[1].subject, "f.nc, period 1, w");
  EXPECT_EQ(waits[1].numbers, (std::vector<std::int64_t>{0, 2}));
}

}  // namespace
}  // namespace pileus::testing
