#pragma once
// The parcels that a server has no memory for, laid aside on a disk of its own until the clock comes to their
// steps, where a file of the configuration says so. It says when that begins and ends, and what went wrong.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "report/report.h"
#include "server/gate/memory_account.h"
#include "server/held_parcel.h"
#include "server/news.h"
#include "server/server_state.h"
#include "spill/spill.h"
#include "streams/analysis.h"

namespace pileus {

class ParcelSpill {
 public:
  /// Errors: ConfigError if the folder takes no file. REQUIRES: what is passed outlives it; the configuration
  /// says where. The analysis is told by lay_aside_for().
  ParcelSpill(const Config& config, const RunMemory& memory, const ServerState& state, Executor& disk,
              const News& news, ParcelReader& reader, Gauge& parcel_bytes, OpenSteps& steps);

  /// What comes too early for the analysis is laid aside from now on.
  void lay_aside_for(Analysis& analysis);
  /// Gives the analysis what is in memory again. True if anything has moved.
  /// Errors: what was laid aside cannot be read.
  bool poll();
  bool is_idle() const { return spill_.is_idle(); }

  void add_to(ServerFigures& figures) const;
  std::vector<std::string> failure_texts() const;

 private:
  bool take_notice();
  void look();
  void begin();
  void finish();
  void note_failure();

  const ServerState& state_;
  const News& news_;
  std::string directory_;
  Spill spill_;
  Spilling spilling_;
  Analysis* analysis_ = nullptr;
  std::optional<std::chrono::steady_clock::time_point> since_;  ///< when anything is laid aside
  std::uint64_t told_messages_ = 0, told_bytes_ = 0;            ///< of those that were all taken
  std::uint64_t times_ = 0, times_failed_ = 0, failures_seen_ = 0;
};

}  // namespace pileus
