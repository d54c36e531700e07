#pragma once
// Server 0 notes when servers were so far behind that their memory was full, and what was left out then. It
// is said when it begins and when it is over, in the log, the events and the report.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "dropped/dropped_axes.h"
#include "core/ids.h"
#include "core/step.h"
#include "report/report.h"
#include "server/server_state.h"

namespace pileus {

class OverloadBook {
 public:
  /// REQUIRES: it outlives it.
  explicit OverloadBook(const ServerState& state) : state_(state) {}

  /// The server that is overloaded when the clock is at `step`; none where servers keep up.
  void look(const std::optional<ServerRank>& overloaded, const Step& step);
  /// The axes that get no record of the step.
  void note_dropped(const Step& step, const DroppedAxes& dropped);
  /// The model has handed over everything.
  void end();
  void add_to(RunReport& report) const;

 private:
  struct Dropped {
    std::int64_t records = 0;
    double first_s = 0, last_s = 0;  ///< model time
  };
  struct Now {
    ServerRank server = 0;
    Step began;
    std::chrono::steady_clock::time_point since;
    std::map<FileId, Dropped> dropped;
  };
  void begin(ServerRank server, const Step& step);
  void finish();
  std::string what_becomes_of_records() const;
  bool is_said_in_log() const;

  const ServerState& state_;
  std::optional<Now> now_;
  Step step_;  ///< the clock is there
  RunReport::Overloads all_;
  std::map<FileId, std::int64_t> dropped_;
};

}  // namespace pileus
