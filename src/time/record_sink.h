#pragma once
// Records go through this interface, the one way from streams of values to files. Streams call it, and
// publishing is behind it.

#include "core/ids.h"
#include "time/record.h"

namespace pileus {

/// All calls are thread-safe. Order: of one client, as its stream makes them.
class RecordSink {
 public:
  /// Records of one step of a stream of this server. `client`: whose parts they are; of no meaning where the
  /// variable is not distributed.
  virtual void add(Records records, ClientRank client) = 0;
  /// A part of what stands in files without a time axis, as static_record makes it.
  virtual void add_static(Record record, ClientRank client) = 0;
  /// No part of `client` will come any more from this server.
  virtual void end_client(ClientRank client) = 0;

  virtual ~RecordSink() = default;
};

}  // namespace pileus
