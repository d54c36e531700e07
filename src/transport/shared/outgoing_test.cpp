#include "transport/shared/outgoing.h"

#include <gtest/gtest.h>

namespace pileus {
namespace {

/// A sender that has joined a receiver, and the receiver's view.
struct Pair {
  Pair() {
    outgoing.join();
    outgoing.open();
    receiver->pop();  // the entry that is no message
  }
  void send(Channel channel) {
    ASSERT_TRUE(outgoing.budget().take(channel, 1));
    const auto offset = outgoing.take(channel, 1);
    ASSERT_TRUE(offset);
    outgoing.line_up({*offset, false});
    outgoing.send_waiting();
  }
  void take() {
    const auto entry = receiver->front();
    ASSERT_TRUE(entry);
    receiver->pop();
    receiver->release(entry->offset);
  }

  Outgoing outgoing{std::size_t{1} << 20};
  std::shared_ptr<Segment> receiver = Segment::join(std::make_shared<SharedMemory>(outgoing.address()));
};

std::size_t grantable(Outgoing& outgoing) {
  std::size_t count = 0;
  while (count <= kMostUnreceived && outgoing.budget().take(1, 1)) ++count;
  return count;
}

TEST(OutgoingTest, counts_right_what_is_received_after_a_full_queue) {
  Pair pair;
  for (std::size_t i = 0; i < Segment::kEntries; ++i) pair.send(i % 100 == 0 && i < 5000 ? 1 : kControl);
  for (int i = 0; i < 20; ++i) pair.send(kControl);  // these wait for a place
  EXPECT_FALSE(pair.outgoing.is_all_sent());
  while (pair.receiver->front()) {
    pair.take();
    pair.outgoing.progress();
  }

  EXPECT_TRUE(pair.outgoing.is_all_sent());
  EXPECT_EQ(grantable(pair.outgoing), kMostUnreceived);
}

TEST(OutgoingTest, counts_what_went_another_way_before_the_receiver_joined) {
  Outgoing outgoing(1000);
  const auto receiver = Segment::join(std::make_shared<SharedMemory>(outgoing.address()));
  ASSERT_TRUE(outgoing.budget().take(1, 10));
  const std::uint64_t note = outgoing.take_note(1, 10).value();
  outgoing.note_early(note);
  outgoing.join();
  outgoing.open();
  EXPECT_FALSE(outgoing.has_news());

  receiver->pop();  // it has come so far
  receiver->release(note);
  EXPECT_TRUE(outgoing.has_news());
  outgoing.progress();

  EXPECT_EQ(grantable(outgoing), kMostUnreceived);
}

TEST(OutgoingTest, gives_back_what_is_dropped) {
  Pair pair;
  pair.outgoing.budget().set(100);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(pair.outgoing.budget().take(1, 100));
    const auto offset = pair.outgoing.take(1, 100);
    ASSERT_TRUE(offset);
    EXPECT_FALSE(pair.outgoing.budget().take(1, 1));
    pair.outgoing.drop(*offset);
  }
}

TEST(OutgoingTest, keeps_what_is_kept_until_it_is_let_go) {
  Pair pair;
  pair.outgoing.budget().set(100);
  ASSERT_TRUE(pair.outgoing.budget().take(1, 100));
  const std::uint64_t kept = pair.outgoing.take(1, 100).value();
  pair.outgoing.keep(kept);
  *pair.outgoing.payload(kept) = std::byte{7};
  pair.outgoing.line_up({kept, false});
  pair.outgoing.send_waiting();
  pair.take();
  pair.outgoing.progress();

  EXPECT_FALSE(pair.outgoing.budget().take(1, 1)) << "it counts as long as it is kept";
  const std::uint64_t other = pair.outgoing.take(kControl, 100).value();
  EXPECT_NE(other, kept);
  EXPECT_EQ(*pair.outgoing.payload(kept), std::byte{7});

  pair.outgoing.let_go(kept);
  EXPECT_TRUE(pair.outgoing.budget().take(1, 100));
  EXPECT_EQ(pair.outgoing.take(1, 100), kept) << "its memory is free";
}

TEST(OutgoingTest, lets_go_before_and_after_the_receiver_and_what_is_never_sent) {
  Pair pair;
  pair.outgoing.budget().set(100);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(pair.outgoing.budget().take(1, 100)) << i;
    const std::uint64_t offset = pair.outgoing.take(1, 100).value();
    pair.outgoing.keep(offset);
    if (i % 3 == 0) {
      pair.outgoing.drop(offset);
      pair.outgoing.let_go(offset);
      continue;
    }
    pair.outgoing.line_up({offset, false});
    pair.outgoing.send_waiting();
    if (i % 3 == 1) pair.outgoing.let_go(offset);
    pair.take();
    pair.outgoing.progress();
    if (i % 3 == 2) pair.outgoing.let_go(offset);
  }
}

TEST(OutgoingTest, an_entry_may_be_taken_back_until_it_is_sent) {
  Pair pair;
  pair.outgoing.line_up({0, true});
  pair.outgoing.take_back();
  pair.outgoing.send_waiting();
  EXPECT_FALSE(pair.receiver->front());
  EXPECT_TRUE(pair.outgoing.is_all_sent());
}

}  // namespace
}  // namespace pileus
