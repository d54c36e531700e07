#pragma once
// For how long each thing has been waited for, from what is open at one look and at the next: so nothing has
// to be noted when something opens or comes, and a server pays for looks alone. Says what is worth saying,
// and remembers the longest for the report.

#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "watch/waits.h"

namespace pileus {

class WaitBook {
 public:
  using Clock = std::chrono::steady_clock;
  /// So many of the longest of each kind are remembered: what waits for one thing waits in many places.
  static constexpr std::size_t kMostRemembered = 4;

  /// A wait that has ended, or has lasted so long as yet.
  struct Lasted {
    Waits::About about = Waits::About::everything;
    std::string text;
    Clock::time_point since;
    double lasted_s = 0;
    bool has_come = false;
  };
  /// A file that is due for as long as one is patient.
  struct Late {
    FileId file;
    std::int64_t period = 0;
    double lasted_s = 0;
  };
  struct News {
    std::vector<Lasted> waiting;  ///< to be said: of each subject the oldest
    std::vector<Lasted> came;     ///< that had been said
    std::vector<Late> late;       ///< each once
  };

  explicit WaitBook(double patience_s) : patience_s_(patience_s) {}

  /// What is open at `now`. A wait is news when it has lasted as long as one is patient and twice as long as
  /// any of its kind that was said and came, then at 2, 4, 8 … times that.
  /// Order: `now` never goes back.
  News look(const std::vector<Waits::Entry>& open, Clock::time_point now);
  /// All that is open has been said: the next time when it has lasted twice as long.
  void all_said(Clock::time_point now);

  /// Since when the first of its numbers is open. REQUIRES: `open` was in the last look, and is no note.
  Clock::time_point since(const Waits::Entry& open) const;
  /// Something was said that has not come.
  bool has_said() const;
  /// Those that lasted as long as one is patient, of each kind the longest first. At `now` they have ended or
  /// still last.
  std::vector<Lasted> longest(Clock::time_point now) const;

 private:
  struct Open {
    Clock::time_point since;
    std::uint64_t look = 0;  ///< the last in which it was open
    double next_s = 0;       ///< how long it has lasted when it is said; 0: it never was
    bool is_late = false;
    std::string text = "";  ///< the last of it; "" before it was the first of its subject
  };
  struct Subject {
    std::map<std::int64_t, Open> open;
    std::int64_t first = 0;
  };
  using Key = std::pair<Waits::About, std::string>;

  static double lasted_s(const Open& open, Clock::time_point now);
  static Lasted lasted(Waits::About about, const Open& open, Clock::time_point now, bool has_come);
  void enter(const std::vector<Waits::Entry>& open, Clock::time_point now, News& news);
  void close_others(Clock::time_point now, News& news);
  void remember(Lasted ended);

  double patience_s_;
  std::uint64_t looks_ = 0;
  std::map<Key, Subject> subjects_;
  std::map<Waits::About, double> longest_that_came_s_;  ///< of those that were said
  std::map<Waits::About, std::vector<Lasted>> ended_;
};

}  // namespace pileus
