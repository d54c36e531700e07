#pragma once
// How the ranks of one job become a run: model ranks and ranks of pileus-server settle between them who
// serves. An error before that is thrown on every rank, so that none waits for another.

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/ids.h"
#include "core/server_count.h"
#include "start/placement_notes.h"
#include "transport/mpi/mpi_start.h"

namespace pileus {

/// What one rank brings.
struct Joining {
  bool is_server_program = false;            ///< this rank belongs to pileus-server
  bool is_chosen = false;                    ///< the model has chosen this rank to serve one run
  bool can_serve = false;                    ///< the model bears that this rank becomes a server
  ServerCount servers;                       ///< what the model's settings ask for
  std::optional<std::string> configuration;  ///< path of the XML file
  std::string directory = ".";
  std::string component;                   ///< the name of the rank's component; "" on servers, or for none
  std::function<void()> prepare;           ///< called first on every rank; may throw
  std::function<void()> prepare_to_serve;  ///< called on ranks that will serve, or host a server; may throw
  /// Not "": what this rank's user did wrong. Nobody joins, and every rank is told.
  std::string mistake;
  double longest_wait_s = std::numeric_limits<double>::infinity();  ///< how long to wait for ranks that do
                                                                    ///< not come
};

struct JoinedRun {
  std::string component;          ///< "" where the job names none
  std::size_t of_components = 1;  ///< so many share the servers of this one
  MpiWorld world;                 ///< no servers: each model rank hosts one (attached)
  /// By ClientRank: the server of a model rank. Empty where there are no servers.
  std::vector<ServerRank> served_by;
  PlacementNotes notes;             ///< for server 0 to say
  std::size_t default_workers = 1;  ///< for the server of this rank
  /// If the model's own ranks serve or host, these are model rank 0's; otherwise this rank's own.
  std::string configuration, directory;
  Peer first_model_rank = 0;  ///< of all components, in the communicator: where pileus-server serves
};

/// Settles who serves. Ranks of pileus-server do, if there are any; otherwise those that the model has
/// chosen; otherwise as many ranks as the settings
/// ask for; otherwise as many as <servers> of the configuration asks for, which the first model rank reads;
/// otherwise none. Where model ranks name their components each of these is a run of its own: ranks of
/// pileus-server, and those that the model has chosen, serve all of them; what settings or configuration ask
/// for are ranks of the component itself.
/// Returns one run; on a rank that serves several components one of each, which all servers have in the same
/// order. Collective over the communicator.
/// Errors, the same on every rank: UsageError, ConfigError (RefusedError for a server's mistake), PluginError
/// (from prepare_to_serve), TransportError.
std::vector<JoinedRun> join_run(int fortran_communicator, const Joining& joining);

/// For a model rank that cannot join, as it does not know with which ranks. In MPI_Finalize it meets all
/// ranks of the job and tells them the mistake, so that ranks of pileus-server do not wait for it for ever.
/// It does nothing if a run begins properly before or after, or if MPI is not running.
void tell_mistake_at_end(const std::string& mistake);

}  // namespace pileus
