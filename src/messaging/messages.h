#pragma once
// How the rooms of one server talk to those of another, without knowing what carries it.

#include "core/encoder.h"
#include "core/ids.h"

namespace pileus {

class Messages {
 public:
  virtual ~Messages() = default;
  /// Sends a frame to a server, itself included. Thread-safe, never waits.
  /// Order: frames from one thread to one server arrive in the order of the calls.
  virtual void send(ServerRank to, Bytes frame) = 0;
};

}  // namespace pileus
