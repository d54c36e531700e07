#pragma once
// The events of a run, as lines of JSON at the end of a file, for programs that wait for what it writes.
// Server 0 alone has one that writes. What cannot be written is said once and costs nothing else.

#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "description/run_description.h"
#include "disk/whole_files.h"
#include "exec/strand.h"
#include "report/event.h"

namespace pileus {

class EventLog {
 public:
  /// `writers`: its tasks may block on the disk. REQUIRES: plan, files and writers outlive it.
  EventLog(const Plan& plan, const RunDescription& run, ServerRank self, WholeFiles& files,
           Executor& writers);

  bool is_wanted() const { return !path_.empty(); }
  /// The run begins. On the server's lane, as what follows.
  void start();
  void take(const Event& event);
  /// The run is over, in a task that may block. REQUIRES: no task runs.
  void finish(const std::vector<std::string>& errors);

  /// What could not be written; "" if nothing. Thread-safe.
  std::string problem() const;

  /// All records up to this model time are in published files; -infinity while nothing is known.
  double epoch_s() const;

 private:
  void write(std::string line);
  void append(const std::string& line);
  void grow_epoch();
  std::vector<std::string> slowest_series() const;

  const Plan& plan_;
  const std::string run_id_, configuration_;
  const std::optional<std::int64_t> continued_after_;
  WholeFiles& files_;
  std::string path_;  ///< "" where no events are wanted, or another server writes them
  Strand strand_;
  std::vector<double> through_s_;            ///< by series
  std::map<std::string, std::string> lost_;  ///< files that could not be written, and why
  double epoch_s_ = -std::numeric_limits<double>::infinity();
  mutable std::mutex mutex_;  // guards problem_, which a writer lane sets and the server's lane reads
  std::string problem_;
};

}  // namespace pileus
