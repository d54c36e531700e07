#pragma once
// The endpoint of a run: memory that both have between ranks of one node, and MPI between nodes.

#include <memory>

#include "transport/mpi/mpi_endpoint.h"

namespace pileus {

/// As make_mpi_endpoint, which is below it. Ranks of a node use MPI alone where one of them cannot make
/// memory that others find, has PILEUS_SHARED_MEMORY=no in its environment, or has no
/// PILEUS_SHARED_MEMORY=yes and all may copy from each other's memory, as MPI then does. Two that cannot open
/// each other's memory, as in containers of their own, use MPI between them.
std::unique_ptr<Endpoint> make_node_endpoint(int fortran_communicator, MpiEndpointSettings settings = {});

}  // namespace pileus
