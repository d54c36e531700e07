#pragma once
// The inside of Server: its lane, which receives frames and gives each to the part of the server that it is
// for.

#include <map>
#include <memory>
#include <string>

#include "client/frames.h"
#include "client/loan_frames.h"
#include "messaging/frames.h"
#include "server/handshake.h"
#include "server/run_clock.h"
#include "server/run_end.h"
#include "server/server.h"
#include "server/server_state.h"
#include "server/stopping.h"
#include "server/time_book.h"
#include "server/wait_teller.h"
#include "transport/shared/lender.h"

namespace pileus {

/// A server whose lane has failed so often without a success ends without the others.
inline constexpr int kMostLaneFailures = 100;

class Server::Run {
 public:
  Run(ServerSettings settings, Endpoint& endpoint, MakeExecutors make_executors, FileSystem& files,
      FileFormat& format);
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  bool poll();
  bool is_working() const;
  bool is_watching() const;
  const RunEnd& end() const { return end_; }
  std::string report() const;
  std::string errors() const;

 private:
  bool poll_once();
  void dispatch(std::shared_ptr<const Message> message);
  void take_client_frame(ClientRank client, std::shared_ptr<const Message> message);
  void take_step_frame(ClientRank client, FrameKind kind, std::shared_ptr<const Message> message);
  void take_event(ClientRank client, std::string word);
  void take_records_wanted(ClientRank client, Decoder& in);
  void take_parcel(ClientRank client, std::shared_ptr<const Message> message);
  void take_loan_question(ClientRank client, const LoanQuestion& question);
  void take_finish(ClientRank client, const FinishFrame& frame);
  void take_own_frame(const std::shared_ptr<const Bytes>& frame);
  void take_server_frame(ServerRank from, Decoder& in, std::shared_ptr<const void> bytes);
  bool take_end_frame(ServerRank from, ServerFrame kind, Decoder& in);
  static void require_server_0(ServerRank from);
  bool take_handshake_frame(ServerRank from, ServerFrame kind, Decoder& in);
  void take_run_frame(ServerRank from, ServerFrame kind, Decoder& in, std::shared_ptr<const void> bytes);
  bool take_file_frame(ServerRank from, ServerFrame kind, Decoder& in, std::shared_ptr<const void> bytes);
  void refuse(const std::string& text);
  void go();
  void stop_everywhere(const std::string& why);

  ServerState state_;
  Stopping stopping_{state_};
  Handshake handshake_;
  RunClock clock_{state_, stopping_, handshake_.all_registrations()};
  WaitTeller waits_{state_, handshake_};
  TimeBook times_{state_, clock_};
  RunEnd end_{state_, stopping_, handshake_, clock_, waits_, times_};
  std::map<ClientRank, Lender> lenders_;  ///< what model ranks lend
  int lane_failures_ = 0;                 ///< since the lane last got through a poll
};

}  // namespace pileus
