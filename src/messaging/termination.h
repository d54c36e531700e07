#pragma once
// When a run is over: every client has finished, nothing runs, no key is open, and as many messages were
// received as were sent; found so twice in a row with the same counts, because a message may cross the first
// count (Brown et al. 2018, section IV-B; Mattern 1987, the four-counter method).

#include <cstdint>
#include <optional>
#include <vector>

#include "core/ids.h"

namespace pileus {

/// One server's answer to a wave. A server answers only while it is idle.
struct WaveAnswer {
  std::uint64_t sent = 0;  ///< frames to other servers, waves and their answers not counted
  std::uint64_t received = 0;
  friend bool operator==(const WaveAnswer&, const WaveAnswer&) = default;
};

/// Kept by server 0.
class Termination {
 public:
  explicit Termination(ServerRank servers) : answers_(servers) {}

  /// Takes an answer of the current wave. True when it was the last one missing: then is_over() is decided,
  /// and if it is not, the caller starts the next wave.
  bool answer(ServerRank server, WaveAnswer answer);
  bool is_over() const { return is_over_; }

 private:
  std::vector<std::optional<WaveAnswer>> answers_;
  std::optional<std::vector<WaveAnswer>> last_wave_;
  bool is_over_ = false;
};

}  // namespace pileus
