#pragma once
// Looks now and then for lines that people have added to a run's control file, and brings them to server 0.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "exec/executor.h"
#include "messaging/messages.h"
#include "steering/control.h"

namespace pileus {

/// Its path below a run's directory. `component`: "" where the run is of one model.
std::string control_path(const std::string& directory, const std::string& component);

/// How many bytes the file has; 0 where there is none.
std::uint64_t size_of_requests(const std::string& path);

/// A frame of the kind control, from behind that.
ControlRequest decode_request(Decoder& in);

class ControlFile {
 public:
  using Clock = std::chrono::steady_clock;

  /// `begin`: what is done with. REQUIRES: what is passed outlives it, and no task runs when it goes.
  ControlFile(std::string path, std::uint64_t begin, Messages& messages, Executor& readers);

  /// To be called now and then; never waits.
  void poll(Clock::time_point now);
  /// No task runs.
  bool is_idle() const { return !is_reading_; }

 private:
  void read();

  const std::string path_;
  std::uint64_t through_ = 0;  ///< bytes that are done with; of the task that runs
  bool is_in_long_line_ = false;
  Messages& messages_;
  Executor& readers_;
  std::optional<Clock::time_point> looked_;
  std::atomic<bool> is_reading_ = false;
};

}  // namespace pileus
