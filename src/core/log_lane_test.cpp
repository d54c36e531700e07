#include "core/log_lane.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>

namespace pileus::log {
namespace {

using namespace std::chrono_literals;

/// A pipe; nobody reads it unless a test does.
struct Pipe {
  Pipe() { EXPECT_EQ(::pipe(ends.data()), 0); }
  ~Pipe() {
    close_reader();
    ::close(ends[1]);
  }
  void close_reader() {
    if (ends[0] >= 0) ::close(ends[0]);
    ends[0] = -1;
  }
  std::string read(std::size_t size) {
    std::string text(size, ' ');
    std::size_t done = 0;
    while (done < size) {
      const ssize_t count = ::read(ends[0], text.data() + done, size - done);
      if (count <= 0) break;
      done += static_cast<std::size_t>(count);
    }
    text.resize(done);
    return text;
  }

  std::array<int, 2> ends = {-1, -1};
};

std::string told(std::int64_t count) { return std::to_string(count) + " dropped\n"; }

TEST(LogLane, writes_lines_in_their_order) {
  Pipe pipe;
  LogLane lane([&] { return pipe.ends[1]; }, told);

  lane.write("one\n");
  lane.write("two\n");

  EXPECT_EQ(pipe.read(8), "one\ntwo\n");
  EXPECT_EQ(lane.dropped(), 0);
}

// A pipe of Linux holds 64 KiB. The 100 lines of 10 kB are more than that, and the lane keeps 200 kB.
TEST(LogLane, nobody_who_writes_waits_for_a_reader_that_does_not_read) {
  Pipe pipe;
  const std::string line(10'000, 'x');
  std::int64_t dropped = 0;
  {
    LogLane lane([&] { return pipe.ends[1]; }, told, 200'000);

    for (int i = 0; i < 100; ++i) lane.write(line);

    dropped = lane.dropped();
    EXPECT_GE(dropped, 100 - 20 - 7);  // 20 in the lane, 6.6 in the pipe
    EXPECT_FALSE(lane.flush(1ms));

    // As soon as somebody reads, the next line arrives, and the lane reports before it what was dropped.
    const std::string taken = pipe.read(static_cast<std::size_t>(100 - dropped) * line.size());
    EXPECT_TRUE(lane.flush(60s));
    lane.write("end\n");
    EXPECT_EQ(pipe.read(told(dropped).size() + 4), told(dropped) + "end\n");
  }
}

TEST(LogLane, a_line_that_is_longer_than_all_that_may_wait_is_cut) {
  Pipe pipe;
  LogLane lane([&] { return pipe.ends[1]; }, told, 100);
  const std::string rest = " ... (the rest is left out)\n";

  lane.write(std::string(1000, 'x'));

  EXPECT_EQ(pipe.read(100), std::string(100 - rest.size(), 'x') + rest);
  EXPECT_TRUE(lane.flush(60s));
  EXPECT_EQ(lane.dropped(), 0);
}

TEST(LogLane, its_end_does_not_wait_for_ever) {
  auto pipe = std::make_shared<Pipe>();
  {
    LogLane lane([pipe] { return pipe->ends[1]; }, told);

    lane.write(std::string(500'000, 'x'));
  }
  pipe->close_reader();
}

TEST(LogLane, a_reader_that_is_gone_ends_nobody) {
  Pipe pipe;
  pipe.close_reader();
  LogLane lane([&] { return pipe.ends[1]; }, told);

  lane.write("one\n");

  EXPECT_TRUE(lane.flush(60s));
}

}  // namespace
}  // namespace pileus::log
