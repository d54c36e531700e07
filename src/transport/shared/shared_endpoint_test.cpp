// Sleeping and waking, with threads of this process for peers.

#include "transport/shared/shared_endpoint.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "transport/in_process/in_process_network.h"

namespace pileus {
namespace {

using std::chrono::steady_clock;
constexpr std::chrono::seconds kLong{60};

/// A sender and a receiver that have memory between them, and `others` that have none.
class DeepSleep : public testing::Test {
 protected:
  explicit DeepSleep(Peer others = 0) : network_(2 + others) {
    const std::vector<Peer> near = {0, 1};
    for (Peer self : near) {
      bells_.push_back(std::make_shared<SharedMemory>(Bell::kBytes));
      endpoints_.push_back(std::make_unique<SharedEndpoint>(network_.endpoint(self), near, bells_.back()));
      endpoints_.back()->set_budget(1 - self, 4096);
    }
    while (!sender().shares_memory_with(1) || !receiver().shares_memory_with(0)) {
      EXPECT_EQ(sender().receive(), nullptr);
      EXPECT_EQ(receiver().receive(), nullptr);
    }
    EXPECT_EQ(receiver().receive(), nullptr);
    EXPECT_EQ(sender().receive(), nullptr);
  }

  SharedEndpoint& sender() { return *endpoints_[0]; }
  SharedEndpoint& receiver() { return *endpoints_[1]; }
  void send(std::size_t bytes) {
    std::unique_ptr<Slot> slot = sender().claim(1, kControl, bytes);
    ASSERT_NE(slot, nullptr);
    sender().commit(std::move(slot));
  }
  void await_deep_sleep() {
    const Bell bell(bells_[1]);
    const auto end = steady_clock::now() + kLong;
    while (!bell.has_deep_sleeper() && steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  /// Receives on a thread that rests without looking by itself, while `meanwhile` runs.
  void receive(std::size_t messages, const std::function<void()>& meanwhile) {
    std::jthread thread([&] {
      const auto end = steady_clock::now() + kLong;
      while (messages > 0 && steady_clock::now() < end) {
        if (receiver().receive()) {
          --messages;
        } else {
          receiver().rest(kLong);
        }
      }
    });
    meanwhile();
    thread.join();
    EXPECT_EQ(messages, 0u);
  }

  InProcessNetwork network_;
  std::vector<std::shared_ptr<SharedMemory>> bells_;
  std::vector<std::unique_ptr<SharedEndpoint>> endpoints_;
};

/// It would sleep for a minute, and the message would be late.
TEST_F(DeepSleep, ends_when_a_neighbour_sends) {
  const auto began = steady_clock::now();
  receive(2, [&] {
    for (int i = 0; i < 2; ++i) {
      await_deep_sleep();
      send(100);
    }
  });
  EXPECT_LT(steady_clock::now() - began, kLong);
}

/// What is too long for the memory comes through the endpoint below, behind its entry in the queue.
TEST_F(DeepSleep, ends_when_what_a_neighbour_sends_comes_another_way) {
  const auto began = steady_clock::now();
  receive(1, [&] {
    await_deep_sleep();
    send(100'000);
  });
  EXPECT_LT(steady_clock::now() - began, kLong);
}

/// Peers that are not near wake nobody, so that one looks by oneself.
class SleepWithOthers : public DeepSleep {
 protected:
  SleepWithOthers() : DeepSleep(1) {}
};

TEST_F(SleepWithOthers, ends_soon_by_itself) {
  std::unique_ptr<Endpoint> far = network_.endpoint(2);
  const auto began = steady_clock::now();
  receive(1, [&] {
    await_deep_sleep();
    std::unique_ptr<Slot> slot = far->claim(1, kControl, 8);
    ASSERT_NE(slot, nullptr);
    far->commit(std::move(slot));
  });
  EXPECT_LT(steady_clock::now() - began, kLong);
}

}  // namespace
}  // namespace pileus
