// A server whose run is over waits for its last words to leave, but not for ever: who has gone takes none.

#include <gtest/gtest.h>

#include <vector>

#include "disk/testing/memory_files.h"
#include "exec/seeded_executor.h"
#include "formats/testing/fake_format.h"
#include "server/run_end.h"
#include "server/server.h"
#include "server/server_run.h"

namespace pileus::testing {
namespace {

using namespace std::chrono_literals;

/// An endpoint whose messages leave only when the test says so, and which can fail.
class StuckEndpoint : public Endpoint {
 public:
  bool is_receiving_broken = false, is_claiming_broken = false, has_all_left = false;

  Peer self() const override { return 0; }
  Peer size() const override { return 3; }
  void set_budget(Peer, std::size_t) override {}
  std::unique_ptr<Slot> claim(Peer, Channel, std::size_t bytes) override {
    if (is_claiming_broken) throw std::bad_alloc();
    return std::make_unique<Filled>(bytes);
  }
  void commit(std::unique_ptr<Slot>) override {}
  std::shared_ptr<Message> receive() override {
    if (is_receiving_broken) throw std::bad_alloc();
    return nullptr;
  }
  void rest(std::chrono::microseconds) override {}
  bool is_all_sent() override { return has_all_left; }

 private:
  struct Filled : Slot {
    explicit Filled(std::size_t bytes) : bytes_(bytes) {}
    std::span<std::byte> bytes() override { return bytes_; }
    std::vector<std::byte> bytes_;
  };
};

/// Server 0 of two, with one model rank, in a run that is refused for lack of memory.
class LastWords : public ::testing::Test {
 protected:
  void poll(int times) {
    for (int i = 0; i < times; ++i) server_.poll();
  }
  ServerSettings settings() {
    ServerSettings settings;
    settings.clients = {2};
    settings.servers = {0, 1};
    settings.now = [this] { return now_; };
    return settings;
  }

  std::chrono::steady_clock::time_point now_{1h};
  StuckEndpoint endpoint_;
  SeededExecutor executor_{0};
  MemoryFiles files_;
  FakeFormat format_{files_};
  Server server_{settings(), endpoint_,
                 [this](std::optional<std::int64_t>) {
                   return ServerExecutors{executor_, executor_, executor_, executor_};
                 },
                 files_, format_};
};

TEST_F(LastWords, are_waited_for_until_they_have_left) {
  endpoint_.is_receiving_broken = true;
  poll(1);
  endpoint_.is_receiving_broken = false;
  poll(3);
  ASSERT_EQ(server_.errors(), "not enough memory");
  EXPECT_FALSE(server_.is_finished());

  endpoint_.has_all_left = true;

  EXPECT_TRUE(server_.is_finished());
}

TEST_F(LastWords, that_nobody_takes_are_given_up_after_a_time) {
  endpoint_.is_receiving_broken = true;
  poll(1);
  endpoint_.is_receiving_broken = false;
  poll(3);

  now_ += kLastWords;
  EXPECT_FALSE(server_.is_finished());
  now_ += 1ms;
  EXPECT_TRUE(server_.is_finished());
}

/// Every poll fails from the first to the last, also those in which words are to leave.
TEST_F(LastWords, have_one_time_however_often_the_lane_fails) {
  endpoint_.is_receiving_broken = true;
  poll(1);
  endpoint_.is_claiming_broken = true;
  poll(kMostLaneFailures);
  ASSERT_EQ(server_.errors(), "not enough memory");

  for (int second = 0; second < 10; ++second) {
    EXPECT_FALSE(server_.is_finished()) << second;
    now_ += 1s;
    poll(2 * kMostLaneFailures);
  }
  now_ += 1ms;
  EXPECT_TRUE(server_.is_finished());
}

}  // namespace
}  // namespace pileus::testing
