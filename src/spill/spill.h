#pragma once
// Messages that a server has received and cannot take yet, laid aside on a local disk so that their senders
// get the memory back. Each is written once and read once; its bytes on the disk are used again after that.
// The server's lane makes all calls, and none of them waits: writing and reading are tasks of a strand.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <string>

#include "disk/file_system.h"
#include "exec/strand.h"
#include "spill/spill_space.h"
#include "transport/endpoint.h"

namespace pileus {

class Spill;

/// A message that is laid aside. Who drops it gives its bytes on the disk back. REQUIRES: the spill outlives
/// it.
class SpilledMessage {
 public:
  ~SpilledMessage();
  SpilledMessage(const SpilledMessage&) = delete;
  SpilledMessage& operator=(const SpilledMessage&) = delete;

  /// The message, if its bytes are in memory; otherwise they are read, and it is to be asked again after
  /// Spill::poll() has said that something moved. To be asked no more once it was given.
  std::shared_ptr<const Message> take();
  /// Its memory was free for a while.
  bool was_on_disk() const;

 private:
  friend class Spill;
  struct Job;
  SpilledMessage(Spill& spill, std::shared_ptr<Job> job) : spill_(spill), job_(std::move(job)) {}

  Spill& spill_;
  std::shared_ptr<Job> job_;
};

class Spill {
 public:
  struct Limits {
    std::uint64_t bytes = 0;     ///< on the disk at once
    std::uint64_t messages = 0;  ///< laid aside at once, as each takes memory too
  };
  struct Figures {
    std::uint64_t messages = 0, bytes = 0;       ///< that were laid aside
    std::uint64_t most_bytes = 0;                ///< on the disk at once
    std::int64_t first_step = 0, last_step = 0;  ///< of those since none was waiting
    std::uint64_t failures = 0;                  ///< times that the disk did not take one
    std::string last_failure;
  };

  /// `disk`: may block. REQUIRES: it outlives the spill, and no task runs when the spill goes.
  Spill(std::unique_ptr<ScratchFile> file, Limits limits, Executor& disk);

  /// Begins to lay a message of a step aside. The memory is free when its bytes are written, if nobody else
  /// holds it. Null, and nothing is done, where there is no space, or the disk did not take one that still
  /// waits.
  std::unique_ptr<SpilledMessage> lay_aside(std::shared_ptr<const Message> message, std::int64_t step);

  /// Takes notice of what was written and read. True if anything was.
  /// Errors: those of reading: what was laid aside is lost.
  bool poll();

  /// Nothing is being written or read.
  bool is_idle() const { return under_way_.empty(); }
  /// Messages that are laid aside and were not dropped yet.
  std::uint64_t waiting() const { return waiting_; }
  const Figures& figures() const { return figures_; }

 private:
  friend class SpilledMessage;
  using Job = SpilledMessage::Job;
  void start(std::shared_ptr<Job> job);
  void drop(Job& job) noexcept;
  void give_space_back(Job& job);
  void empty_if_unused();
  void note_written(Job& job);
  void note_failure(Job& job);
  void count(std::size_t bytes, std::int64_t step);

  Limits limits_;
  std::shared_ptr<ScratchFile> file_;
  Strand strand_;  ///< what is done to the file
  SpillSpace space_;
  std::deque<std::shared_ptr<Job>> under_way_;  ///< that the strand has, in its order
  std::uint64_t waiting_ = 0;
  std::uint64_t bytes_on_disk_ = 0;
  bool is_to_be_emptied_ = false;  ///< nothing lies in the file any more
  bool is_refusing_ = false;  ///< the disk did not take a message: none is laid aside until all have gone
  Figures figures_;
};

}  // namespace pileus
