#pragma once
// The receiving half of an MPI endpoint: matches what has arrived, without waiting for long messages, and
// hands letters on in the order of their sending.

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "transport/mpi/buffer_pool.h"
#include "transport/mpi/mpi_call.h"
#include "transport/mpi/mpi_requests.h"
#include "transport/mpi/mpi_wire.h"

namespace pileus {

class MpiReceiver {
 public:
  using OnCredits = std::function<void(Peer from, std::span<const MpiCredit>)>;
  MpiReceiver(MPI_Comm communicator, Peer size, BufferPool& pool, OnCredits on_credits);

  /// Takes in what MPI has; true when there was anything. Never waits.
  bool progress();
  bool has_letters() const { return !arrived_.empty(); }
  /// The next whole letter.
  std::optional<MpiLetter> take();
  bool has_letters_under_way() const { return !requests_.is_empty(); }
  void abandon() { requests_.abandon(); }

 private:
  struct Incoming {
    MpiLetter letter;
    std::size_t matched_bytes = 0;  // of the payload
    int pieces_under_way = 0;
    bool is_complete() const { return pieces_under_way == 0 && matched_bytes == letter.payload_bytes; }
  };

  bool match_one();
  void begin_whole(Peer from, MPI_Message& message, std::size_t bytes);
  void begin_long(Peer from, MPI_Message& message, std::size_t bytes);
  void add_piece(Peer from, MPI_Message& message, std::size_t bytes);
  void take_credits(Peer from, MPI_Message& message, std::size_t bytes);
  Incoming& begin(Peer from, std::size_t payload_bytes);
  void receive_into(Incoming& incoming, std::byte* place, std::size_t bytes, MPI_Message& message);
  bool complete_some();
  void finish_piece(Incoming& incoming);
  void hand_on(Peer from);

  MPI_Comm communicator_;
  BufferPool& pool_;
  OnCredits on_credits_;
  std::vector<std::deque<std::shared_ptr<Incoming>>> queues_;  // by sender, in the order of sending
  MpiRequests<std::shared_ptr<Incoming>> requests_;
  std::deque<MpiLetter> arrived_;
};

}  // namespace pileus
