#include "publishing/owner/file_owner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <random>

#include "publishing/owner/testing/owner_run.h"
#include "time/manipulations/list.h"

namespace pileus::testing {
namespace {

TEST(FileOwner, publishes_one_file_for_each_period) {
  OwnerOfMeans run(0);
  run.start();

  run.run(20);

  EXPECT_EQ(run.published_files, (Texts{"out/f_10.nc 2", "out/f_20.nc 2"}));
  EXPECT_EQ(run.disk.names(), (Texts{"out/f_10.nc", "out/f_20.nc"}));
  EXPECT_EQ(run.format.calls,
            (Texts{"create " + temporary("f_10.nc"), "grow " + temporary("f_10.nc") + " 0",
                   "finish " + temporary("f_10.nc") + " 2", "create " + temporary("f_20.nc"),
                   "grow " + temporary("f_20.nc") + " 0", "finish " + temporary("f_20.nc") + " 2"}));
  EXPECT_FALSE(run.owner->has_open_files());
}

TEST(FileOwner, writes_times_and_bounds_where_the_format_says) {
  OwnerOfMeans run(0);
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
      run.small.variable("m", run.small.axis(file, manipulations::averaged(), 5, 2), Spread::rooted, {});
      run.small.variable("n", run.small.axis(file, manipulations::none(), 0, 3), Spread::rooted, {});
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
    ASSERT_EQ(run.published_files.size(), 6U);
  }
  EXPECT_GT(first.size(), 4U);
}

TEST(FileOwner, growth_in_smaller_pieces_than_asked_goes_on_until_there_is_room) {
  Owner run(0);
  const FileId file = run.small.file("f.nc", 10);
  run.small.variable("m", run.small.axis(file, manipulations::averaged(), 2), Spread::rooted, {});
  run.format.records_at_once = 2;
  run.start();

  run.run(10);

  // 5 records are asked for at once.
  ASSERT_EQ(run.placements.size(), 3U);
  for (Index i = 0; i < 3; ++i) EXPECT_EQ(run.placements[i].growth.first_record, 2 * i);
  EXPECT_EQ(run.published_files, (Texts{"out/f_10.nc 5"}));
  // Each piece is two times, two pairs of bounds, two values: the fifth time is the first of the third piece.
  EXPECT_EQ(run.number_at("out/f_10.nc", 2 * 64), 10);
}

TEST(FileOwner, more_records_than_foreseen_grow_the_file_again) {
  Owner run(0);
  const FileId file = run.small.file("f.nc", 20);
  run.small.variable("m", run.small.axis(file, manipulations::none(), 0), Spread::rooted, {});
  run.start();

  run.run(20);

  // Space for 16 is a guess.
  ASSERT_EQ(run.placements.size(), 2U);
  EXPECT_EQ(run.placements[1].growth.first_record, 16);
  EXPECT_EQ(run.closings_of_files().at(0).records, (std::vector<Index>{20}));
  EXPECT_EQ(run.published_files, (Texts{"out/f_20.nc 20"}));
}

TEST(FileOwner, a_partial_window_that_opens_an_earlier_period_leaves_the_later_one_whole) {
  // The mean is sampled at 10 s alone, and its window ends with the run: it belongs to the file of 10 s. By
  // then the other axis has opened the file of 20 s.
  Owner run(0);
  const FileId file = run.small.file("f.nc", 10);
  run.small.variable("m", run.small.axis(file, manipulations::averaged(), 100, 10), Spread::rooted, {});
  run.small.variable("n", run.small.axis(file, manipulations::instantaneous(), 15), Spread::rooted, {});
  run.start();

  run.run(16);

  EXPECT_EQ(run.format.calls.front(), "create " + temporary("f_20.nc"));
  EXPECT_EQ(run.disk.names(), (Texts{"out/f_10.nc", "out/f_20.nc"}));
  const auto last = std::ranges::find(run.closings, true, &Closing::is_last);
  ASSERT_NE(last, run.closings.end());
  EXPECT_EQ(last->file.period, 2);
}

TEST(FileOwner, says_after_the_end_that_no_later_period_follows) {
  OwnerOfMeans run(0);
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
  OwnerOfMeans run(0);
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
    run.small.variable("m", run.small.axis(file, manipulations::averaged(), 5), Spread::rooted, {});
    run.small.variable("n", run.small.axis(file, manipulations::none(), 0), Spread::rooted, {});
    const std::string failing = "grow " + temporary("f_20.nc") + " " + std::to_string(seed % 2);
    run.format.failing.insert(failing);
    run.start(2);

    run.run(40, seed % 4);

    EXPECT_EQ(run.failed, (Texts{failing + ": the disk is full"}));
    EXPECT_EQ(run.published_files, (Texts{"out/f_40.nc 24"}));
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
  OwnerOfMeans run(0);
  run.disk.files["out/f_10.nc"] = Bytes(3);
  run.start();

  run.run(20);

  ASSERT_EQ(run.failed.size(), 1U);
  EXPECT_TRUE(run.failed[0].starts_with("out/f_10.nc: exists already"));
  EXPECT_EQ(run.disk.files["out/f_10.nc"], Bytes(3));
  EXPECT_EQ(run.published_files, (Texts{"out/f_20.nc 2"}));
}

TEST(FileOwner, what_the_writers_could_not_write_is_reported_once_and_not_published) {
  OwnerOfMeans run(0);
  run.part_error = "f: could not write";
  run.start(3);

  run.run(10);

  EXPECT_EQ(run.failed, (Texts{"out/f_10.nc: is lost: f: could not write"}));
  EXPECT_TRUE(run.published_files.empty());
  EXPECT_TRUE(run.disk.names().empty());
  EXPECT_FALSE(run.owner->has_open_files());
}

TEST(FileOwner, names_the_parts_that_all_writers_missed) {
  OwnerOfMeans run(0);
  run.part_missing = {{0, 7, {{0}, {4}}, 2}, {0, 1, {{4}, {4}}, 1}};
  run.start(2);

  run.run(10);

  EXPECT_EQ(run.missing,
            (Texts{"m [0:4] of model rank 7 in 4 records", "m [4:8] of model rank 1 in 2 records"}));
  const std::string name = temporary("f_10.nc");
  ASSERT_GE(run.format.calls.size(), 2U);
  EXPECT_EQ(*(run.format.calls.end() - 2),
            "remark " + name + " missing_parts=" + run.missing[0] + "; " + run.missing[1]);
  EXPECT_EQ(run.published_files.size(), 1U);
}

TEST(FileOwner, adds_the_step_with_which_each_file_ended_where_files_say_it) {
  Owner run(0);
  add_means(run);
  run.small.plan.files[0].says_when_ended = true;
  run.start();

  run.run(17);

  // The second file ends with the run.
  Texts remarks;
  std::ranges::copy_if(run.format.calls, std::back_inserter(remarks),
                       [](const std::string& call) { return call.starts_with("remark"); });
  EXPECT_EQ(remarks, (Texts{"remark " + temporary("f_10.nc") + " MONC time=10.00",
                            "remark " + temporary("f_10.nc") + " MONC timestep=10",
                            "remark " + temporary("f_20.nc") + " MONC time=17.00",
                            "remark " + temporary("f_20.nc") + " MONC timestep=17"}));
}

TEST(FileOwner, times_that_cannot_be_written_keep_the_file_from_publication) {
  OwnerOfMeans run(0);
  run.disk.failing_write[temporary("f_10.nc")] = 3;
  run.start();

  run.run(20);

  EXPECT_EQ(run.failed, (Texts{temporary("f_10.nc") + ": could not write"}));
  EXPECT_EQ(run.disk.names(), (Texts{"out/f_20.nc"}));
}

TEST(FileOwner, a_publication_that_fails_leaves_the_data_and_says_where) {
  OwnerOfMeans run(0);
  run.disk.failing_publish[temporary("f_10.nc")] = 1;
  run.start();

  run.run(20);

  ASSERT_EQ(run.failed.size(), 1U);
  EXPECT_TRUE(run.failed[0].find("; its data are in " + temporary("f_10.nc")) != std::string::npos);
  EXPECT_TRUE(run.disk.exists(temporary("f_10.nc")));
  EXPECT_EQ(run.published_files, (Texts{"out/f_20.nc 2"}));
}

TEST(FileOwner, growths_before_one_for_which_there_was_no_room_are_not_lost) {
  for (std::size_t call = 1; call <= 5; ++call) {
    Owner run(call);
    const FileId file = run.small.file("f.nc", 20);
    run.small.variable("m", run.small.axis(file, manipulations::averaged(), 5, 4), Spread::rooted, {});
    run.format.records_at_once = 2;
    run.format.full_at = call;
    run.is_disk_tried_again = true;
    run.start();

    run.run(20);

    EXPECT_EQ(run.published_files, Texts{"out/f_20.nc 4"}) << call;
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

TEST(FileOwner, adds_each_attribute_once_where_the_disk_was_full_between_them) {
  const std::string name = temporary("f_10.nc");
  const Texts expected = {"create " + name, "grow " + name + " 0", "remark " + name + " MONC time=10.00",
                          "remark " + name + " MONC timestep=10", "finish " + name + " 2"};
  for (std::size_t call = 3; call <= 5; ++call) {
    Owner run(0);
    add_means(run);
    run.small.plan.files[0].says_when_ended = true;
    run.format.full_at = call;
    run.is_disk_tried_again = true;
    run.start();

    run.run(10);

    Texts calls = expected;  // with the one that failed
    calls.insert(calls.begin() + static_cast<std::ptrdiff_t>(call), expected[call - 1]);
    EXPECT_EQ(run.format.calls, calls);
    EXPECT_EQ(run.published_files, Texts{"out/f_10.nc 2"});
  }
}

}  // namespace
}  // namespace pileus::testing
