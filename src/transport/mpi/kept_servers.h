#pragma once
// Ranks of pileus-server stay when a run is over, for the next one of the same job, until the model ends. The
// first model rank tells them which of the two it is: MPI_Finalize is the end.

#include "transport/mpi/mpi_start.h"

namespace pileus {

/// Of a model rank, before it meets others on the communicator: brings servers to the meeting that were kept
/// from the last run. Nothing where there are none, or where the communicator is not MPI_COMM_WORLD, which is
/// all that pileus-server knows. Errors: TransportError; UsageError while they serve another run, the same on
/// every rank, as every rank is in it.
void call_kept_servers(int fortran_communicator);

/// Of a model rank: these ranks of MPI_COMM_WORLD, all pileus-server, which serve the world, wait for the
/// job's next run from when they leave this one. `tells_them`: this rank alone is to tell them of it.
void keep_servers(const MpiWorld& world, const std::vector<Peer>& servers, bool tells_them);
/// Of a model rank: pileus-server has served a run of this job, and waits for the next, or for MPI_Finalize.
bool are_servers_kept();
/// Of any rank: it leaves the world, and another run may begin with its servers.
void note_left(const MpiWorld& world);

/// Of pileus-server: naps until the model calls for another run (true) or ends (false). REQUIRES: no run
/// is served any more. `first_model_rank`: the one that tells. Errors: TransportError.
bool is_called_again(Peer first_model_rank);

}  // namespace pileus
