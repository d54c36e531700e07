#pragma once
// Bytes between ranks by MPI: two-sided, non-blocking, for ranks that share no memory. Nothing here needs
// mpi.h: a communicator crosses as a Fortran integer (MPI_Comm_c2f).

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "transport/budget.h"
#include "transport/endpoint.h"

namespace pileus {

struct MpiEndpointSettings {
  /// A message longer than this travels in pieces. At most INT_MAX, which MPI's counts can say.
  std::size_t piece_bytes = std::size_t{1} << 30;
  /// Buffers of at most so many bytes together are kept for the next message, of each size as many as were in
  /// use at once. A buffer that is not kept costs its page faults anew, five times the copy into it at 256
  /// MiB.
  std::size_t kept_bytes = std::size_t{1} << 30;
  /// How many metered messages to one peer may be on their way, at least 1: the same on all ranks.
  std::size_t most_unreceived = kMostUnreceived;
  /// The ranks of this one's node, rising; nullopt: all are.
  std::optional<std::vector<Peer>> near = {};
  /// Called again and again while the end of the endpoint waits for other ranks.
  std::function<void()> meanwhile = {};
};

/// An endpoint on a duplicate of the communicator; a peer is a rank of it. Collective over the communicator.
/// Its destruction is collective too: destroy it when all ranks have agreed to stop, before MPI_Finalize. A
/// rank whose others do not come gives up after a few seconds, with a warning.
/// Threads: every call on it, its destruction too, comes from the thread that may call MPI (FUNNELED
/// suffices). Messages may be destroyed on any thread, also after it.
/// Errors: TransportError with MPI's own text, from here and from every call on the endpoint; UsageError if
/// MPI is not running.
std::unique_ptr<Endpoint> make_mpi_endpoint(int fortran_communicator, MpiEndpointSettings settings = {});

}  // namespace pileus
