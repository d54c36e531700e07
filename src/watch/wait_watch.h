#pragma once
// Looks now and then at what a server waits for, whether anything moves or not, and says what has lasted
// long: which record or reduction waits for whom, and since when. Belongs to the server's lane, which it
// never holds up; nothing in the results depends on it.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "report/report.h"
#include "watch/wait_book.h"

namespace pileus {

/// What a watch asks of the server that it belongs to.
class WaitHost {
 public:
  enum class Said : std::uint8_t { waiting, came };

  /// Asks everything in the server what it waits for.
  virtual void ask(const std::shared_ptr<Waits>& waits) = 0;
  /// `lines`: for people; `line`: the same for programs; `lasted_s`: how long the longest of it has lasted.
  virtual void say(Said said, const std::string& lines, const std::string& line, double lasted_s) = 0;
  /// A file of this server, due for as long as one is patient.
  virtual void say_late(const WaitBook::Late& late) = 0;

  virtual ~WaitHost() = default;
};

class WaitWatch {
 public:
  using Clock = WaitBook::Clock;

  /// REQUIRES: the host outlives it.
  WaitWatch(double patience_s, WaitHost& host);

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
  WaitHost& host_;
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
