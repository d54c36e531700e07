// FileOwner of files with compressed variables, whose chunks come from everywhere.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>

#include "publishing/owner/testing/owner_run.h"
#include "time/manipulations/list.h"

namespace pileus::testing {
namespace {

/// A file each 10 s with a compressed and an uncompressed variable at every step, and a compressed mean.
void add_packed(Owner& run) {
  const FileId file = run.small.file("f.nc", 10);
  const DimensionId x = run.small.dimension("x", 200);
  const ScheduleId each = run.small.axis(file, manipulations::none(), 0);
  const ScheduleId mean = run.small.axis(file, manipulations::averaged(), 5);
  run.small.variable("w", each, Spread::distributed, {x});
  run.small.variable("p", each, Spread::rooted, {x});
  run.small.variable("m", mean, Spread::distributed, {x});
  for (const std::size_t v : {0U, 2U})
    run.small.plan.variables[v].storage.compression = {&codecs::deflate(), 1};
}

TEST(OwnerOfPacked, compressed_records_come_in_the_order_of_model_time_whatever_comes_first) {
  std::vector<std::string> expected;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Owner run(seed);
    add_packed(run);
    run.start();
    std::vector<std::pair<std::uint32_t, Index>> records = {{2, 0}, {2, 1}};
    for (Index record = 0; record < 10; ++record) records.emplace_back(0, record);
    std::mt19937 random(static_cast<unsigned>(seed));
    std::shuffle(records.begin(), records.end(), random);
    const FilePeriod key{FileId(0), 1};
    const auto add = [&] {
      const auto [variable, record] = records.back();
      records.pop_back();
      run.home.post([&run, key, variable = variable, record = record] {
        run.owner->packed({key, record, variable, 0, {}});
      });
    };
    // Some come before the clock's word of their step, or before the file is known at all.
    for (std::int64_t i = 1; i <= 11; ++i) {
      while (!records.empty() && random() % 11 < seed % 11) add();
      for (std::size_t t = 0; t < random() % 7 && run.executor.run_one(); ++t) {
      }
      run.home.post([&run, i] {
        i <= 10 ? run.owner->advance({i, static_cast<double>(i), 1}, 0) : run.owner->finish();
      });
    }
    while (!records.empty()) {
      add();
      for (std::size_t t = 0; t < seed % 5 && run.executor.run_one(); ++t) {
      }
    }
    run.executor.run_until_idle();

    EXPECT_EQ(run.failed, Texts{});
    ASSERT_EQ(run.published_files.size(), 1U) << seed;
    if (expected.empty()) expected = run.format.calls;
    ASSERT_EQ(run.format.calls, expected) << seed;
  }
  const std::string name = temporary("f_10.nc");
  // At 5 s the mean comes after the sample of that time, as the second axis.
  EXPECT_EQ(
      std::ranges::count_if(expected, [](const std::string& call) { return call.starts_with("packed"); }),
      12);
  EXPECT_EQ(expected[0], "create " + name);
  EXPECT_EQ(expected[1], "grow " + name + " 0");
  EXPECT_EQ(expected[2], "packed " + name + " 0 0");
  const auto mean = std::ranges::find(expected, "packed " + name + " 0 2");
  ASSERT_NE(mean, expected.end());
  EXPECT_EQ(*(mean - 1), "grow " + name + " 1");
  EXPECT_EQ(*(mean - 2), "packed " + name + " 4 0");
  EXPECT_EQ(expected.back(), "finish " + name + " 10 2");
}

TEST(OwnerOfPacked, a_compressed_record_that_cannot_be_written_fails_its_file_once) {
  Owner run(3);
  add_packed(run);
  run.format.failing.insert("packed " + temporary("f_10.nc") + " 0 0");
  run.start();
  run.home.post([&run] { run.owner->advance({1, 1.0, 1}, 0); });
  run.home.post([&run] { run.owner->packed({{FileId(0), 1}, 0, 0, 0, {}}); });
  run.executor.run_until_idle();

  ASSERT_EQ(run.failed.size(), 1U);
  EXPECT_NE(run.failed[0].find("the disk is full"), std::string::npos);
  EXPECT_TRUE(run.published_files.empty());
  EXPECT_FALSE(run.owner->has_open_files());
  EXPECT_TRUE(run.disk.files.empty());
}

/// Steps of 1 s to 10 s, then the run's end.
void advance_to_the_end(Owner& run) {
  run.are_writers_quick = false;
  run.start(2);
  for (std::int64_t i = 1; i <= 10; ++i) {
    run.home.post([&run, i] { run.owner->advance({i, static_cast<double>(i), 1}, 0); });
  }
  run.home.post([&run] { run.owner->finish(); });
  run.executor.run_until_idle();
}

TEST(OwnerOfPacked, a_writer_that_fails_stops_the_others_though_a_compressed_record_is_waited_for) {
  Owner run(1);
  add_packed(run);  // w, compressed: record 0 never comes; p, plain, grows behind it
  advance_to_the_end(run);
  const FilePeriod key{FileId(0), 1};

  run.home.post([&run, key] { run.owner->parts_done(0, {key, "f: could not write", {}}); });
  run.executor.run_until_idle();

  EXPECT_EQ(run.failed, Texts{"out/f_10.nc: is lost: f: could not write"});
  ASSERT_EQ(run.closings_of_files().size(), 2U);
  EXPECT_FALSE(run.closings_of_files()[0].is_failed);
  EXPECT_TRUE(run.closings_of_files()[1].is_failed);
  EXPECT_TRUE(run.owner->has_open_files());  // the other one may be writing
  run.home.post([&run, key] { run.owner->parts_done(1, {key, "the file could not be written", {}}); });
  run.executor.run_until_idle();
  EXPECT_FALSE(run.owner->has_open_files());
  EXPECT_TRUE(run.disk.files.empty());
  EXPECT_EQ(run.failed.size(), 1U);
}

TEST(OwnerOfPacked, a_compressed_record_that_fails_behind_the_last_writer_leaves_nothing_behind) {
  Owner run(1);
  add_packed(run);
  run.format.failing.insert("packed " + temporary("f_10.nc") + " 0 0");
  advance_to_the_end(run);
  const FilePeriod key{FileId(0), 1};
  for (ServerRank writer = 0; writer < 2; ++writer) {
    run.home.post([&run, key, writer] { run.owner->parts_done(writer, {key, "", {}}); });
  }
  run.executor.run_until_idle();
  EXPECT_TRUE(run.owner->has_open_files());

  run.home.post([&run, key] { run.owner->packed({key, 0, 0, 0, {}}); });
  run.executor.run_until_idle();

  ASSERT_EQ(run.failed.size(), 1U);
  EXPECT_NE(run.failed[0].find("the disk is full"), std::string::npos);
  EXPECT_FALSE(run.owner->has_open_files());
  EXPECT_TRUE(run.disk.files.empty());
}

TEST(OwnerOfPacked, tells_how_many_compressed_records_are_in_the_file) {
  Owner run(1);
  add_packed(run);
  run.start();
  run.home.post([&run] { run.owner->advance({1, 1.0, 1}, 0); });
  run.executor.run_until_idle();
  EXPECT_TRUE(run.progress_told.empty());

  run.home.post([&run] { run.owner->packed({{FileId(0), 1}, 0, 0, 0, {}}); });
  run.executor.run_until_idle();

  ASSERT_EQ(run.progress_told.size(), 1U);
  EXPECT_EQ(run.progress_told[0].axis, 0U);
  EXPECT_EQ(run.progress_told[0].certain, 1);
  EXPECT_EQ(run.progress_told[0].written, 1);
}

TEST(OwnerOfPacked, tells_which_compressed_records_there_will_be_once_a_model_rank_has_ended) {
  Owner run(1);
  add_packed(run);
  run.start();
  run.home.post([&run] { run.owner->advance({1, 1.0, 1}, 0); });
  run.home.post([&run] { run.owner->client_ended(0); });
  run.home.post([&run] { run.owner->advance({2, 2.0, 1}, 0); });
  run.executor.run_until_idle();

  std::vector<std::array<Index, 3>> told;
  for (const Progress& each : run.progress_told) told.push_back({each.axis, each.certain, each.written});
  EXPECT_EQ(told, (std::vector<std::array<Index, 3>>{{0, 1, 0}, {1, 0, 0}, {0, 2, 0}}));

  run.home.post([&run] { run.owner->client_ended(1); });
  run.executor.run_until_idle();
  EXPECT_EQ(run.progress_told.size(), told.size()) << "the end of another rank says nothing new";
}

TEST(OwnerOfPacked, a_part_that_fails_before_the_clock_has_come_to_its_step_fails_its_file) {
  Owner run(1);
  add_packed(run);
  run.start(2);

  run.home.post([&run] { run.owner->parts_done(0, {{FileId(0), 1}, "no memory to compress", {}}); });
  run.answered.insert({FileId(0), 1});
  run.executor.run_until_idle();
  ASSERT_EQ(run.closings.size(), 1U);
  EXPECT_TRUE(run.closings[0].is_failed);
  run.home.post([&run] { run.owner->parts_done(1, {{FileId(0), 1}, "the file could not be written", {}}); });
  run.run(10);

  EXPECT_EQ(run.failed, Texts{"out/f_10.nc: is lost: no memory to compress"});
  EXPECT_FALSE(run.owner->has_open_files());
  EXPECT_TRUE(run.disk.files.empty());
}

TEST(OwnerOfPacked, a_compressed_record_is_written_when_all_its_chunks_are_there_in_their_order) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Owner run(seed);
    run.format.rows_at_once = 80;  // 3 chunks of 200 elements
    add_packed(run);
    run.start();
    std::vector<PackedPart> chunks;
    for (std::uint32_t variable : {0U, 2U}) {
      for (Index record = 0; record < (variable == 0 ? 5 : 1); ++record) {
        for (std::uint32_t chunk = 0; chunk < 3; ++chunk) {
          const auto mark = static_cast<std::byte>(10 * variable + 3 * record + chunk + 1);
          chunks.push_back({{FileId(0), 1}, record, variable, chunk, {{mark}, 0}});
        }
      }
    }
    std::mt19937 random(static_cast<unsigned>(seed));
    std::shuffle(chunks.begin(), chunks.end(), random);
    for (const PackedPart& chunk : chunks) {
      run.executor.submit([&run, chunk] { run.home.post([&run, chunk] { run.owner->packed(chunk); }); });
    }
    run.run(5, random() % 9);

    EXPECT_EQ(run.failed, Texts{});
    ASSERT_EQ(run.published_files, Texts{"out/f_10.nc 6"}) << seed;
    Texts written;
    for (const std::string& call : run.format.calls) {
      if (call.starts_with("packed")) written.push_back(call.substr(call.find(".part ") + 6));
    }
    EXPECT_EQ(written,
              (Texts{"0 0/1/2/3", "1 0/4/5/6", "2 0/7/8/9", "3 0/10/11/12", "4 0/13/14/15", "0 2/21/22/23"}))
        << seed;
  }
}

/// Space is made in three pieces; what had been made before one was refused is told once.
TEST(OwnerOfPacked, says_what_each_file_waits_for) {
  Owner run(1);
  run.format.rows_at_once = 80;  // 3 chunks of 200 elements
  add_packed(run);
  run.are_writers_quick = false;
  run.start(2);
  const std::string f = "out/f_10.nc: ";
  const auto waits = [&run] {
    Texts texts;
    for (const FileWait& wait : run.owner->waits()) texts.push_back(wait.text);
    return texts;
  };
  const auto settle = [&run](Task task) {
    run.home.post(std::move(task));
    run.executor.run_until_idle();
  };

  settle([&run] { run.owner->advance({1, 1.0, 1}, 0); });
  settle([&run] { run.owner->packed({{FileId(0), 1}, 0, 0, 1, {}}); });
  EXPECT_EQ(run.owner->open_texts(), Texts{f + "waits for 2 chunks of w of record 0"});
  EXPECT_EQ(waits(), Texts{});  // the model has them

  settle([&run] { run.owner->finish(); });
  EXPECT_EQ(waits(), Texts{f + "waits for the parts of "});
  EXPECT_EQ(run.owner->open_texts(), (Texts{f + "waits for 2 servers to write their parts",
                                            f + "waits for 2 chunks of w of record 0"}));

  const PartsDone done{{FileId(0), 1}, "", {}};
  settle([&run, done] { run.owner->parts_done(0, done); });
  EXPECT_EQ(run.owner->open_texts()[0], f + "waits for 1 server to write its parts");
  settle([&run, done] { run.owner->parts_done(1, done); });
  EXPECT_EQ(run.owner->open_texts(), Texts{f + "waits for 2 chunks of w of record 0"});
  EXPECT_EQ(waits(), Texts{f + "waits for 2 chunks of w of record 0"});
}

}  // namespace
}  // namespace pileus::testing
