#pragma once
// The receiving half of an MPI endpoint: matches what has arrived, without waiting for long messages, and
// hands letters on in the order of their sending.

#include <cstddef>
#include <functional>
#include <list>
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

  /// Takes in what MPI has; true when there was anything. Never waits. Errors: std::bad_alloc, after which
  /// nothing is lost and it may be called again.
  bool progress();
  /// Every few times, takes in an urgent letter behind others that MPI still has, if none has arrived.
  void look_for_urgent();
  bool has_letters() const { return !arrived_.empty() || !arrived_urgent_.empty(); }
  /// The next whole letter, an urgent one first. REQUIRES: there is one.
  MpiLetter& next() { return next_letters().front().letter; }
  MpiLetter take();
  bool has_letters_under_way() const { return !requests_.is_empty(); }
  void abandon();

 private:
  struct Incoming {
    MpiLetter letter;
    bool is_urgent = false;
    std::size_t matched_bytes = 0;  // of the payload
    int pieces_under_way = 0;
    bool is_complete() const { return pieces_under_way == 0 && matched_bytes == letter.payload_bytes; }
  };

  /// A message that MPI has given and that is not received: where memory lacks it waits.
  struct Matched {
    MPI_Message message = MPI_MESSAGE_NULL;
    Peer from = 0;
    int tag = 0;
    std::size_t bytes = 0;
    std::optional<MpiHeader> header = {};  ///< of a long letter, once it is read
  };

  bool match_one(int tag);
  void receive(Matched& matched);
  void begin_whole(Matched& matched);
  void begin_long(Matched& matched);
  void add_piece(Matched& matched);
  void take_credits(Matched& matched);
  Incoming& begin(Peer from, std::size_t payload_bytes, bool is_urgent = false);
  void receive_into(Incoming& incoming, std::byte* place, Matched& matched);
  bool complete_some();
  void finish_piece(Incoming& incoming);
  static void hand_on(Peer from, std::list<Incoming>& queue, std::list<Incoming>& arrived);

  MPI_Comm communicator_;
  BufferPool& pool_;
  OnCredits on_credits_;
  using Letters = std::list<Incoming>;
  Letters& next_letters() { return arrived_urgent_.empty() ? arrived_ : arrived_urgent_; }
  std::optional<Matched> matched_;
  std::vector<Letters> queues_, urgent_queues_;  // by sender, in the order of sending
  MpiRequests<Incoming*> requests_;
  static constexpr std::uint32_t kTakenBetweenLooks = 4;
  std::uint32_t taken_ = 0;  ///< letters, while others wait
  Letters arrived_, arrived_urgent_;
  Letters unused_;  // nodes for the next letters: as many as were there at once
};

}  // namespace pileus
