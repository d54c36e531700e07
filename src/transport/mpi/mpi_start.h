#pragma once
// How ranks find each other at the start: who is a model rank, who is a server, and how MPI is started and
// ended in a server program. Nothing here needs mpi.h: communicators are Fortran integers.

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
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

/// All ranks of a communicator before it is settled who serves. Each member, the constructor too, is called
/// by all of them in the same order.
class MpiMeeting {
 public:
  /// Waits for all, napping; after 30 s `says_what_it_waits_for` does so. `longest_wait_s`: it gives up then.
  /// Errors: UsageError if MPI is not running; TransportError, from every member.
  MpiMeeting(int fortran_communicator, bool says_what_it_waits_for,
             double longest_wait_s = std::numeric_limits<double>::infinity());
  ~MpiMeeting();
  MpiMeeting(const MpiMeeting&) = delete;
  MpiMeeting& operator=(const MpiMeeting&) = delete;

  Peer rank() const { return rank_; }
  Peer size() const { return size_; }
  /// What `mine` is on every rank, by rank; as many numbers on each.
  std::vector<std::int64_t> gathered(std::span<const std::int64_t> mine) const;
  /// What `text` is on the rank `from`.
  std::string text_of(Peer from, const std::string& text) const;
  /// A meeting of those of the ranks that take part, in their order; null on the others.
  std::unique_ptr<MpiMeeting> among(bool takes_part) const;
  /// For each rank the lowest rank on its node: ranks with the same one share memory.
  std::vector<Peer> lowest_on_node() const;
  /// Ends the meeting. `servers`: by ServerRank. REQUIRES: the same on every rank, and not all ranks.
  MpiWorld divide(std::span<const Peer> servers);

 private:
  explicit MpiMeeting(int own_communicator);
  int communicator_;  ///< Fortran handle of a duplicate
  Peer rank_ = 0, size_ = 0;
};

/// Frees the world's communicator, or the model's. Collective over its ranks; does nothing if it is freed
/// already, or once MPI is finalized. REQUIRES: nobody uses it any more.
void leave_world(MpiWorld& world);
void leave_model(MpiWorld& world);

/// True between MPI_Init and MPI_Finalize.
bool is_mpi_running();
/// MPI_COMM_WORLD.
int world_communicator();
/// Whether no other rank is in MPI_COMM_WORLD. REQUIRES: MPI is running.
bool is_alone_in_world();
/// MPI_Finalize, if MPI is running.
void end_mpi();
/// True when other threads may run while the calling one calls MPI. REQUIRES: MPI is running.
bool are_threads_allowed();

/// MPI for the lifetime of a program, with MPI_THREAD_FUNNELED asked for.
class MpiProgram {
 public:
  MpiProgram(int& argc, char**& argv);
  /// Finalizes MPI. REQUIRES: every endpoint is destroyed.
  ~MpiProgram();
  MpiProgram(const MpiProgram&) = delete;
  MpiProgram& operator=(const MpiProgram&) = delete;
};

}  // namespace pileus
