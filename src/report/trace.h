#pragma once
// What one server does, span by span, in a file that Perfetto and chrome://tracing read: an array of JSON
// events (the Trace Event Format). Only where somebody asks for it; everywhere else there is none, and a null
// pointer is all that it costs. Any thread may add to it; a task that may block on the disk writes.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "core/ids.h"

namespace pileus {

class Trace {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;

  /// `most_bytes`: of the file; what comes after these is left out, and the file says so.
  /// Errors: OutputError if the file cannot be made.
  Trace(const std::string& path, ServerRank self, std::uint64_t most_bytes = kMostBytes);

  /// Something on this thread, which is called `thread` in the file. `about`: a path, or "".
  void span(std::string_view thread, std::string_view name, Clock::time_point began, Clock::time_point ended,
            std::string_view about = "") noexcept;
  /// A number over time.
  void number(std::string_view name, Clock::time_point now, double value) noexcept;

  // On the server's lane:
  /// The clock has come to a step.
  void begin_step(std::int64_t step, Clock::time_point now) noexcept;
  /// So many steps of the clock are done, counted from the first.
  void end_steps(std::uint64_t done, Clock::time_point now) noexcept;
  /// A model rank says that it has waited so much longer for memory.
  void rank_waited(ClientRank rank, std::chrono::milliseconds longer, Clock::time_point now) noexcept;

  /// Whether write() is to be called: where much was added, or little a while ago. True once for each call.
  bool asks_to_write(Clock::time_point now);
  /// Brings what was added to the file. May block on the disk.
  void write() noexcept;
  /// The last of it. What is added afterwards is lost.
  void finish() noexcept;

 private:
  template <class Add>
  void surely(const Add& add) noexcept;
  void add(std::string event);
  double microseconds(Clock::time_point at) const;
  double duration(Clock::time_point began, Clock::time_point ended) const;
  std::string head(char phase, std::string_view name, Clock::time_point at, std::int64_t thread) const;

  const std::string path_;
  const ServerRank self_;
  const std::uint64_t most_bytes_;
  const Clock::time_point began_;
  double began_of_day_us_ = 0;  ///< the same moment by the time of day, which servers share
  std::mutex file_mutex_;       // guards these two, which a task may still write when the run ends
  std::ofstream file_;
  bool has_failed_ = false;

  std::mutex mutex_;  // guards these four, to which all threads add what no strand could order
  std::string waiting_;
  std::uint64_t taken_bytes_ = 0;
  bool is_cut_ = false;
  std::set<std::int64_t> named_;

  std::atomic<bool> is_writing_ = false;
  Clock::time_point next_write_;
  std::deque<std::int64_t> open_;  ///< steps, of which so many are done:
  std::uint64_t done_ = 0;
  std::map<ClientRank, Clock::time_point> waited_until_;
};

/// Where this server's trace goes: into a folder that is there, or into the file, to whose name the number of
/// every server but the first is added, and that of its component.
std::string trace_path(const std::string& named, ServerRank self, const std::string& component = "");
/// The one that PILEUS_TRACE asks for; null if it does not, or if the file cannot be made. Then the log says
/// why.
std::unique_ptr<Trace> trace_from_environment(ServerRank self, const std::string& component);

}  // namespace pileus
