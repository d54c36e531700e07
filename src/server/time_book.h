#pragma once
// Notes what this server is at over the time of the run, for the report. It is asked at each turn of the
// server's lane, and looks as seldom as its timeline needs it. Belongs to the lane.

#include <chrono>
#include <cstdint>
#include <map>

#include "core/ids.h"
#include "report/timeline.h"
#include "server/run_clock.h"
#include "server/server_state.h"

namespace pileus {

class TimeBook {
 public:
  /// REQUIRES: both outlive it.
  TimeBook(ServerState& state, const RunClock& clock);

  /// The first step may come.
  void begin() { began_ = state_.now(); }
  /// A model rank has waited so long for memory, since commit.
  void note_waited(ClientRank client, std::uint32_t waited_ms);
  /// To be called often. REQUIRES: it has begun.
  void look();
  /// Everything up to now. With very many servers fewer points, as one of them joins all.
  std::vector<TimelinePoint> points();

 private:
  double now_s() const;
  TimelinePoint point(double end_s);
  void look_at_trace(Trace& trace);

  ServerState& state_;
  const RunClock& clock_;
  std::chrono::steady_clock::time_point began_;
  std::map<ClientRank, std::uint32_t> waited_ms_;
  double last_busy_s_ = 0;
  Timeline timeline_;
  Trace::Clock::time_point next_numbers_;
};

}  // namespace pileus
