#pragma once
// Reads the records that the model ranks of one server ask for, each rank its part. The server's lane makes
// all calls; the file library is called in a task of its own, one at a time, so that nothing else waits for
// the disk (docs/decisions/095).

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/encoder.h"
#include "core/ids.h"
#include "exec/executor.h"
#include "inputs/input_links.h"
#include "inputs/model_input.h"
#include "inputs/source.h"

namespace pileus {

/// An input of one model rank, as its server reads it.
struct ServedInput {
  ModelInput input;
  BroughtInput brought;
  InputHeader header;
  Region part;                    ///< what the rank gets, of the variable's dimensions
  double factor = 1, offset = 0;  ///< to the units of the model: times one, plus the other
  bool may_lack = false;          ///< missing values are handed over as NaN
  /// What the rank's points are made of, where they are not those of the file; null otherwise. `part` then is
  /// the box of these, and all else that the rank gets.
  std::shared_ptr<const InputLinks> links;
  std::size_t layers = 1;  ///< in which these points lie

  std::size_t record_bytes() const;
};

class InputService {
 public:
  /// `send`: takes a frame to a client, on the lane. `fail`: is told, once, why a record cannot be read.
  struct Outside {
    std::uint32_t frame_kind = 0;  ///< of the frame that brings a record
    std::function<void(ClientRank, const Bytes&)> send;
    std::function<void(const std::string&)> fail;
  };
  /// By client: its inputs, by their numbers; nullptr: no file brings it.
  using Inputs = std::map<ClientRank, std::vector<std::shared_ptr<const ServedInput>>>;

  /// REQUIRES: what is passed outlives it, and no task runs when it goes.
  InputService(Inputs inputs, OpenInput open, Executor& library, Outside outside);

  /// Errors: TransportError for records that the rank cannot ask for.
  void take_wanted(ClientRank client, const WantedRecords& wanted);
  /// The rank asks for nothing more, and gets nothing more.
  void finish_client(ClientRank client);
  /// Nobody gets anything more.
  void stop();

  /// Sends what has been read, and lets the next be read. True if it sent anything. Never waits.
  bool poll();
  /// Nothing is to be read or sent.
  bool is_idle() const;
  /// What a client is to know of its inputs. REQUIRES: it has any.
  BroughtInputs brought(ClientRank client) const;
  /// The most that it may hold for its ranks, in bytes.
  std::uint64_t most_bytes() const;
  /// For people: what is being read; "" if nothing is.
  std::string wait_text() const;

  struct Sent {
    std::int64_t records = 0, bytes = 0;
  };
  const Sent& sent() const { return sent_; }

 private:
  struct Wanted {
    ClientRank client;
    std::uint32_t number;
    std::shared_ptr<const ServedInput> input;
    std::int64_t record;
  };
  /// What a task and the lane share.
  struct Ready {
    mutable std::mutex mutex;  // guards the two below: a strand will not do, the lane runs no tasks
    std::deque<std::pair<ClientRank, Bytes>> frames;
    std::string failure;
    bool is_running = false;
  };
  void begin_task();
  Bytes read(const Wanted& wanted);

  const Inputs inputs_;
  const OpenInput open_;
  Executor& library_;
  const Outside outside_;
  std::deque<Wanted> queue_;
  std::string reading_;  ///< the first of what the task reads, for people
  Ready ready_;
  std::map<std::string, std::unique_ptr<InputSource>> sources_;  ///< by path; of the task that runs
  std::map<ClientRank, bool> has_finished_;
  bool is_stopped_ = false;
  Sent sent_;
};

}  // namespace pileus
