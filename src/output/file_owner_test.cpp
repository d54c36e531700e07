#include "output/file_owner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>

#include "exec/seeded_executor.h"
#include "output/testing/fake_format.h"
#include "output/testing/memory_files.h"
#include "output/testing/small_plan.h"

namespace pileus::testing {
namespace {

using Texts = std::vector<std::string>;

std::string temporary(const std::string& name) { return "out/." + name + ".id-0.part"; }

/// An owner of all files whose writers answer the first closing of a file at once.
class Owner {
 public:
  explicit Owner(std::uint64_t seed) : executor(seed) {}

  void start(std::size_t writers = 1) {
    FullDisks::Hooks told;
    told.full = [this](FilePeriod, const std::string&) { ++told_full; };
    told.over = [](FilePeriod, double, bool) {};
    full_disks = std::make_unique<FullDisks>(
        FullDisks{small.plan, pauses, {0, 0, 1}, executor, executor, std::move(told)});
    FileOwner::Hooks hooks;
    hooks.post = [this](Task task) { home.post(std::move(task)); };
    hooks.announce = [this](const Placement& placement) { placements.push_back(placement); };
    hooks.closing = [this, writers](const Closing& closing) {
      closings.push_back(closing);
      if (closing.is_last || !are_writers_quick || !answered.insert(closing.file).second) return;
      for (std::size_t i = 0; i < writers; ++i) {
        home.post([this, closing] { owner->parts_done({closing.file, part_error, part_missing}); });
      }
    };
    hooks.progress = [this](const Progress& told) { progress.push_back(told); };
    hooks.published = [this](const PublishedFile& file) {
      published.push_back(file.path + " " + std::to_string(file.records));
      missing.insert(missing.end(), file.missing.begin(), file.missing.end());
    };
    hooks.failed = [this](FilePeriod, const std::string& error) { failed.push_back(error); };
    owner = std::make_unique<FileOwner>(
        small.plan, 0, RunIdentity{"id", "today"}, "out",
        std::vector<std::size_t>(small.plan.files.size(), writers), disk, format,
        FileOwner::Lanes{library, executor, is_disk_tried_again ? full_disks.get() : nullptr},
        std::move(hooks));
  }
  /// Steps of 1 s to `end_s`; other lanes get `tasks_between` turns after each.
  void run(std::int64_t end_s, std::size_t tasks_between = 1000) {
    for (std::int64_t i = 1; i <= end_s; ++i) {
      home.post([this, i] { owner->advance({i, static_cast<double>(i), 1}, 0); });
      for (std::size_t t = 0; t < tasks_between && executor.run_one(); ++t) {
      }
    }
    home.post([this] { owner->finish(); });
    do executor.run_until_idle();
    while (pauses.poll());
  }
  /// Of the files, without those that only say that none follows.
  std::vector<Closing> closings_of_files() const {
    std::vector<Closing> files;
    for (const Closing& closing : closings) {
      if (!closing.is_last) files.push_back(closing);
    }
    return files;
  }
  double number_at(const std::string& path, std::size_t offset) const {
    double number;
    std::memcpy(&number, disk.files.at(path).data() + offset, sizeof number);
    return number;
  }

  SmallPlan small;
  SeededExecutor executor;
  MemoryFiles disk;
  FakeFormat format{disk};
  Strand home{executor}, library{executor};
  std::unique_ptr<FileOwner> owner;
  Pauses pauses;
  std::unique_ptr<FullDisks> full_disks;
  bool is_disk_tried_again = false;
  int told_full = 0;
  std::string part_error;
  std::vector<MissingPart> part_missing;
  bool are_writers_quick = true;  ///< false: the test answers for them
  std::set<FilePeriod> answered;
  std::vector<Placement> placements;
  std::vector<Closing> closings;
  std::vector<Progress> progress;
  Texts published, failed, missing;
};

/// One file each 10 s with a mean over 5 s of a scalar.
void add_means(Owner& run, const std::string& name = "f.nc") {
  const FileId file = run.small.file(name, 10);
  run.small.variable("m", run.small.axis(file, Manipulation::averaged, 5), Spread::rooted, {});
}

TEST(FileOwner, publishes_one_file_for_each_period) {
  Owner run(0);
  add_means(run);
  run.start();

  run.run(20);

  EXPECT_EQ(run.published, (Texts{"out/f_10.nc 2", "out/f_20.nc 2"}));
  EXPECT_EQ(run.disk.names(), (Texts{"out/f_10.nc", "out/f_20.nc"}));
  EXPECT_EQ(run.format.calls,
            (Texts{"create " + temporary("f_10.nc"), "grow " + temporary("f_10.nc") + " 0",
                   "finish " + temporary("f_10.nc") + " 2", "create " + temporary("f_20.nc"),
                   "grow " + temporary("f_20.nc") + " 0", "finish " + temporary("f_20.nc") + " 2"}));
  EXPECT_FALSE(run.owner->has_open_files());
}

TEST(FileOwner, writes_times_and_bounds_where_the_format_says) {
  Owner run(0);
  add_means(run);
  run.start();

  run.run(20);

  // Two times, two pairs of bounds, two values: the second file has means over (10, 15] and (15, 20].
  const std::vector<double> expected = {15, 20, 10, 15, 15, 20, 0, 0};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(run.number_at("out/f_20.nc", 8 * i), expected[i]) << i;
  }
}

TEST(FileOwner, the_order_of_growth_follows_model_time_whatever_the_timing) {
  Texts first;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Owner run(seed);
    for (const char* name : {"f.nc", "g.nc"}) {
      const FileId file = run.small.file(name, 20);
      run.small.variable("m", run.small.axis(file, Manipulation::averaged, 5, 2), Spread::rooted, {});
      run.small.variable("n", run.small.axis(file, Manipulation::none, 0, 3), Spread::rooted, {});
    }
    run.format.records_at_once = 2;
    run.start();
    run.run(50, seed % 5);

    Texts grown;  // of one file: others may come between
    for (const std::string& call : run.format.calls) {
      if (call.starts_with("grow " + temporary("f_20.nc"))) grown.push_back(call);
    }
    if (seed == 0) first = grown;
    ASSERT_EQ(grown, first) << "seed " << seed;
    ASSERT_EQ(run.published.size(), 6U);
  }
  EXPECT_GT(first.size(), 4U);
}

TEST(FileOwner, growth_in_smaller_pieces_than_asked_goes_on_until_there_is_room) {
  Owner run(0);
  const FileId file = run.small.file("f.nc", 10);
  run.small.variable("m", run.small.axis(file, Manipulation::averaged, 2), Spread::rooted, {});
  run.format.records_at_once = 2;
  run.start();

  run.run(10);

  // 5 records are asked for at once.
  ASSERT_EQ(run.placements.size(), 3U);
  for (Index i = 0; i < 3; ++i) EXPECT_EQ(run.placements[i].growth.first_record, 2 * i);
  EXPECT_EQ(run.published, (Texts{"out/f_10.nc 5"}));
  // Each piece is two times, two pairs of bounds, two values: the fifth time is the first of the third piece.
  EXPECT_EQ(run.number_at("out/f_10.nc", 2 * 64), 10);
}

TEST(FileOwner, more_records_than_foreseen_grow_the_file_again) {
  Owner run(0);
  const FileId file = run.small.file("f.nc", 20);
  run.small.variable("m", run.small.axis(file, Manipulation::none, 0), Spread::rooted, {});
  run.start();

  run.run(20);

  // Room for 16 is a guess.
  ASSERT_EQ(run.placements.size(), 2U);
  EXPECT_EQ(run.placements[1].growth.first_record, 16);
  EXPECT_EQ(run.closings_of_files().at(0).records, (std::vector<Index>{20}));
  EXPECT_EQ(run.published, (Texts{"out/f_20.nc 20"}));
}

TEST(FileOwner, a_partial_window_that_opens_an_earlier_period_leaves_the_later_one_whole) {
  // The mean is sampled at 10 s alone, and its window ends with the run: it belongs to the file of 10 s. By
  // then the other axis has opened the file of 20 s.
  Owner run(0);
  const FileId file = run.small.file("f.nc", 10);
  run.small.variable("m", run.small.axis(file, Manipulation::averaged, 100, 10), Spread::rooted, {});
  run.small.variable("n", run.small.axis(file, Manipulation::instantaneous, 15), Spread::rooted, {});
  run.start();

  run.run(16);

  EXPECT_EQ(run.format.calls.front(), "create " + temporary("f_20.nc"));
  EXPECT_EQ(run.disk.names(), (Texts{"out/f_10.nc", "out/f_20.nc"}));
  const auto last = std::ranges::find(run.closings, true, &Closing::is_last);
  ASSERT_NE(last, run.closings.end());
  EXPECT_EQ(last->file.period, 2);
}

TEST(FileOwner, says_after_the_end_that_no_later_period_follows) {
  Owner run(0);
  add_means(run);
  add_means(run, "silent.nc");
  run.start();

  run.home.post([&] { run.owner->finish(); });
  run.executor.run_until_idle();

  ASSERT_EQ(run.closings.size(), 2U);
  for (const Closing& closing : run.closings) {
    EXPECT_TRUE(closing.is_last);
    EXPECT_TRUE(closing.records.empty());
    EXPECT_EQ(closing.file.period, INT64_MIN);
  }
  EXPECT_TRUE(run.disk.names().empty());
}

TEST(FileOwner, owns_no_files_of_other_servers) {
  Owner run(0);
  add_means(run);
  run.small.plan.files[0].owner = 1;
  run.start();

  run.run(20);

  EXPECT_TRUE(run.closings.empty());
  EXPECT_TRUE(run.format.calls.empty());
}

TEST(FileOwner, a_growth_that_fails_is_told_to_the_writers_and_other_periods_go_on) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Owner run(seed);
    const FileId file = run.small.file("f.nc", 20);
    run.small.variable("m", run.small.axis(file, Manipulation::averaged, 5), Spread::rooted, {});
    run.small.variable("n", run.small.axis(file, Manipulation::none, 0), Spread::rooted, {});
    const std::string failing = "grow " + temporary("f_20.nc") + " " + std::to_string(seed % 2);
    run.format.failing.insert(failing);
    run.start(2);

    run.run(40, seed % 4);

    EXPECT_EQ(run.failed, (Texts{failing + ": the disk is full"}));
    EXPECT_EQ(run.published, (Texts{"out/f_40.nc 24"}));
    EXPECT_EQ(run.disk.names(), (Texts{"out/f_40.nc"}));
    std::size_t failures = 0;
    for (const Closing& closing : run.closings_of_files()) {
      EXPECT_EQ(closing.is_failed, closing.file.period == 1);
      failures += closing.is_failed ? 1 : 0;
    }
    EXPECT_EQ(failures, 1U);
    EXPECT_FALSE(run.owner->has_open_files());
  }
}

TEST(FileOwner, a_file_that_exists_already_is_kept_and_its_period_fails) {
  Owner run(0);
  add_means(run);
  run.disk.files["out/f_10.nc"] = Bytes(3);
  run.start();

  run.run(20);

  ASSERT_EQ(run.failed.size(), 1U);
  EXPECT_TRUE(run.failed[0].starts_with("out/f_10.nc: exists already"));
  EXPECT_EQ(run.disk.files["out/f_10.nc"], Bytes(3));
  EXPECT_EQ(run.published, (Texts{"out/f_20.nc 2"}));
}

TEST(FileOwner, what_the_writers_could_not_write_is_reported_once_and_not_published) {
  Owner run(0);
  add_means(run);
  run.part_error = "f: could not write";
  run.start(3);

  run.run(10);

  EXPECT_EQ(run.failed, (Texts{"f: could not write"}));
  EXPECT_TRUE(run.published.empty());
  EXPECT_TRUE(run.disk.names().empty());
  EXPECT_FALSE(run.owner->has_open_files());
}

TEST(FileOwner, names_the_parts_that_all_writers_missed) {
  Owner run(0);
  add_means(run);
  run.part_missing = {{0, 7, {{0}, {4}}, 2}, {0, 1, {{4}, {4}}, 1}};
  run.start(2);

  run.run(10);

  EXPECT_EQ(run.missing,
            (Texts{"m [0:4] of model rank 7 in 4 records", "m [4:8] of model rank 1 in 2 records"}));
  const std::string name = temporary("f_10.nc");
  ASSERT_GE(run.format.calls.size(), 2U);
  EXPECT_EQ(*(run.format.calls.end() - 2),
            "remark " + name + " missing_parts=" + run.missing[0] + "; " + run.missing[1]);
  EXPECT_EQ(run.published.size(), 1U);
}

TEST(FileOwner, times_that_cannot_be_written_keep_the_file_from_publication) {
  Owner run(0);
  add_means(run);
  run.disk.failing_write[temporary("f_10.nc")] = 3;
  run.start();

  run.run(20);

  EXPECT_EQ(run.failed, (Texts{temporary("f_10.nc") + ": could not write"}));
  EXPECT_EQ(run.disk.names(), (Texts{"out/f_20.nc"}));
}

TEST(FileOwner, a_publication_that_fails_leaves_the_data_and_says_where) {
  Owner run(0);
  add_means(run);
  run.disk.failing_publish[temporary("f_10.nc")] = 1;
  run.start();

  run.run(20);

  ASSERT_EQ(run.failed.size(), 1U);
  EXPECT_TRUE(run.failed[0].ends_with("; its data are in " + temporary("f_10.nc")));
  EXPECT_TRUE(run.disk.exists(temporary("f_10.nc")));
  EXPECT_EQ(run.published, (Texts{"out/f_20.nc 2"}));
}

/// A file each 10 s with a compressed and an uncompressed variable at every step, and a compressed mean.
void add_packed(Owner& run) {
  const FileId file = run.small.file("f.nc", 10);
  const DimensionId x = run.small.dimension("x", 200);
  const ScheduleId each = run.small.axis(file, Manipulation::none, 0);
  const ScheduleId mean = run.small.axis(file, Manipulation::averaged, 5);
  run.small.variable("w", each, Spread::distributed, {x});
  run.small.variable("p", each, Spread::rooted, {x});
  run.small.variable("m", mean, Spread::distributed, {x});
  run.small.plan.variables[0].storage.deflate = run.small.plan.variables[2].storage.deflate = 1;
}

TEST(FileOwner, compressed_records_come_in_the_order_of_model_time_whatever_comes_first) {
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
    ASSERT_EQ(run.published.size(), 1U) << seed;
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

TEST(FileOwner, a_compressed_record_that_cannot_be_written_fails_its_file_once) {
  Owner run(3);
  add_packed(run);
  run.format.failing.insert("packed " + temporary("f_10.nc") + " 0 0");
  run.start();
  run.home.post([&run] { run.owner->advance({1, 1.0, 1}, 0); });
  run.home.post([&run] { run.owner->packed({{FileId(0), 1}, 0, 0, 0, {}}); });
  run.executor.run_until_idle();

  ASSERT_EQ(run.failed.size(), 1U);
  EXPECT_NE(run.failed[0].find("the disk is full"), std::string::npos);
  EXPECT_TRUE(run.published.empty());
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

TEST(FileOwner, a_writer_that_fails_stops_the_others_though_a_compressed_record_is_waited_for) {
  Owner run(1);
  add_packed(run);  // w, compressed: record 0 never comes; p, plain, grows behind it
  advance_to_the_end(run);
  const FilePeriod key{FileId(0), 1};

  run.home.post([&run, key] { run.owner->parts_done({key, "f: could not write", {}}); });
  run.executor.run_until_idle();

  EXPECT_EQ(run.failed, Texts{"f: could not write"});
  ASSERT_EQ(run.closings_of_files().size(), 2U);
  EXPECT_FALSE(run.closings_of_files()[0].is_failed);
  EXPECT_TRUE(run.closings_of_files()[1].is_failed);
  EXPECT_TRUE(run.owner->has_open_files());  // the other one may be writing
  run.home.post([&run, key] { run.owner->parts_done({key, "the file could not be written", {}}); });
  run.executor.run_until_idle();
  EXPECT_FALSE(run.owner->has_open_files());
  EXPECT_TRUE(run.disk.files.empty());
  EXPECT_EQ(run.failed.size(), 1U);
}

TEST(FileOwner, a_compressed_record_that_fails_behind_the_last_writer_leaves_nothing_behind) {
  Owner run(1);
  add_packed(run);
  run.format.failing.insert("packed " + temporary("f_10.nc") + " 0 0");
  advance_to_the_end(run);
  const FilePeriod key{FileId(0), 1};
  for (int writer = 0; writer < 2; ++writer) {
    run.home.post([&run, key] { run.owner->parts_done({key, "", {}}); });
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

TEST(FileOwner, says_what_each_file_waits_for) {
  Owner run(1);
  run.format.rows_at_once = 80;  // 3 chunks of 200 elements
  add_packed(run);
  run.are_writers_quick = false;
  run.start(2);
  const std::string f = "out/f_10.nc: ";
  const auto waits = [&run] {
    Texts texts;
    for (const FileOwner::FileWait& wait : run.owner->waits()) texts.push_back(wait.text);
    return texts;
  };
  const auto settle = [&run](const Task& task) {
    run.home.post(task);
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
  settle([&run, done] { run.owner->parts_done(done); });
  EXPECT_EQ(run.owner->open_texts()[0], f + "waits for 1 server to write its parts");
  settle([&run, done] { run.owner->parts_done(done); });
  EXPECT_EQ(run.owner->open_texts(), Texts{f + "waits for 2 chunks of w of record 0"});
  EXPECT_EQ(waits(), Texts{f + "waits for 2 chunks of w of record 0"});
}

TEST(FileOwner, tells_how_many_compressed_records_are_in_the_file) {
  Owner run(1);
  add_packed(run);
  run.start();
  run.home.post([&run] { run.owner->advance({1, 1.0, 1}, 0); });
  run.executor.run_until_idle();
  EXPECT_TRUE(run.progress.empty());

  run.home.post([&run] { run.owner->packed({{FileId(0), 1}, 0, 0, 0, {}}); });
  run.executor.run_until_idle();

  ASSERT_EQ(run.progress.size(), 1U);
  EXPECT_EQ(run.progress[0].axis, 0U);
  EXPECT_EQ(run.progress[0].certain, 1);
  EXPECT_EQ(run.progress[0].written, 1);
}

TEST(FileOwner, tells_which_compressed_records_there_will_be_once_a_model_rank_has_ended) {
  Owner run(1);
  add_packed(run);
  run.start();
  run.home.post([&run] { run.owner->advance({1, 1.0, 1}, 0); });
  run.home.post([&run] { run.owner->client_ended(); });
  run.home.post([&run] { run.owner->advance({2, 2.0, 1}, 0); });
  run.executor.run_until_idle();

  std::vector<std::array<Index, 3>> told;
  for (const Progress& each : run.progress) told.push_back({each.axis, each.certain, each.written});
  EXPECT_EQ(told, (std::vector<std::array<Index, 3>>{{0, 1, 0}, {1, 0, 0}, {0, 2, 0}}));
}

TEST(FileOwner, a_part_that_fails_before_the_clock_has_come_to_its_step_fails_its_file) {
  Owner run(1);
  add_packed(run);
  run.start(2);

  run.home.post([&run] { run.owner->parts_done({{FileId(0), 1}, "no memory to compress", {}}); });
  run.answered.insert({FileId(0), 1});
  run.executor.run_until_idle();
  ASSERT_EQ(run.closings.size(), 1U);
  EXPECT_TRUE(run.closings[0].is_failed);
  run.home.post([&run] { run.owner->parts_done({{FileId(0), 1}, "the file could not be written", {}}); });
  run.run(10);

  EXPECT_EQ(run.failed, Texts{"no memory to compress"});
  EXPECT_FALSE(run.owner->has_open_files());
  EXPECT_TRUE(run.disk.files.empty());
}

TEST(FileOwner, a_compressed_record_is_written_when_all_its_chunks_are_there_in_their_order) {
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
    ASSERT_EQ(run.published, Texts{"out/f_10.nc 6"}) << seed;
    Texts written;
    for (const std::string& call : run.format.calls) {
      if (call.starts_with("packed")) written.push_back(call.substr(call.find(".part ") + 6));
    }
    EXPECT_EQ(written,
              (Texts{"0 0/1/2/3", "1 0/4/5/6", "2 0/7/8/9", "3 0/10/11/12", "4 0/13/14/15", "0 2/21/22/23"}))
        << seed;
  }
}

/// Room is made in three pieces; what had been made before one was refused is told once.
TEST(FileOwner, growths_before_one_for_which_there_was_no_room_are_not_lost) {
  for (std::size_t call = 1; call <= 5; ++call) {
    Owner run(call);
    const FileId file = run.small.file("f.nc", 20);
    run.small.variable("m", run.small.axis(file, Manipulation::averaged, 5, 4), Spread::rooted, {});
    run.format.records_at_once = 2;
    run.format.full_at = call;
    run.is_disk_tried_again = true;
    run.start();

    run.run(20);

    EXPECT_EQ(run.published, Texts{"out/f_20.nc 4"}) << call;
    EXPECT_TRUE(run.failed.empty());
    Index placed = 0;
    for (const Placement& placement : run.placements) {
      EXPECT_EQ(placement.growth.first_record, placed) << call;
      placed += placement.growth.records;
    }
    EXPECT_EQ(placed, 4) << call;
    EXPECT_EQ(run.told_full, call <= run.format.calls.size() ? 1 : 0);
  }
}

}  // namespace
}  // namespace pileus::testing
