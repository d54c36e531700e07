#pragma once
// The steps that come before the model's first one. Servers collect registrations, and server 0 tells all of
// the run. Each makes its Plan and its wiring, and when all are ready the clients hear what is wanted.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/signals.h"
#include "inputs/model_input.h"
#include "messaging/tree_shape.h"
#include "points/start.h"
#include "regrid/start.h"
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
  /// What clients of a server below and of those below it ask.
  void take_questions(ServerRank from, Decoder& in);
  /// Server 0's answer, for this server's clients.
  void take_wants(Decoder& in);
  /// A client's answer, which was asked for what is the same on it as on others.
  void take_description_of(ClientRank client, Decoder& in);
  /// Which points a client holds.
  void take_points(ClientRank client, Decoder& in);
  /// What a client wants to be read for it; before its registration.
  void take_inputs(ClientRank client, Decoder& in);
  /// Takes the registration of a client.
  void take_registration(ClientRank client, Decoder& in);
  /// Takes the registrations of clients of a server below and of those below it.
  void take_registrations(ServerRank from, Decoder& in);
  /// Takes server 0's description of the run, and passes it down.
  void take_description(ServerRank from, Decoder& in);
  /// Once the servers below have the description, this one plans: servers do so side by side. After it this
  /// server has its wiring, or the run is refused. To be called often. True if there was anything to do.
  bool poll();
  /// Which points that another server's clients hand over belong here.
  void take_point_directory(ServerRank from, Decoder& in);
  /// Which points of this server's clients another one needs for what it regrids.
  void take_regrid_directory(ServerRank from, Decoder& in);
  /// One more server is ready, which server 0 counts. Errors: TransportError when it said so before.
  void take_begun(ServerRank from);
  /// Errors: TransportError unless this server waits for the word that all are ready.
  void require_ready() const;
  /// All servers were ready, and the run has begun.
  bool has_gone() const { return has_gone_; }

  /// A frame of another server, which was told of the run before this one.
  void hold(ServerRank from, const Decoder& frame);
  /// All servers are ready, and after the first demand the run can no longer be refused. Gives the frames
  /// that were held to `take_held`.
  void go(const std::function<void(ServerRank, std::shared_ptr<const Bytes>)>& take_held);

  /// Clients of this server that have not registered.
  std::vector<ClientRank> absent_clients() const;
  /// The registrations of all model ranks, on server 0 once they are complete.
  const Registrations& all_registrations() const { return gathered_; }
  std::int64_t worker_threads() const { return worker_threads_; }

 private:
  void require_first() const;
  std::function<bool(ClientRank)> below(ServerRank from) const;
  bool has_any_registered() const { return has_passed_on_ || !gathered_.is_empty(); }
  void ask_for_description(ClientRank client);
  void pass_on_questions();
  void pass_on_registrations();
  void describe();
  void begin(const Bytes& description);
  void make_wiring(PlannedRun run, const RunDescription& description, const ServerExecutors& executors);
  void begin_if_complete();
  void make_inputs(const std::vector<PlannedInput>& planned);
  void send_brought(ClientRank client);
  void send_demands();

  ServerState& state_;
  Stopping& stopping_;
  MakeExecutors make_executors_;
  const TreeSeat seat_;         ///< registrations go up this tree, what follows from them comes down
  const std::size_t expected_;  ///< model ranks that this server and those below it serve
  Registrations gathered_;      ///< of these; what is passed on is no longer held, but on server 0
  Registrations gathered_questions_;
  bool has_passed_on_ = false;
  std::optional<Bytes> description_;  ///< of the run, until this server has its Plan of it
  std::chrono::steady_clock::time_point described_at_;
  std::deque<std::pair<ServerRank, Bytes>> early_;  ///< frames that came before this server had its Plan
  std::map<ClientRank, std::vector<ModelInput>> inputs_;  ///< of those of this server's clients that have any
  PointStart points_;
  RegridStart regrids_;
  std::set<ServerRank> begun_;  ///< server 0: servers that are ready
  bool has_gone_ = false;
  std::int64_t worker_threads_ = 1;
  std::optional<SignalWatch> signals_;
};

}  // namespace pileus
