#include "spill/spill.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/error.h"
#include "disk/testing/memory_files.h"
#include "exec/seeded_executor.h"

namespace pileus {
namespace {

class TestMessage : public Message {
 public:
  explicit TestMessage(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}
  Peer from() const override { return 3; }
  std::span<const std::byte> bytes() const override { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

std::shared_ptr<const Message> message(std::size_t size, int first) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(first + static_cast<int>(i));
  return std::make_shared<TestMessage>(std::move(bytes));
}

bool is_right(const Message& given, std::size_t size, int first) {
  return std::ranges::equal(given.bytes(), message(size, first)->bytes()) && given.from() == 3;
}

class SpillTest : public ::testing::Test {
 protected:
  static constexpr const char* kFolder = "/scratch";

  /// Lets the disk do what it has to, and takes notice.
  void settle() {
    executor_.run_until_idle();
    spill_.poll();
  }
  Spill with(std::uint64_t bytes, std::uint64_t messages) {
    return {files_.open_scratch(kFolder), {bytes, messages}, executor_};
  }

  testing::MemoryFiles files_;
  SeededExecutor executor_{1};
  Spill spill_{files_.open_scratch(kFolder), {1000, 100}, executor_};
};

TEST_F(SpillTest, frees_the_memory_of_a_message_and_gives_its_bytes_back) {
  auto given = message(100, 7);
  const std::weak_ptr<const Message> in_memory = given;
  const auto spilled = spill_.lay_aside(std::move(given), 5);
  ASSERT_TRUE(spilled);
  EXPECT_FALSE(in_memory.expired());
  EXPECT_FALSE(spill_.is_idle());

  settle();
  EXPECT_TRUE(in_memory.expired());
  EXPECT_TRUE(spill_.is_idle());
  EXPECT_FALSE(spilled->take());
  EXPECT_FALSE(spill_.is_idle());
  settle();
  const auto again = spilled->take();
  ASSERT_TRUE(again);
  EXPECT_TRUE(is_right(*again, 100, 7));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(again->bytes().data()) % 64, 0);
}

TEST_F(SpillTest, gives_a_message_from_memory_that_is_wanted_before_it_is_written) {
  const auto given = message(100, 7);
  const auto spilled = spill_.lay_aside(given, 5);
  EXPECT_EQ(spilled->take(), given);
  EXPECT_FALSE(spilled->was_on_disk());
}

TEST_F(SpillTest, takes_no_more_than_its_limits_and_uses_space_again) {
  Spill little = with(250, 2);
  auto first = little.lay_aside(message(100, 1), 1);
  auto second = little.lay_aside(message(100, 2), 2);
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(little.lay_aside(message(10, 3), 3)) << "two messages";
  EXPECT_EQ(little.waiting(), 2);
  executor_.run_until_idle();
  little.poll();
  first.reset();
  EXPECT_FALSE(little.lay_aside(message(200, 3), 3)) << "250 bytes";
  EXPECT_EQ(little.waiting(), 1);
  const auto third = little.lay_aside(message(100, 4), 4);
  ASSERT_TRUE(third);
  EXPECT_EQ(little.figures().most_bytes, 200);
  EXPECT_EQ(little.figures().last_step, 4);
  second.reset();
}

TEST_F(SpillTest, keeps_a_message_that_the_disk_did_not_take_and_tries_again_when_none_waits) {
  files_.failing_write[kFolder] = 2;
  auto first = spill_.lay_aside(message(100, 1), 1);
  auto second = spill_.lay_aside(message(100, 2), 2);
  settle();
  EXPECT_EQ(spill_.figures().failures, 1);
  EXPECT_EQ(spill_.figures().messages, 1);
  EXPECT_EQ(spill_.figures().last_failure, "/scratch: could not write");
  EXPECT_FALSE(spill_.lay_aside(message(100, 3), 3));

  const auto kept = second->take();
  ASSERT_TRUE(kept);
  EXPECT_TRUE(is_right(*kept, 100, 2));
  second.reset();
  EXPECT_FALSE(spill_.lay_aside(message(100, 3), 3));
  EXPECT_FALSE(first->take());
  settle();
  EXPECT_TRUE(is_right(*first->take(), 100, 1));
  first.reset();
  EXPECT_TRUE(spill_.lay_aside(message(100, 3), 3));
}

TEST_F(SpillTest, gives_the_disk_its_space_back_when_nothing_is_laid_aside) {
  class Watched : public ScratchFile {
   public:
    explicit Watched(int& cleared) : cleared_(cleared) {}
    void write_at(std::uint64_t, std::span<const std::byte>) override {}
    void read_at(std::uint64_t, std::span<std::byte>) override {}
    void clear() override { ++cleared_; }

   private:
    int& cleared_;
  };
  int cleared = 0;
  Spill watched(std::make_unique<Watched>(cleared), {1000, 100}, executor_);
  const auto settle_watched = [&] {
    executor_.run_until_idle();
    watched.poll();
  };
  auto first = watched.lay_aside(message(10, 1), 1), second = watched.lay_aside(message(10, 2), 2);
  settle_watched();
  first.reset();
  settle_watched();
  settle_watched();
  EXPECT_EQ(cleared, 0);
  second.reset();
  settle_watched();
  settle_watched();
  EXPECT_EQ(cleared, 1);

  auto last = watched.lay_aside(message(10, 3), 3);
  settle_watched();
  last.reset();  // nothing is begun that would outlive the spill
  EXPECT_TRUE(watched.is_idle());
}

/// A disk that has lost everything.
class LosingScratch : public ScratchFile {
 public:
  void write_at(std::uint64_t, std::span<const std::byte>) override {}
  void read_at(std::uint64_t, std::span<std::byte>) override { throw OutputError("lost"); }
  void clear() override {}
};

TEST_F(SpillTest, says_that_a_message_is_lost_once_where_it_is_read) {
  Spill losing(std::make_unique<LosingScratch>(), {1000, 100}, executor_);
  const auto spilled = losing.lay_aside(message(100, 1), 1);
  executor_.run_until_idle();
  losing.poll();
  EXPECT_FALSE(spilled->take());
  executor_.run_until_idle();
  EXPECT_THROW(losing.poll(), OutputError);
  EXPECT_FALSE(losing.poll());
  EXPECT_FALSE(spilled->take());
  executor_.run_until_idle();
  losing.poll();
  EXPECT_TRUE(losing.is_idle());
}

/// Whatever is laid aside, wanted and dropped when: the bytes are right, and all space is free at the end.
TEST(AnySpill, mixes_nothing_up) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SeededRandom random(seed);
    testing::MemoryFiles files;
    SeededExecutor executor(seed);
    Spill spill(files.open_scratch("/scratch"), {600, 8}, executor);
    if (random.below(2) == 0) files.failing_write["/scratch"] = 1 + random.below(10);
    struct One {
      std::size_t size;
      int first;
      std::unique_ptr<SpilledMessage> spilled;
    };
    std::vector<One> all;
    for (int turn = 0; turn < 200; ++turn) {
      const std::uint64_t what = random.below(5);
      if (what == 0) {
        const std::size_t size = 1 + random.below(200);
        if (auto spilled = spill.lay_aside(message(size, turn), turn))
          all.push_back({size, turn, std::move(spilled)});
      } else if (what == 1) {
        executor.run_one();
      } else if (what == 2) {
        spill.poll();
      } else if (!all.empty()) {
        const auto one = all.begin() + static_cast<std::ptrdiff_t>(random.below(all.size()));
        if (const auto given = one->spilled->take()) {
          ASSERT_TRUE(is_right(*given, one->size, one->first)) << seed;
          all.erase(one);
        } else if (random.below(10) == 0) {
          all.erase(one);
        }
      }
    }
    all.clear();
    while (!spill.is_idle()) {
      executor.run_until_idle();
      spill.poll();
    }
    EXPECT_EQ(spill.waiting(), 0);
    EXPECT_TRUE(spill.lay_aside(message(600, 0), 0)) << seed;
    executor.run_until_idle();
    spill.poll();
  }
}

}  // namespace
}  // namespace pileus
