#include "transport/shared/segment.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstring>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "core/error.h"
#include "transport/shared/bell.h"

namespace pileus {
namespace {

using namespace std::chrono_literals;

std::shared_ptr<SharedMemory> memory_of(std::size_t bytes) { return std::make_shared<SharedMemory>(bytes); }

/// The two views of one segment, each through a mapping of its own.
struct Both {
  std::shared_ptr<Segment> sender = Segment::begin(memory_of(Segment::size_for(1 << 20)));
  std::shared_ptr<Segment> receiver = Segment::join(std::make_shared<SharedMemory>(sender->address()));
};

std::uint64_t put(Segment& segment, std::uint64_t offset, const std::string& text) {
  BlockHeader& header = *new (&segment.header(offset)) BlockHeader;
  header.payload_bytes = text.size();
  std::memcpy(segment.payload(offset), text.data(), text.size());
  return offset;
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(SegmentTest, hands_messages_on_and_takes_them_back_in_any_order) {
  Both both;
  const std::uint64_t first = Segment::first_block();
  for (std::uint64_t i = 0; i < 3; ++i)
    ASSERT_TRUE(
        both.sender->push({put(*both.sender, first + 128 * i, "message " + std::to_string(i)), false}));

  for (std::uint64_t i = 0; i < 3; ++i) {
    const auto entry = both.receiver->front();
    ASSERT_TRUE(entry);
    EXPECT_EQ(text_of(both.receiver->bytes(entry->offset)), "message " + std::to_string(i));
    EXPECT_EQ(both.sender->taken(), i);
    both.receiver->pop();
  }
  EXPECT_FALSE(both.receiver->front());
  EXPECT_EQ(both.sender->taken(), 3u);
  EXPECT_EQ(both.sender->take_released(), 0u);
  both.receiver->release(first + 128);
  both.receiver->release(first + 256);
  std::set<std::uint64_t> released;
  while (const std::uint64_t offset = both.sender->take_released()) released.insert(offset);
  EXPECT_EQ(released, (std::set<std::uint64_t>{first + 128, first + 256}));
  both.receiver->release(first);
  EXPECT_EQ(both.sender->take_released(), first);
}

TEST(SegmentTest, says_when_the_queue_is_full) {
  Both both;
  for (std::size_t i = 0; i < Segment::kEntries; ++i) ASSERT_TRUE(both.sender->push({0, true}));
  EXPECT_FALSE(both.sender->push({0, true}));
  ASSERT_TRUE(both.receiver->front());
  both.receiver->pop();
  EXPECT_TRUE(both.sender->push({0, true}));
}

TEST(SegmentTest, takes_releases_of_many_threads) {
  constexpr std::uint64_t kEach = 4000, kThreads = 4;
  Both both;
  std::set<std::uint64_t> released;
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t t = 0; t < kThreads; ++t)
      threads.emplace_back([&, t] {
        for (std::uint64_t i = 0; i < kEach; ++i)
          both.receiver->release(Segment::first_block() + 64 * (t * kEach + i));
      });
    (void)threads;
  }
  std::size_t count = 0;
  while (const std::uint64_t offset = both.sender->take_released()) {
    released.insert(offset);
    if (++count > kThreads * kEach) break;
  }
  EXPECT_EQ(released.size(), kThreads * kEach);
}

TEST(SegmentTest, refuses_entries_that_lie_outside) {
  for (const std::uint64_t offset :
       {std::uint64_t{64}, std::uint64_t{1} << 40, Segment::first_block() + 1024}) {
    Both both;
    if (offset == Segment::first_block() + 1024) both.sender->header(offset).payload_bytes = 1 << 21;
    ASSERT_TRUE(both.sender->push({offset, false}));
    EXPECT_THROW(both.receiver->front(), TransportError) << offset;
  }
}

TEST(SharedMemoryTest, is_found_by_its_address_alone_and_only_until_it_is_closed) {
  SharedMemory memory(4096);
  memory.bytes()[7] = std::byte{42};
  const MemoryAddress address = memory.address();

  SharedMemory other(address);
  EXPECT_EQ(other.bytes()[7], std::byte{42});
  memory.close();
  EXPECT_THROW(SharedMemory{address}, TransportError);
  other.bytes()[8] = std::byte{43};
  EXPECT_EQ(memory.bytes()[8], std::byte{43});
}

TEST(SharedMemoryTest, opens_nothing_else) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  SharedMemory memory(4096);
  MemoryAddress longer = memory.address();
  longer.size_bytes = 8192;
  EXPECT_THROW(SharedMemory{longer}, TransportError);
  MemoryAddress of_another = memory.address();
  of_another.token += 1;
  EXPECT_THROW(SharedMemory{of_another}, TransportError);
  EXPECT_THROW((SharedMemory{MemoryAddress{getpid(), ends[0], 4096, 1}}), TransportError);
  EXPECT_THROW((SharedMemory{MemoryAddress{getpid(), 9999, 4096, 1}}), TransportError);
  EXPECT_THROW((SharedMemory{MemoryAddress{-1, 0, 4096, 1}}), TransportError);
  EXPECT_THROW(Segment::join(memory_of(4096)), TransportError) << "no segment has begun there";
  close(ends[0]);
  close(ends[1]);
}

TEST(SharedMemoryTest, is_not_made_where_no_file_may_be_as_long) {
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit less = before;
  less.rlim_cur = 1 << 16;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &less), 0);
  EXPECT_THROW(SharedMemory{std::size_t{1} << 20}, TransportError);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
}

TEST(BellTest, wakes_who_sleeps_and_lets_nobody_sleep_who_has_work) {
  Bell bell(memory_of(Bell::kBytes));
  auto others = std::make_shared<SharedMemory>(bell.address());
  Bell rope(others);
  std::atomic<int> work = 0;
  // Each ring is a wait without a limit; a lost one would hang.
  std::jthread ringer([&] {
    for (int i = 1; i <= 1000; ++i) {
      work = i;
      rope.ring();
      while (work != 0) std::this_thread::yield();
    }
  });
  for (int i = 1; i <= 1000; ++i) {
    while (work == 0) bell.sleep(std::chrono::hours(1), [&] { return work != 0; });
    EXPECT_EQ(work, i);
    work = 0;
  }
}

TEST(BellTest, ends_the_sleep_at_the_limit) {
  Bell bell(memory_of(Bell::kBytes));
  bell.sleep(1ms, [] { return false; });
  bell.sleep(1h, [] { return true; });
}

}  // namespace
}  // namespace pileus
