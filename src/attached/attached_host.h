#pragma once
// A server inside the model's own process. Where no ranks serve, each model rank hosts one. Its workers and
// lanes are threads, and the model's thread is its polling lane: the endpoint given to the client polls the
// server whenever the client claims memory, receives or rests.

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "serve/server_host.h"
#include "transport/endpoint.h"
#include "transport/in_process/in_process_network.h"

namespace pileus {

/// Makes a host; the servers' half of Pileus may be a library of its own.
using MakeHost = std::function<std::unique_ptr<ServerHost>(const HostSettings&, Endpoint&)>;

/// What an attached rank brings. A single process is rank 0 of 1.
struct AttachedPlace {
  MakeHost make_host;
  bool polls_file_library = false;  ///< calls into the file library are made in the model's thread too
  std::string configuration;        ///< read at commit
  std::string directory = ".";
  std::string component;  ///< "" for none
  std::string run = {};   ///< id of a run that begins; "": chosen at random
  bool is_quiet = false;  ///< no report is printed
  std::size_t default_workers = 1;
  bool has_threads = true;
  ClientRank rank = 0, ranks = 1;
  std::unique_ptr<Endpoint> between_hosts;  ///< peers are ranks; null for one process alone
};

class AttachedHost {
 public:
  explicit AttachedHost(AttachedPlace place);
  /// Lets the server finish after the client's last message, until nothing has arrived for a while. Rank 0
  /// prints the report of the run.
  ~AttachedHost();
  AttachedHost(const AttachedHost&) = delete;
  AttachedHost& operator=(const AttachedHost&) = delete;

  /// The endpoint of the model's side, for the thread that made the host.
  Endpoint& client_endpoint() { return *client_endpoint_; }
  Peer server_peer() const;
  /// Returns when the server has done all that it can do until the client sends more: files that are complete
  /// are published, their commands have ended, checkpoints are on the disk. What went wrong so far; "" if
  /// nothing did.
  std::string settle();

 private:
  using Clock = std::chrono::steady_clock;
  class PollingEndpoint;

  bool poll();
  bool is_busy() const { return server_->is_working() || server_->is_watching(); }
  bool is_all_sent();
  /// Whether this rank cannot go on alone: its server has nothing to do until another rank calls Pileus.
  bool depends_on_others() const;
  void note_overdraft(std::size_t bytes);

  InProcessNetwork network_;
  ClientRank rank_;
  bool is_quiet_;
  std::unique_ptr<Endpoint> local_endpoint_, between_hosts_, server_endpoint_;
  std::unique_ptr<ServerHost> server_;
  std::unique_ptr<Endpoint> client_endpoint_;
  Clock::time_point last_busy_ = Clock::now();
  bool has_overdrawn_ = false;
};

}  // namespace pileus
