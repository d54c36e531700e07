#pragma once
// Looks now and then at what a server waits for, whether anything moves or not, and says what has lasted
// long: which record or reduction waits for whom, and since when. Belongs to the server's lane, which it
// never holds up; nothing in the results depends on it.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "report/report.h"
#include "watch/wait_book.h"

namespace pileus {

class WaitWatch {
 public:
  using Clock = WaitBook::Clock;
  enum class Said : std::uint8_t { waiting, came };
  struct Hooks {
    /// Asks everything in the server what it waits for.
    std::function<void(const std::shared_ptr<Waits>&)> ask;
    /// Lines for people; the same on one line for programs; how long the longest of it has lasted.
    std::function<void(Said, const std::string& lines, const std::string& line, double lasted_s)> say;
    /// A file of this server, due for as long as one is patient.
    std::function<void(const WaitBook::Late&)> late;
  };

  WaitWatch(double patience_s, Hooks hooks);

  /// To be called now and then. `progress`: a number that changes when anything moves.
  void poll(std::uint64_t progress, Clock::time_point now);
  /// Before the run ends: whether everything that was said has been looked at since anything moved. If not,
  /// it looks; to be asked again.
  bool is_through(std::uint64_t progress, Clock::time_point now);

  /// The longest waits until `now`, of this server.
  std::vector<RunReport::Wait> longest(ServerRank self, Clock::time_point now) const;

 private:
  void begin_look(std::uint64_t progress, Clock::time_point now);
  void end_look(Clock::time_point now);
  void look_at_threads(Clock::time_point now);
  void say_waiting(const std::vector<Waits::Entry>& open, const WaitBook::News& news, Clock::time_point now);
  void say_came(const std::vector<WaitBook::Lasted>& came);
  std::string line_of(const Waits::Entry& open, Clock::time_point now) const;

  double patience_s_;
  Hooks hooks_;
  WaitBook book_;
  WaitBook threads_;                ///< of this server, that do not answer
  std::shared_ptr<Waits> asked_;    ///< a look is under way
  std::uint64_t looked_at_ = 0;     ///< progress, when the last look began
  Clock::time_point began_, next_;  ///< the last look; when the next one does
};

/// "2026-11-21T18:40:01Z": now, or so long ago.
std::string time_of_day(double ago_s = 0);
/// "47.2"
std::string in_seconds(double seconds);

}  // namespace pileus
