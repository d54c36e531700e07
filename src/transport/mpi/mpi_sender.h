#pragma once
// The sending half of an MPI endpoint: letters and credits on their way out.

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "transport/mpi/buffer_pool.h"
#include "transport/mpi/mpi_call.h"
#include "transport/mpi/mpi_requests.h"
#include "transport/mpi/mpi_wire.h"

namespace pileus {

class MpiSender {
 public:
  MpiSender(MPI_Comm communicator, std::size_t piece_bytes, BufferPool& pool);

  void send(MpiLetter& letter);
  void send_credits(Peer to, std::span<const MpiCredit> credits);
  /// Sends a last word, which is under way until it is received, to everyone who was ever sent anything: when
  /// nothing is under way any more, all that was sent has been received.
  void send_last_words();

  /// Gives buffers back that are no longer needed; true when there was one.
  bool progress();
  bool has_letters_under_way() const { return !letters_.is_empty(); }
  bool has_credits_under_way() const { return !credits_.is_empty(); }
  void abandon();

 private:
  using Requests = MpiRequests<std::shared_ptr<Buffer>>;  // one buffer may leave in several pieces
  void note_receiver(Peer to);
  void post(const std::byte* bytes, std::size_t count, Peer to, int tag,
            const std::shared_ptr<Buffer>& buffer, Requests& requests);
  bool recycle_completed(Requests& requests);
  void recycle_if_last(const std::shared_ptr<Buffer>& buffer);

  MPI_Comm communicator_;
  std::size_t piece_bytes_;
  BufferPool& pool_;
  Requests letters_;
  Requests credits_;
  std::vector<bool> receivers_;  // by peer: was sent something
};

}  // namespace pileus
