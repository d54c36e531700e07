#pragma once
// A server says what it waits for. Before the run these are ranks that do not commit, in it whatever its
// watch finds.

#include <memory>
#include <string>

#include "server/handshake.h"
#include "server/server_state.h"
#include "watch/wait_watch.h"

namespace pileus {

class WaitTeller : private WaitHost {
 public:
  /// REQUIRES: both outlive it.
  WaitTeller(ServerState& state, const Handshake& handshake);

  /// To be called now and then.
  void look();
  /// Tells whether everything that was said has been looked at since anything moved. The run ends after that.
  bool is_through() { return watch_.is_through(progress(), state_.now()); }
  std::vector<RunReport::Wait> longest() const { return watch_.longest(state_.settings.self, state_.now()); }

 private:
  void ask(const std::shared_ptr<Waits>& waits) override;
  void say(Said said, const std::string& lines, const std::string& line, double lasted_s) override;
  void say_late(const WaitBook::Late& late) override;

  std::uint64_t progress() const;
  void look_for_absent_ranks();
  void say_lines(Said said, const std::string& lines) const;

  ServerState& state_;
  const Handshake& handshake_;
  StallWatch commit_stall_;
  WaitWatch watch_;
};

}  // namespace pileus
