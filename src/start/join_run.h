#pragma once
// How the ranks of one job become a run: who serves is settled between all of them, model ranks and the ranks
// of pileus-server alike. What is wrong before that is thrown on every rank, so that none waits for another.

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>

#include "core/server_count.h"
#include "transport/mpi/mpi_start.h"

namespace pileus {

/// What one rank brings.
struct Joining {
  bool is_server_program = false;            ///< pileus-server
  bool can_serve = false;                    ///< the model bears that this rank becomes a server
  ServerCount servers;                       ///< what the model's settings ask for
  std::optional<std::string> configuration;  ///< path of the XML file
  std::string directory = ".";
  std::function<void()> prepare;           ///< called on every rank first of all; may throw
  std::function<void()> prepare_to_serve;  ///< called on ranks that will serve, or host a server; may throw
  /// Not "": what this rank's user did wrong. Nobody joins, and every rank is told.
  std::string mistake;
  double longest_wait_s = std::numeric_limits<double>::infinity();  ///< for ranks that do not come
};

struct JoinedRun {
  MpiWorld world;                   ///< no servers: each model rank hosts one (attached)
  std::size_t default_workers = 1;  ///< of the server of this rank
  /// Where the model's own ranks serve or host: of model rank 0. Otherwise this rank's own.
  std::string configuration, directory;
};

/// Ranks of pileus-server serve, if there are any. Otherwise those that the settings ask for; otherwise those
/// that <servers> of the configuration asks for, which the first model rank reads; otherwise none.
/// Collective over the communicator.
/// Errors, the same on every rank: UsageError, ConfigError (of a server's mistake RefusedError),
/// PluginError (from prepare_to_serve), TransportError.
JoinedRun join_run(int fortran_communicator, const Joining& joining);

/// Of a model rank that cannot come to a meeting, as it does not know of which ranks: it comes to one of all
/// ranks of the job in MPI_Finalize, where it has nothing else to say to them, so that ranks of pileus-server
/// do not wait for it for ever. Nothing where a run begins well before or after, or MPI is not running.
void tell_mistake_at_end(const std::string& mistake);

}  // namespace pileus
