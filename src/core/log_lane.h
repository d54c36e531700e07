#pragma once
// Writes lines to a file descriptor on a thread of its own, so that nobody who logs waits for a pipe that
// nobody reads, or for a slow disk. The log uses it; it knows nothing of levels and speakers.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace pileus::log {

class LogLane {
 public:
  /// The descriptor to write to; -1: there is none, and all is dropped. Called once, on the lane's thread.
  using Open = std::function<int()>;
  /// What stands in the place of lines that found no room.
  using TellDropped = std::function<std::string(std::int64_t)>;

  explicit LogLane(Open open, TellDropped tell_dropped, std::size_t most_bytes = std::size_t{1} << 20);
  /// Leaves behind what a reader does not take within a second.
  ~LogLane();
  LogLane(const LogLane&) = delete;
  LogLane& operator=(const LogLane&) = delete;

  /// Never waits. What finds no room behind `most_bytes` is dropped and counted.
  void write(std::string text);
  /// Waits until everything is written, as long as something is within `patience`; whether it was.
  bool flush(std::chrono::milliseconds patience);
  std::int64_t dropped() const;

 private:
  struct State;
  static void run(const std::shared_ptr<State>& state);

  std::shared_ptr<State> state_;  ///< the thread's too: it may outlive the lane in a write that hangs
};

}  // namespace pileus::log
