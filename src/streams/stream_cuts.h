#pragma once
// The state of all streams of this server after a step: collected from each of them and from the root, and
// handed on once all of it is there. A strand of its own.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "checkpoint/state_sink.h"
#include "exec/strand.h"
#include "watch/waits.h"

namespace pileus {

class StreamCuts : public StateSink {
 public:
  /// `whole`: gets the state of all streams as one. REQUIRES: it outlives this.
  StreamCuts(Executor& workers, StateSink& whole) : whole_(whole), strand_(workers) {}

  /// The clock has come to a step after which the state is kept. `expected`: so many streams keep theirs, the
  /// root counted. `entries`: what is kept beside theirs. Order: before any of them keeps its own.
  void begin(std::int64_t step, std::size_t expected, std::vector<StateEntry> entries);
  /// One stream's state after the step. Thread-safe.
  void keep(std::int64_t step, std::vector<StateEntry> entries, std::string error) override;

  /// Its strand says what it waits for. `marked` has the last step whose end each rank that still sends has
  /// marked.
  void tell_waits(const std::shared_ptr<Waits>& waits, std::map<ClientRank, std::int64_t> marked);
  /// Names what is under way. To be called when nothing runs.
  std::vector<std::string> open_texts() const;

 private:
  struct Cut {
    std::size_t missing = 0;
    std::vector<StateEntry> entries;
    std::string error;
  };
  void tell_waits_now(Waits& waits, const std::map<ClientRank, std::int64_t>& marked) const;

  StateSink& whole_;
  Strand strand_;
  std::map<std::int64_t, Cut> cuts_;  ///< by step; belongs to the strand
};

}  // namespace pileus
