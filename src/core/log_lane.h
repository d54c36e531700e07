#pragma once
// Writes lines to a file descriptor on a thread of its own, so that a caller never waits for a slow disk, nor
// for a pipe that nobody reads. The log uses it; it knows nothing of levels and speakers.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace pileus::log {

class LogLane {
 public:
  /// Opens the descriptor, or returns -1 if there is none: all lines are dropped then. It is called once, on
  /// the lane's thread.
  using Open = std::function<int()>;
  /// The line that replaces a number of lines that were dropped.
  using TellDropped = std::function<std::string(std::int64_t)>;

  explicit LogLane(Open open, TellDropped tell_dropped, std::size_t most_bytes = std::size_t{1} << 20);
  /// Waits for at most a second without progress; lines that the reader has not taken by then are lost.
  ~LogLane();
  LogLane(const LogLane&) = delete;
  LogLane& operator=(const LogLane&) = delete;

  /// Adds a line and never waits. Lines that do not fit into `most_bytes` are dropped and counted.
  void write(std::string text);
  /// Waits until everything is written, and gives up when nothing is for `patience`. Returns whether all was.
  bool flush(std::chrono::milliseconds patience);
  std::int64_t dropped() const;

 private:
  struct State;
  static void run(const std::shared_ptr<State>& state);

  std::shared_ptr<State> state_;  ///< shared with the thread, which may outlive the lane in a write that
                                  ///< hangs
};

}  // namespace pileus::log
