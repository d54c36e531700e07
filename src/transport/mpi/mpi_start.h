#pragma once
// How ranks find each other at the start: who is a model rank, who is a server, and how MPI is started and
// ended in a server program. Nothing here needs mpi.h: communicators are Fortran integers.

#include <cstdint>
#include <vector>

#include "transport/endpoint.h"

namespace pileus {

/// The world of one run as this rank sees it.
struct MpiWorld {
  int model_communicator = 0;  ///< of the model ranks in their old order; MPI_COMM_NULL's integer on a server
  int world_communicator = 0;  ///< a duplicate of our own, of all ranks
  Peer world_rank = 0;
  Peer world_size = 0;
  bool is_server = false;
  std::uint32_t index = 0;    ///< its ClientRank or ServerRank
  std::vector<Peer> clients;  ///< by ClientRank
  std::vector<Peer> servers;  ///< by ServerRank; empty where the model serves itself (attached)
};

/// Collective over the communicator: each rank says whether it serves.
/// Errors: UsageError if MPI is not running or no rank is a client; TransportError.
MpiWorld join_world(int fortran_communicator, bool is_server);

/// Frees both communicators. Collective over the world; does nothing once MPI is finalized.
/// REQUIRES: nobody uses model_communicator any more.
void leave_world(MpiWorld& world);

/// For each rank of the communicator the lowest rank on its node: ranks with the same one share memory.
/// Collective.
std::vector<Peer> lowest_rank_on_node(int fortran_communicator);

/// True between MPI_Init and MPI_Finalize.
bool is_mpi_running();

/// MPI for the lifetime of a program, with MPI_THREAD_FUNNELED asked for.
class MpiProgram {
 public:
  MpiProgram(int& argc, char**& argv);
  /// Finalizes MPI. REQUIRES: every endpoint is destroyed.
  ~MpiProgram();
  MpiProgram(const MpiProgram&) = delete;
  MpiProgram& operator=(const MpiProgram&) = delete;

  /// MPI_COMM_WORLD.
  int world() const;
  /// True when other threads may run while this one calls MPI.
  bool is_funneled() const { return is_funneled_; }
  /// Ends every rank of the job: for errors after which the others would wait for this one.
  [[noreturn]] void abort(int status) const;

 private:
  bool is_funneled_ = false;
};

}  // namespace pileus
