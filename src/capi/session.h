#pragma once
// What a handle of pileus.h stands for: the way to this rank's server and the client that talks to it. On a
// rank that serves, it is the run that has ended.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "attached/attached_host.h"
#include "client/client.h"
#include "core/server_count.h"
#include "start/join_run.h"
#include "transport/mpi/finalize_hook.h"
#include "transport/mpi/node_endpoint.h"

namespace pileus {

struct SessionSettings {
  std::optional<std::string> configuration;  ///< path of the XML file
  std::string directory = ".";
  std::string component;            ///< "" for none
  std::optional<int> communicator;  ///< Fortran handle
  ServerCount servers;              ///< how many of this program's own ranks serve
  bool is_chosen = false;           ///< the model has chosen this rank to serve
  bool can_serve = false;           ///< the caller asks for its role
  std::string describe_model;       ///< path of a JSON file for the model's description; "" for none
  std::string mistake;              ///< not "": why the run cannot start, for all ranks of the communicator
};

/// How a server's run ended.
struct Served {
  bool was_refused = false;
  std::string errors;  ///< "" if all went well
};

class Session {
 public:
  /// Collective over the communicator if there is one. On a rank that serves it returns when the run is over.
  /// Errors: those of join_run, `mistake` among them.
  explicit Session(const SessionSettings& settings);

  /// The result of a rank that has served; nothing on a model rank.
  const std::optional<Served>& served() const { return served_; }
  /// Errors: UsageError after MPI_Finalize, and on a rank that has served.
  Client& client();
  /// False on a rank that served, and after MPI_Finalize.
  bool wants(int field) const { return client_ && client_->wanted(field); }
  /// Whether several threads may put the fields of the step that began last.
  bool takes_puts_of_threads() const { return client_ && client_->takes_puts_of_threads(); }
  /// The times of the run, also after MPI_Finalize. Errors: UsageError on a rank that has served.
  ClientTimes times() const;
  /// commit() and finish() call the client's. If the run is over then, the transport ends too, on all ranks
  /// at the same time.
  void commit();
  void finish();
  /// Fortran handle of a communicator of the model ranks; nothing without MPI.
  std::optional<int> model_communicator() const;

 private:
  /// This rank's place among model ranks and servers, which it leaves on destruction.
  struct Membership {
    Membership(int communicator, const Joining& joining) : runs(join_run(communicator, joining)) {}
    ~Membership();
    Membership(const Membership&) = delete;
    Membership& operator=(const Membership&) = delete;
    std::vector<JoinedRun> runs;  ///< one, but on a rank that serves several components
    JoinedRun& run() { return runs.front(); }
    const JoinedRun& run() const { return runs.front(); }
  };

  void end_with_mpi();
  void end_transport();
  void attach_alone(const SessionSettings& settings);
  void attach();
  void connect();
  void serve();

  // Members stand in the order of construction: the client sends its last message while the others still
  // live.
  std::optional<Membership> membership_;
  std::unique_ptr<AttachedHost> host_;
  std::unique_ptr<Endpoint> mpi_endpoint_;
  std::unique_ptr<Client> client_;
  std::unique_ptr<FinalizeHook> finalize_hook_;
  ClientTimes last_times_;  ///< the times of a client that has gone
  std::optional<Served> served_;
};

}  // namespace pileus
