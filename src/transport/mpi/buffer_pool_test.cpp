#include "transport/mpi/buffer_pool.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <set>
#include <utility>
#include <vector>

namespace pileus {
namespace {

TEST(BufferPool, gives_a_buffer_again_to_a_message_of_about_the_same_size) {
  BufferPool pool(1 << 20);
  Buffer buffer = pool.take(10'000);
  const std::byte* const place = buffer.data();

  pool.give_back(std::move(buffer));

  EXPECT_EQ(pool.take(10'100).data(), place);  // both are in the class of 10 240 = 5 * 2^11
}

TEST(BufferPool, wastes_at_most_a_quarter) {
  BufferPool pool(0);

  for (std::size_t bytes = 1; bytes < 100'000; bytes += 37) {
    const std::size_t capacity = pool.take(bytes).capacity();
    EXPECT_GE(capacity, bytes);
    EXPECT_LE(capacity, std::max<std::size_t>(256, bytes + bytes / 4));
  }
}

TEST(BufferPool, gives_buffers_on_cache_lines) {
  BufferPool pool(0);

  for (std::size_t bytes : {0, 1, 257, 1000, 70'000}) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pool.take(bytes).data()) % 64, 0U);
  }
}

TEST(BufferPool, keeps_no_more_than_it_may) {
  BufferPool pool(1024);
  Buffer first = pool.take(1024);
  Buffer second = pool.take(1024);
  const std::byte* const kept = first.data();

  pool.give_back(std::move(first));
  pool.give_back(std::move(second));

  const Buffer again = pool.take(1024);
  EXPECT_EQ(again.data(), kept);
  pool.give_back(pool.take(512));  // another one fits now
}

/// Bytes of all mappings of this process that are in memory.
std::size_t resident_bytes() {
  std::size_t pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * 4096;
}

TEST(BufferPool, keeps_what_each_step_needs_and_lets_go_what_one_burst_needed) {
  constexpr std::size_t kBytes = 4U << 20, kBurst = 12;
  BufferPool pool(std::size_t{1} << 30);
  const auto use = [&](std::size_t at_once) {
    std::vector<Buffer> buffers;
    std::set<const std::byte*> places;
    for (std::size_t i = 0; i < at_once; ++i) places.insert(buffers.emplace_back(pool.take(kBytes)).data());
    if (at_once == kBurst) {
      for (Buffer& buffer : buffers) std::memset(buffer.data(), 1, kBytes);
    }
    for (Buffer& buffer : buffers) pool.give_back(std::move(buffer));
    return places;
  };
  const std::size_t before = resident_bytes();

  const auto burst = use(kBurst);
  const std::size_t after_burst = resident_bytes();
  EXPECT_EQ(use(kBurst), burst);
  const auto first = use(2);
  for (std::size_t i = 0; i < 2 * kBurst * BufferPool::kPeriod; ++i) EXPECT_EQ(use(2), first);

  EXPECT_GE(after_burst, before + kBurst * kBytes);
  EXPECT_LE(resident_bytes(), before + 3 * kBytes);
}

TEST(BufferPool, forgets_nothing_of_a_burst_that_comes_back) {
  BufferPool pool(std::size_t{1} << 30);
  std::set<const std::byte*> all;
  for (int step = 0; step < 200; ++step) {
    std::vector<Buffer> buffers;
    for (int i = 0; i < 10; ++i) all.insert(buffers.emplace_back(pool.take(2U << 20)).data());
    for (Buffer& buffer : buffers) pool.give_back(std::move(buffer));
  }

  EXPECT_EQ(all.size(), 10U);
}

TEST(Buffer, that_was_moved_from_is_none) {
  BufferPool pool(1 << 20);
  Buffer buffer = pool.take(1000);
  const Buffer taken = std::move(buffer);

  EXPECT_EQ(buffer.capacity(), 0U);  // NOLINT(bugprone-use-after-move)
  pool.give_back(std::move(buffer));
  EXPECT_NE(pool.take(1000).data(), nullptr);
}

TEST(Buffer, begins_with_a_cache_line_and_its_payload_with_a_page_if_it_is_long) {
  const auto place_in = [](const Buffer& buffer, std::size_t unit, std::size_t offset) {
    return reinterpret_cast<std::uintptr_t>(buffer.data() + offset) % unit;
  };
  BufferPool pool(0);
  for (const std::size_t bytes : {1UL, 1000UL, 1UL << 20, (5UL << 20) + 1}) {
    Buffer buffer = pool.take(bytes);
    std::memset(buffer.data(), 1, buffer.capacity());
    EXPECT_EQ(place_in(buffer, 64, 0), 0U) << bytes;
    const bool is_long = bytes >= 1UL << 20;
    EXPECT_TRUE(!is_long || place_in(buffer, 4096, Buffer::kPageOffset) == 0) << bytes;
  }
}

}  // namespace
}  // namespace pileus
