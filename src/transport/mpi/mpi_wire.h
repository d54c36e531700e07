#pragma once
// What travels between two MPI endpoints, and how a message lies in its buffer.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "transport/endpoint.h"
#include "transport/mpi/buffer_pool.h"

namespace pileus {

enum MpiTag : int {
  kWholeTag = 1,   ///< header and payload
  kLongTag = 2,    ///< the header of a long message; its payload follows in pieces
  kPieceTag = 3,   ///< a part of the payload, in order
  kCreditTag = 4,  ///< an array of MpiCredit
  kUrgentTag = 5,  ///< header and payload of a message that passes the others, of whatever length
};

struct MpiHeader {
  std::uint32_t channel = 0;
  std::uint32_t unused = 0;
  std::uint64_t payload_bytes = 0;
};

/// Memory that a peer gets back. Channel 0, which is not metered, says how many metered messages have been
/// received.
struct MpiCredit {
  std::uint32_t channel = 0;
  std::uint32_t messages = 0;
  std::uint64_t bytes = 0;
};

/// How many credits travel in one message: few enough for them to travel with their envelope everywhere.
inline constexpr std::size_t kMostCreditsAtOnce = 64;

/// The payload begins on a cache line; the header lies right before it, so that both are one piece of memory.
inline constexpr std::size_t kPayloadOffset = 64;
static_assert(kPayloadOffset == Buffer::kPageOffset);
inline constexpr std::size_t kHeaderOffset = kPayloadOffset - sizeof(MpiHeader);

/// A buffer that holds a header and a payload.
struct MpiLetter {
  Peer peer = 0;  ///< to or from whom
  Channel channel = kControl;
  std::size_t payload_bytes = 0;
  Buffer buffer;

  std::byte* header() { return buffer.data() + kHeaderOffset; }
  std::byte* payload() { return buffer.data() + kPayloadOffset; }
  std::size_t whole_bytes() const { return sizeof(MpiHeader) + payload_bytes; }

  void write_header() {
    const MpiHeader header{channel, 0, payload_bytes};
    std::memcpy(this->header(), &header, sizeof(header));
  }
};

}  // namespace pileus
