#include "files/file_lane.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "exec/seeded_executor.h"
#include "exec/strand.h"
#include "files/testing/small_plan.h"

namespace pileus::testing {
namespace {

using Texts = std::vector<std::string>;

/// A lane whose operations are refused as often as asked, and the time that passes.
class Lane : public FullDiskTeller {
 public:
  explicit Lane(WhenFull policy) {
    small.file("f.nc", 10);
    small.plan.files[0].when_full = policy;
    full_disks =
        std::make_unique<FullDisks>(FullDisks{small.plan, pauses, {1, 4, 10}, executor, executor, *this});
    lane = std::make_shared<FileLane>(FilePeriod{FileId(0), 1}, FileLane::Threads{home, &library, disk},
                                      full_disks.get());
  }
  void full(FilePeriod /*file*/, const std::string& why) override { told.push_back("full: " + why); }
  void over(FilePeriod /*file*/, double waited_s, bool has_space) override {
    told.push_back((has_space ? "space after " : "over after ") + std::to_string(std::lround(waited_s)));
  }
  /// Fails so many times before it is done; -1: for ever.
  void post(const std::string& name, int refusals, bool may_be_repeated = true) {
    add(name, refusals, may_be_repeated);
    executor.run_until_idle();
  }
  /// The same, but nothing runs yet.
  void add(const std::string& name, int refusals, bool may_be_repeated = true, bool is_of_library = false) {
    home.post([this, name, refusals, may_be_repeated, is_of_library] {
      Task work = [this, name, may_be_repeated, left = std::make_shared<int>(refusals)] {
        tried.push_back(name);
        if (*left == 0) return;
        --*left;
        throw DiskFullError("no space", may_be_repeated);
      };
      const FileLane::Then then = [this, name](const DiskFailure& failure) {
        done.push_back(name + (failure.text.empty() ? "" : ": " + failure.text) +
                       (failure.is_full ? " (full)" : ""));
      };
      is_of_library ? lane->post_to_library(std::move(work), then)
                    : lane->post_to_disk(std::move(work), then);
    });
  }
  void pass(int seconds) {
    for (; seconds > 0; --seconds) {
      now += std::chrono::seconds(1);
      pauses.poll();
      executor.run_until_idle();
    }
  }

  SmallPlan small;
  SeededExecutor executor{1};
  Strand home{executor}, library{executor};
  Pauses::Clock::time_point now;
  Pauses pauses{[this] { return now; }};
  struct Disk : Executor {
    explicit Disk(Executor& executor) : on(executor) {}
    void submit(Task task) override {
      ++trips;
      on.submit(std::move(task));
    }
    bool is_idle() const override { return on.is_idle(); }
    Executor& on;
    int trips = 0;  ///< without those of operations that are tried again
  } disk{executor};
  std::unique_ptr<FullDisks> full_disks;
  std::shared_ptr<FileLane> lane;
  Texts tried, done, told;
};

TEST(FileLane, one_operation_follows_the_other) {
  Lane lane(WhenFull::wait);
  lane.post("a", 0);
  lane.post("b", 0);

  EXPECT_EQ(lane.done, (Texts{"a", "b"}));
  EXPECT_TRUE(lane.told.empty());
}

TEST(FileLane, what_has_no_room_is_tried_again_after_pauses_that_grow_and_holds_up_those_behind_it) {
  Lane lane(WhenFull::wait);
  lane.post("a", 4);
  lane.post("b", 0);

  // Tried at 0, 1, 3, 7 and 11 s: pauses of 1, 2, 4 and again 4 s.
  lane.pass(10);
  EXPECT_EQ(lane.tried, Texts(4, "a"));
  EXPECT_TRUE(lane.done.empty());
  lane.pass(1);

  EXPECT_EQ(lane.done, (Texts{"a", "b"}));
  EXPECT_EQ(lane.told, (Texts{"full: no space", "space after 11"}));
}

TEST(FileLane, a_file_that_waits_is_tried_for_ever) {
  Lane lane(WhenFull::wait);
  lane.post("a", -1);

  lane.pass(1000);

  EXPECT_GT(lane.tried.size(), 200U);
  EXPECT_TRUE(lane.done.empty());
  EXPECT_EQ(lane.told, (Texts{"full: no space"}));
}

TEST(FileLane, files_that_do_not_wait_are_tried_for_a_while) {
  for (WhenFull policy : {WhenFull::skip, WhenFull::stop}) {
    Lane lane(policy);
    lane.post("a", -1);

    lane.pass(10);
    EXPECT_TRUE(lane.done.empty());
    lane.pass(1);

    EXPECT_EQ(lane.done, (Texts{"a: no space (full)"}));
    EXPECT_EQ(lane.told, (Texts{"full: no space", "over after 11"}));
  }
}

TEST(FileLane, what_is_tried_on_beyond_patience_says_so_and_ends_with_space_or_when_given_up) {
  for (const bool gets_space : {true, false}) {
    Lane lane(WhenFull::skip);
    Texts refused;
    lane.lane->try_on([&](const DiskFailure& why) { refused.push_back(why.text); });
    // Tried at 0, 1, 3, 7, 11, 15 and 19 s; patience ends after 10 s.
    lane.post("a", gets_space ? 6 : -1);
    lane.post("b", 0);

    lane.pass(10);
    EXPECT_TRUE(refused.empty());
    lane.pass(5);
    EXPECT_EQ(refused, Texts(2, "no space"));
    EXPECT_TRUE(lane.done.empty());
    if (!gets_space) lane.home.post([&] { lane.lane->give_up_waiting(); });
    lane.executor.run_until_idle();
    lane.pass(4);

    EXPECT_EQ(lane.done, gets_space ? (Texts{"a", "b"}) : (Texts{"a: no space (full)", "b"}));
    EXPECT_EQ(lane.told.back(), gets_space ? "space after 19" : "over after 15");
  }
}

TEST(FileLane, what_cannot_be_repeated_fails_at_once) {
  Lane lane(WhenFull::wait);
  lane.post("sync", -1, false);

  EXPECT_EQ(lane.done, (Texts{"sync: no space (full)"}));
  EXPECT_TRUE(lane.told.empty());
}

TEST(FileLane, a_lane_that_is_given_up_tries_nothing_of_what_waited) {
  Lane lane(WhenFull::wait);
  lane.post("a", -1);
  lane.post("b", 0);
  lane.post("c", 0);

  lane.home.post([&] { lane.lane->give_up(); });
  lane.executor.run_until_idle();
  EXPECT_EQ(lane.done, (Texts{"a: no space (full)", "b: the file was given up", "c: the file was given up"}));
  lane.pass(20);
  EXPECT_EQ(lane.tried, Texts{"a"});
  lane.post("d", 0);
  EXPECT_EQ(lane.done.back(), "d");
}

TEST(FileLane, without_patience_what_waits_ends_and_the_rest_runs) {
  Lane lane(WhenFull::wait);
  lane.post("a", -1);
  lane.post("b", 0);
  lane.post("c", 1);

  lane.home.post([&] { lane.lane->give_up_waiting(); });
  lane.executor.run_until_idle();

  EXPECT_EQ(lane.done, (Texts{"a: no space (full)", "b", "c: no space (full)"}));
}

TEST(FileLane, what_waits_for_one_place_goes_there_together) {
  Lane lane(WhenFull::wait);
  for (const char* name : {"a", "b", "c", "d"}) lane.add(name, 0);
  lane.add("library", 0, true, true);
  for (const char* name : {"e", "f"}) lane.add(name, 0);
  lane.executor.run_until_idle();

  // "a" left alone, for nothing waited then; the others of one place with those beside them.
  EXPECT_EQ(lane.tried, (Texts{"a", "b", "c", "d", "library", "e", "f"}));
  EXPECT_EQ(lane.done, lane.tried);
  EXPECT_EQ(lane.disk.trips, 3);
}

TEST(FileLane, of_those_that_go_together_one_that_has_no_room_holds_up_those_behind_it) {
  Lane lane(WhenFull::wait);
  for (const char* name : {"a", "b"}) lane.add(name, 0);
  lane.add("c", 2);
  lane.add("d", 0);
  lane.executor.run_until_idle();
  EXPECT_EQ(lane.done, (Texts{"a", "b"}));
  EXPECT_EQ(lane.tried, (Texts{"a", "b", "c"}));

  lane.pass(3);

  EXPECT_EQ(lane.done, (Texts{"a", "b", "c", "d"}));
  EXPECT_EQ(lane.told, (Texts{"full: no space", "space after 3"}));
}

TEST(FileLane, of_those_that_go_together_one_that_fails_is_told_before_those_behind_it_begin) {
  Lane lane(WhenFull::wait);
  lane.add("a", 0);
  lane.add("b", 0);
  lane.add("c", -1, false);
  lane.add("d", 0);
  lane.executor.run_until_idle();

  EXPECT_EQ(lane.done, (Texts{"a", "b", "c: no space (full)", "d"}));
}

}  // namespace
}  // namespace pileus::testing
