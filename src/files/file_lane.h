#pragma once
// What is done to one file on the disk, one operation after the other. One for which the disk has no space is
// tried again after pauses that grow; those behind it wait meanwhile, and nothing else does. How long, the
// file's policy says. Used by the owner of a file and by those who write parts of it, on their strand.

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exec/executor.h"
#include "exec/pauses.h"
#include "exec/strand.h"
#include "files/file_frames.h"
#include "plan/plan.h"

namespace pileus {

/// How long a server goes on trying where a disk is full.
struct DiskPatience {
  double first_pause_s = 0.1, longest_pause_s = 10;  ///< each pause is twice the one before
  double total_s = 30;                               ///< of files that do not wait for ever
};

/// Who is told of files that wait for space; on the strand of the lane.
class FullDiskTeller {
 public:
  virtual ~FullDiskTeller() = default;
  /// A file waits for space; said once, until it is over.
  virtual void full(FilePeriod file, const std::string& why) = 0;
  /// It has space, or is given up.
  virtual void over(FilePeriod file, double waited_s, bool has_space) = 0;
};

/// What all lanes of a server share.
struct FullDisks {
  const Plan& plan;
  Pauses& pauses;
  DiskPatience patience;
  /// Where operations are tried again, on the same threads as ever: a trial is no progress of the run.
  Executor& library;
  Executor& writers;
  FullDiskTeller& teller;
};

/// Why something was not done; no text: it was.
struct DiskFailure {
  std::string text;
  bool is_full = false;  ///< for want of space
};

class FileLane : public std::enable_shared_from_this<FileLane> {
 public:
  using Then = std::function<void(const DiskFailure&)>;
  /// Where things run. All outlive the lane.
  struct Threads {
    Strand& home;       ///< all calls come from there
    Strand* library;    ///< null: nothing goes through the file library
    Executor& writers;  ///< what blocks on the disk
  };

  /// `full`: null where nothing is tried again.
  FileLane(FilePeriod file, Threads threads, FullDisks* full) : file_(file), threads_(threads), full_(full) {}

  /// `work` runs where it belongs; if it throws a DiskFullError that may be repeated it runs again later.
  /// `then` runs at home, and `then`s in the order of their operations. Operations of one kind that wait go
  /// together, for each way there and back wakes two threads: those behind one that succeeds may begin before
  /// its `then`.
  void post_to_library(Task work, Then then) { post(true, std::move(work), std::move(then)); }
  void post_to_disk(Task work, Then then) { post(false, std::move(work), std::move(then)); }
  /// Where the file's patience ends, the operation that waits does not fail but is tried on, and `tell` hears
  /// of each trial from then on that is refused. At home.
  void try_on(Then tell) { beyond_patience_ = std::move(tell); }
  /// What waits is not done, and nothing is tried again from here on. What runs ends as it may.
  void give_up();
  /// Nothing is tried again from here on; what has not been tried runs.
  void give_up_waiting();

 private:
  struct Operation {
    bool is_of_library;
    Task work;
    Then then;
  };
  /// Of operations that ran together, from the first; all but the last have succeeded.
  struct Ended {
    std::size_t count = 0;
    DiskFailure failure;
    bool may_be_repeated = false;
  };
  void post(bool is_of_library, Task work, Then then);
  void run_next();
  void run(bool is_again);
  static Ended run_all(const std::vector<Task*>& works);
  void ended(Ended of);
  bool waits(const std::string& why);
  void end_wait(bool has_space);
  void resume(std::uint64_t pause, const DiskFailure& given_up);

  FilePeriod file_;
  Threads threads_;
  FullDisks* full_;
  std::deque<Operation> waiting_;  ///< the first one is under way if is_busy_
  bool is_busy_ = false;
  bool is_patient_ = true;
  std::size_t dropped_ = 0;  ///< so many of those that wait are not done
  std::optional<Pauses::Clock::time_point> full_since_;
  std::string why_full_;
  Then beyond_patience_;
  double pause_s_ = 0;
  std::uint64_t pauses_ = 0;  ///< so far; the last one is under way if is_pausing_
  bool is_pausing_ = false;
};

}  // namespace pileus
