#pragma once
// How a run is found to be over on all servers, and what is reported of it.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "messaging/termination.h"
#include "report/activity.h"
#include "report/report.h"
#include "server/handshake.h"
#include "server/run_clock.h"
#include "server/server_state.h"
#include "server/stopping.h"
#include "server/time_book.h"
#include "server/wait_teller.h"

namespace pileus {

/// A server whose run is over waits so long for its last words to leave. A client that has gone takes none.
inline constexpr std::chrono::seconds kLastWords{10};

class RunEnd {
 public:
  /// REQUIRES: what is passed outlives it.
  RunEnd(ServerState& state, Stopping& stopping, const Handshake& handshake, const RunClock& clock,
         WaitTeller& waits, TimeBook& times);

  /// The first step may come: the run's figures begin.
  void begin();
  void count_from_model(std::size_t bytes) { from_model_ += {1, static_cast<std::int64_t>(bytes)}; }

  /// Server 0 asks whether this server is idle: it answers once it is.
  void take_wave() { is_wave_asked_ = true; }
  /// Takes an answer to a wave, on server 0. Errors: TransportError when no wave is under way.
  void take_wave_answer(ServerRank from, Decoder& in);
  /// Ends the run where all servers have nothing to do any more. True if it has done anything for that.
  bool end_if_quiet();
  /// Server 0 says that the run is over on all servers, and what went wrong.
  void take_over(const Decoder& in);
  /// The run was refused.
  void end_refused(const std::string& text);
  /// Nothing works any more, not even to end the run with the others.
  void leave_alone() noexcept;

  bool is_over() const { return over_at_.has_value(); }
  /// It is over, and its last words have left or found nobody for a while.
  bool is_finished() const;
  bool was_refused() const { return was_refused_; }
  /// Of the whole run on server 0, the errors alone on the others.
  const RunReport& report() const { return report_; }

 private:
  bool is_quiet() const;
  void answer_wave();
  RunReport own_report();
  ServerFigures own_figures() const;
  std::vector<std::string> texts_of_what_is_open() const;
  RunReport joined_reports() const;
  void end_behind_command();
  void end_of_all();
  void tell_over(const RunReport& joined);
  void end(RunReport report);
  void remove_leftovers_of_complete_run();
  void write_report() const;

  ServerState& state_;
  Stopping& stopping_;
  const Handshake& handshake_;
  const RunClock& clock_;
  WaitTeller& waits_;
  TimeBook& times_;
  Activity::Clock::time_point began_;
  std::int64_t memory_at_start_bytes_ = 0;
  Traffic from_model_;
  bool is_wave_asked_ = false;      ///< the wave waits until this server is quiet
  bool is_wave_under_way_ = false;  ///< server 0
  Termination termination_;         ///< server 0
  std::vector<RunReport> reports_;  ///< server 0: the last one of each server
  bool is_last_joined_ = false;     ///< server 0: all is published, and what is made of it is under way
  bool is_end_told_ = false;        ///< server 0: what on_end names has been started
  RunReport report_;
  std::optional<std::chrono::steady_clock::time_point> over_at_;
  bool was_refused_ = false;
};

}  // namespace pileus
