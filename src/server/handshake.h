#pragma once
// What comes before the first step: registrations are collected, server 0 tells all servers of the run, each
// makes its Plan and its wiring, and when all are ready the clients hear what is wanted.

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "core/signals.h"
#include "server/commit.h"
#include "server/server_state.h"
#include "server/stopping.h"

namespace pileus {

class Handshake {
 public:
  /// REQUIRES: both references outlive it.
  Handshake(ServerState& state, Stopping& stopping, MakeExecutors make_executors);

  /// A client asks what the configuration wants; the answer comes when all have asked.
  void take_question(ClientRank client, Decoder& in);
  /// On server 0: what another server's clients ask.
  void take_questions(Decoder& in);
  /// Server 0's answer, for this server's clients.
  void take_wants(Decoder& in);
  /// What a client registers.
  void take_registration(ClientRank client, Decoder& in);
  /// On server 0: what another server's clients have registered.
  void take_registrations(Decoder& in);
  /// What server 0 says of the run: this server has its wiring after it, or the run is refused.
  void take_description(Decoder& in);
  /// On server 0: one more server is ready.
  void take_begun();

  /// A frame of another server, which was told of the run before this one.
  void hold(ServerRank from, const Decoder& frame);
  /// All servers are ready, and after the first demand the run can no longer be refused. Gives the frames
  /// that were held to `take_held`.
  void go(const std::function<void(ServerRank, std::shared_ptr<const Bytes>)>& take_held);

  /// Clients of this server that have not registered.
  std::vector<ClientRank> absent_clients() const;
  /// On server 0, when complete.
  const Registrations& all_registrations() const { return all_; }
  std::int64_t worker_threads() const { return worker_threads_; }

 private:
  void describe_if_complete();
  void begin(Decoder& in);
  void make_wiring(PlannedRun run, const RunDescription& description, const ServerExecutors& executors);
  void send_demands();

  ServerState& state_;
  Stopping& stopping_;
  MakeExecutors make_executors_;
  Registrations own_, all_;
  Registrations own_questions_, all_questions_;     ///< those that have no answer yet
  std::deque<std::pair<ServerRank, Bytes>> early_;  ///< frames that came before this server had its Plan
  std::size_t begun_ = 0;                           ///< server 0: servers that are ready
  std::int64_t worker_threads_ = 1;
  std::optional<SignalWatch> signals_;
};

}  // namespace pileus
