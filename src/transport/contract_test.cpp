#include "transport/contract_test.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "transport/budget.h"

namespace pileus {
namespace {

using namespace std::chrono_literals;

/// After so long a wait the test has failed: it would wait for ever.
constexpr auto kPatience = 60s;

template <class Condition>
void wait_until(Endpoint& me, Condition is_true) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!is_true()) {
    if (std::chrono::steady_clock::now() > end) throw std::runtime_error("waited in vain");
    me.rest(1ms);
  }
}

std::shared_ptr<Message> next_message(Endpoint& me) {
  std::shared_ptr<Message> message;
  wait_until(me, [&] { return (message = me.receive()) != nullptr; });
  return message;
}

/// The bytes of message `number` from `from` are this row, again and again, begun at a place that depends on
/// both. Its length is a prime, so that a piece in the wrong place shows.
const std::vector<std::byte>& row() {
  static const auto bytes = [] {
    std::vector<std::byte> made(65'521);
    for (std::size_t i = 0; i < made.size(); ++i) made[i] = static_cast<std::byte>(i * 7 + i / 251);
    return made;
  }();
  return bytes;
}

/// Calls `visit` with pieces of the bytes and what belongs there.
template <class Bytes, class Visit>
void for_each_piece(Bytes bytes, Peer from, std::size_t number, Visit visit) {
  std::size_t first = (from * 3001 + number * 101) % row().size();
  while (!bytes.empty()) {
    const std::size_t count = std::min(bytes.size(), row().size() - first);
    visit(bytes.first(count), std::span(row()).subspan(first, count));
    bytes = bytes.subspan(count);
    first = 0;
  }
}

void fill(Slot& slot, Peer from, std::size_t number) {
  for_each_piece(slot.bytes(), from, number,
                 [](auto bytes, auto expected) { std::ranges::copy(expected, bytes.begin()); });
}

bool holds(const Message& message, std::size_t number, std::size_t size_bytes) {
  bool is_equal = message.bytes().size() == size_bytes;
  for_each_piece(message.bytes(), message.from(), number, [&](auto bytes, auto expected) {
    is_equal = is_equal && std::memcmp(bytes.data(), expected.data(), bytes.size()) == 0;
  });
  return is_equal;
}

/// Claims, waiting for credits if need be, fills and commits.
void send(Endpoint& me, Peer to, Channel channel, std::size_t number, std::size_t size_bytes) {
  std::unique_ptr<Slot> slot;
  wait_until(me, [&] { return (slot = me.claim(to, channel, size_bytes)) != nullptr; });
  ASSERT_EQ(slot->bytes().size(), size_bytes);
  fill(*slot, me.self(), number);
  me.commit(std::move(slot));
}

/// A word to another peer outside of what is tested.
void signal(Endpoint& me, Peer to) { send(me, to, kControl, 0, 0); }
void await_signal(Endpoint& me) { EXPECT_TRUE(next_message(me)->bytes().empty()); }

/// The word comes after so many messages, which are dropped.
void await_signal_behind(Endpoint& me, std::size_t messages) {
  for (std::size_t i = 0; i < messages; ++i) EXPECT_TRUE(holds(*next_message(me), i, 1));
  await_signal(me);
}

// Sizes on both sides of what MPI sends at once, and of the pieces of the test that sends in pieces.
constexpr std::array<std::size_t, 10> kMixedSizes = {0,      1,      8,      100,     5000,
                                                     99'983, 99'984, 99'985, 300'000, 70'000};
constexpr std::size_t mixed_size(std::size_t number) { return kMixedSizes[number * 7 % kMixedSizes.size()]; }

TEST_P(EndpointContract, knows_the_peers) {
  run([&](Endpoint& me) {
    EXPECT_EQ(me.size(), last() + 1);
    EXPECT_LT(me.self(), me.size());
  });
}

TEST_P(EndpointContract, carries_empty_small_and_large_messages) {
  constexpr std::array<std::size_t, 3> sizes = {0, 1, std::size_t{64} << 20};

  run([&](Endpoint& me) {
    if (me.self() == 0) {
      for (std::size_t i = 0; i < sizes.size(); ++i) send(me, last(), 1, i, sizes[i]);
    }
    if (me.self() == last()) {
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        const auto message = next_message(me);
        EXPECT_EQ(message->from(), 0U);
        EXPECT_TRUE(holds(*message, i, sizes[i])) << sizes[i] << " bytes";
      }
    }
  });
}

TEST_P(EndpointContract, keeps_the_order_of_a_pair_over_all_sizes_and_channels) {
  constexpr std::size_t kMessages = 200;

  run([&](Endpoint& me) {
    if (me.self() == 0) {
      for (std::size_t i = 0; i < kMessages; ++i)
        send(me, last(), static_cast<Channel>(i % 4), i, mixed_size(i));
    }
    if (me.self() == last()) {
      for (std::size_t i = 0; i < kMessages; ++i)
        EXPECT_TRUE(holds(*next_message(me), i, mixed_size(i))) << i;
    }
  });
}

/// Data that are long, of which some are in pieces where the transport has them, and then short.
constexpr std::array<std::size_t, 12> kQueued = {
    std::size_t{16} << 20, 1, 300'000, std::size_t{16} << 20, 8, 99'985, 0, 1, 8,
    std::size_t{16} << 20, 1, 5};

TEST_P(EndpointContract, lets_urgent_messages_pass_data_that_were_sent_before) {
  constexpr std::size_t kUrgentOnes = 3;

  run([&](Endpoint& me) {
    if (me.self() == 0) {
      for (std::size_t i = 0; i < kQueued.size(); ++i)
        send(me, last(), 1 + static_cast<Channel>(i % 3), i, kQueued[i]);
      for (std::size_t i = 0; i < kUrgentOnes; ++i) send(me, last(), kUrgent, 100 + i, 17 + i);
    }
    meet();  // until then nobody receives
    if (me.self() != last()) return;
    std::size_t data = 0, urgent = 0;
    while (data < kQueued.size() || urgent < kUrgentOnes) {
      const auto message = next_message(me);
      if (urgent < kUrgentOnes && holds(*message, 100 + urgent, 17 + urgent)) {
        ++urgent;
        continue;
      }
      EXPECT_TRUE(holds(*message, data, kQueued[data])) << data;
      ++data;
      if (data < 10) continue;
      EXPECT_EQ(urgent, kUrgentOnes);  // the last long one has not passed them
    }
  });
}

TEST_P(EndpointContract, keeps_the_order_of_urgent_messages_and_of_others_between_them) {
  constexpr std::size_t kMessages = 400;

  run([&](Endpoint& me) {
    if (me.self() == 0) {
      for (std::size_t i = 0; i < kMessages; ++i)
        send(me, last(), i % 3 == 0 ? kUrgent : static_cast<Channel>(i % 4), i, mixed_size(i) + 8);
    }
    if (me.self() != last()) return;
    std::size_t urgent = 0, others = 1;
    for (std::size_t received = 0; received < kMessages; ++received) {
      const auto message = next_message(me);
      if (urgent < kMessages && holds(*message, urgent, mixed_size(urgent) + 8)) {
        urgent += 3;
        continue;
      }
      EXPECT_TRUE(holds(*message, others, mixed_size(others) + 8)) << others;
      others += others % 3 == 1 ? 1 : 2;
    }
  });
}

TEST_P(EndpointContract, grants_an_urgent_message_to_a_peer_that_does_not_receive) {
  run([&](Endpoint& me) {
    if (me.self() == 0) {
      std::size_t sent = 0;
      while (auto slot = me.claim(last(), 1, 1)) {
        fill(*slot, 0, sent++);
        me.commit(std::move(slot));
      }
      EXPECT_EQ(sent, kMostUnreceived);
      auto urgent = me.claim(last(), kUrgent, 7);
      ASSERT_NE(urgent, nullptr);
      fill(*urgent, 0, 100);
      me.commit(std::move(urgent));
      std::vector<std::unique_ptr<Slot>> more;  // what lies in a transport's queues is bounded
      while (more.size() <= kMostUnreceived && (urgent = me.claim(last(), kUrgent, 7)) != nullptr)
        more.push_back(std::move(urgent));
      EXPECT_LE(more.size(), kMostUnreceived);
    }
    meet();
    if (me.self() != last()) return;
    std::size_t data = 0, passed = kMostUnreceived;
    for (std::size_t i = 0; i <= kMostUnreceived; ++i) {
      const auto message = next_message(me);
      if (message->bytes().size() == 7) {
        passed = data;
        continue;
      }
      EXPECT_TRUE(holds(*message, data++, 1));
    }
    EXPECT_LT(passed, kMostUnreceived);
  });
}

TEST_P(EndpointContract, carries_messages_of_all_to_all_and_to_themselves) {
  constexpr std::size_t kMessages = 30;

  run([&](Endpoint& me) {
    for (std::size_t i = 0; i < kMessages; ++i) {
      for (Peer to = 0; to < me.size(); ++to) send(me, to, 1, i, mixed_size(i));
    }
    std::map<Peer, std::size_t> received;
    for (std::size_t n = 0; n < kMessages * me.size(); ++n) {
      const auto message = next_message(me);
      const std::size_t i = received[message->from()]++;
      EXPECT_TRUE(holds(*message, i, mixed_size(i))) << "message " << i << " from " << message->from();
    }
    EXPECT_EQ(received.size(), me.size());
    EXPECT_EQ(received[me.self()], kMessages);
  });
}

TEST_P(EndpointContract, refuses_what_exceeds_the_budget_until_messages_are_destroyed) {
  run([&](Endpoint& me) {
    if (me.self() == 0) {
      me.set_budget(last(), 100);
      send(me, last(), 1, 0, 60);
      EXPECT_EQ(me.claim(last(), 1, 41), nullptr);
      send(me, last(), 1, 1, 40);
      EXPECT_EQ(me.claim(last(), 1, 1), nullptr);
      await_signal(me);  // both have arrived, and are held
      EXPECT_EQ(me.claim(last(), 1, 1), nullptr);
      signal(me, last());
      send(me, last(), 1, 2, 100);
    }
    if (me.self() == last()) {
      auto first = next_message(me);
      auto second = next_message(me);
      signal(me, 0);
      await_signal(me);
      first.reset();
      second.reset();
      EXPECT_TRUE(holds(*next_message(me), 2, 100));
    }
  });
}

TEST_P(EndpointContract, grants_the_first_message_of_every_channel_whatever_the_budget) {
  run([&](Endpoint& me) {
    if (me.self() == 0) {
      me.set_budget(last(), 10);
      send(me, last(), 1, 0, 1000);
      send(me, last(), 2, 1, 2000);
      EXPECT_EQ(me.claim(last(), 1, 1), nullptr);
      EXPECT_EQ(me.claim(last(), 2, 1), nullptr);
      signal(me, last());
      send(me, last(), 2, 2,
           3000);  // as soon as that of channel 2 is destroyed, which is before that of channel 1
      signal(me, last());
    }
    if (me.self() == last()) {
      const auto first = next_message(me);
      auto second = next_message(me);
      await_signal(me);
      second.reset();
      EXPECT_TRUE(holds(*next_message(me), 2, 3000));
      await_signal(me);
      EXPECT_TRUE(holds(*first, 0, 1000));
    }
  });
}

TEST_P(EndpointContract, has_a_budget_for_each_peer) {
  run([&](Endpoint& me) {
    if (me.self() != 0) return;
    me.set_budget(0, 10);
    me.set_budget(last(), 10);

    const auto to_one = me.claim(0, 1, 10);

    EXPECT_NE(to_one, nullptr);
    EXPECT_EQ(me.claim(0, 1, 1), nullptr);
    EXPECT_NE(me.claim(last(), 1, 10), nullptr);
  });
}

TEST_P(EndpointContract, gives_the_room_of_a_dropped_slot_back) {
  run([&](Endpoint& me) {
    me.set_budget(last(), 10);
    auto dropped = me.claim(last(), 1, 10);
    EXPECT_NE(dropped, nullptr);
    EXPECT_EQ(me.claim(last(), 1, 10), nullptr);

    dropped.reset();

    EXPECT_NE(me.claim(last(), 1, 10), nullptr);
  });
}

TEST_P(EndpointContract, refuses_more_messages_than_may_be_on_their_way_until_they_are_received) {
  run([&](Endpoint& me) {
    if (me.self() == 0) {
      std::size_t sent = 0;
      while (auto slot = me.claim(last(), 1, 1)) {
        fill(*slot, 0, sent++);
        me.commit(std::move(slot));
      }
      EXPECT_EQ(sent, kMostUnreceived);
      EXPECT_NE(me.claim(last(), 2, 1), nullptr);  // and dropped: nothing of its channel was outstanding
      EXPECT_EQ(me.claim(last(), 1, 1), nullptr);
      meet();
      signal(me, last());
      for (; sent < 3 * kMostUnreceived; ++sent) send(me, last(), 1, sent, 1);
    }
    if (me.self() != 0) meet();  // until then nobody receives
    if (me.self() == last()) {
      await_signal_behind(me, kMostUnreceived);
      std::vector<std::shared_ptr<Message>> held;
      while (held.size() < 2 * kMostUnreceived) held.push_back(next_message(me));
      EXPECT_TRUE(holds(*held.back(), 3 * kMostUnreceived - 1, 1));
    }
  });
}

TEST_P(EndpointContract, never_meters_control) {
  run([&](Endpoint& me) {
    if (me.self() == 0) {
      me.set_budget(last(), 0);
      for (std::size_t i = 0; i < 20; ++i) {
        auto slot = me.claim(last(), kControl, 200'000);
        ASSERT_NE(slot, nullptr);
        fill(*slot, 0, i);
        me.commit(std::move(slot));
      }
      EXPECT_NE(me.claim(last(), 1, 1), nullptr);
    }
    if (me.self() == last()) {
      for (std::size_t i = 0; i < 20; ++i) EXPECT_TRUE(holds(*next_message(me), i, 200'000));
    }
  });
}

TEST_P(EndpointContract, takes_credits_from_any_thread) {
  constexpr std::size_t kMessages = 50;

  run([&](Endpoint& me) {
    if (me.self() == 0) {
      me.set_budget(last(), 1000);
      for (std::size_t i = 0; i < kMessages; ++i) send(me, last(), 1, i, 700);
    }
    if (me.self() == last()) {
      for (std::size_t i = 0; i < kMessages; ++i) {
        std::jthread([message = next_message(me), i] { EXPECT_TRUE(holds(*message, i, 700)); });
      }
    }
  });
}

TEST_P(EndpointContract, has_sent_all_when_the_receiver_has_it) {
  run([&](Endpoint& me) {
    if (me.self() == 0) {
      EXPECT_TRUE(me.is_all_sent());
      send(me, last(), 1, 0, std::size_t{8} << 20);
      wait_until(me, [&] { return me.is_all_sent(); });
    }
    if (me.self() == last()) {
      EXPECT_TRUE(holds(*next_message(me), 0, std::size_t{8} << 20));
    }
  });
}

TEST_P(EndpointContract, ends_its_rest_when_a_message_arrives_or_at_the_limit) {
  run([&](Endpoint& me) {
    me.rest(0us);
    me.rest(100us);
    if (me.self() == 0) signal(me, last());
    if (me.self() == last()) {
      std::shared_ptr<Message> message;
      while (!(message = me.receive())) me.rest(1h);
      EXPECT_EQ(message->from(), 0U);
    }
  });
}

TEST_P(EndpointContract, leaves_nothing_to_the_endpoints_that_come_after) {
  for (int i = 0; i < 50; ++i) {
    // The credit is still on its way when the endpoint ends; it must not reach a later one.
    run([&](Endpoint& me) {
      const Peer next = (me.self() + 1) % me.size();
      me.set_budget(next, 1);
      send(me, next, 1, 0, 1);
      EXPECT_TRUE(holds(*next_message(me), 0, 1));
    });
  }
}

TEST_P(EndpointContract, lets_messages_outlive_their_endpoint) {
  std::shared_ptr<Message> kept;

  run([&](Endpoint& me) {
    if (me.self() == 0) send(me, last(), 1, 5, 1000);
    if (me.self() == last()) kept = next_message(me);
  });

  if (kept) {
    EXPECT_TRUE(holds(*kept, 5, 1000));
  }
}

}  // namespace

void run_peer(Endpoint& me, const std::function<void(Endpoint&)>& body, const std::function<void()>& end,
              const std::function<bool()>& have_all_ended) {
  try {
    body(me);
  } catch (const std::exception& e) {
    ADD_FAILURE() << "peer " << me.self() << ": " << e.what();
  }
  end();
  while (!have_all_ended() || !me.is_all_sent()) me.rest(1ms);
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EndpointContract);

}  // namespace pileus
