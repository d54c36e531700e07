#pragma once
// The checkpoints of one server: collects what analysis and publishing keep of a step, writes it as this
// server's part, and on server 0 makes a checkpoint of all parts: written aside, synced, renamed. A
// checkpoint that cannot be written is given up and said; the run and the older ones go on. Nothing ever
// waits for it but the end of the run.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "checkpoint/continuation.h"
#include "checkpoint/state_sink.h"
#include "disk/whole_files.h"
#include "exec/strand.h"
#include "messaging/messages.h"
#include "watch/waits.h"

namespace pileus {

/// What checkpoints ask of the run that has them, on server 0. Thread-safe.
class CheckpointHost {
 public:
  /// `text`: a sentence with the step and the reason, which comes alone too.
  virtual void given_up(const std::string& text, std::int64_t step, const std::string& why) = 0;
  virtual void complete(const Step& step, const std::string& path) = 0;
  /// What attempts of this run have left and no checkpoint refers to may be removed: all but `referred`, in
  /// which the present one always is. On a writer lane.
  virtual void tidy(const std::set<std::int32_t>& referred) = 0;
  /// The run is the only live one with checkpoints there, or this throws. On a writer lane.
  virtual void claim() = 0;

  virtual ~CheckpointHost() = default;
};

class Checkpoints : public StateSink {
 public:
  struct Run {
    std::string directory;  ///< of the run's files
    RunIdentity identity;
    std::int64_t continued_after = -1;  ///< the step; -1: the run has begun afresh
    std::string configuration, configuration_hash, options;
    std::int64_t model_ranks = 0;
    ServerRank servers = 1, self = 0;
    std::size_t kept = 2;  ///< so many of this run stay
    int keepers = 2;       ///< so many on this server keep something of each step
  };
  struct Lanes {
    Executor& workers;
    Executor& writers;  ///< tasks may block on the disk
  };
  /// REQUIRES: messages, files and the host outlive it, and no task runs when it goes.
  Checkpoints(Run run, Lanes lanes, Messages& messages, WholeFiles& files, CheckpointHost& host);

  /// The run begins: on server 0, what attempts before left half done is removed.
  void begin_run();
  /// The run's clock has come to a step whose state is kept.
  void begin(const Step& step);
  /// What this server keeps of that step: called once by each keeper. Thread-safe.
  void keep(std::int64_t step, std::vector<StateEntry> entries, std::string error) override;
  /// Server 0: a frame of the kind checkpoint_part.
  void take_part(ServerRank from, Decoder& in);

  /// Who lacks in what is under way, at any time.
  void tell_waits(const std::shared_ptr<Waits>& waits);
  /// What is under way, to be asked when nothing runs.
  std::vector<std::string> open_texts() const;

 private:
  /// What this server keeps of one step.
  struct Own {
    Step step;
    int missing = 0;  ///< keepers
    std::vector<StateEntry> entries;
    std::string error;
  };
  /// What server 0 knows of one checkpoint.
  struct Whole {
    std::optional<Step> step;
    std::vector<std::optional<NamedPart>> parts;  ///< by server
    std::size_t answers = 0;
    std::string error;
  };

  CheckpointHome home() const;
  std::string folder() const;
  std::string aside(std::int64_t step) const;
  std::string suffix() const;
  void write_part(const Own& own);
  void answer(std::int64_t step, const NamedPart& part, const std::string& error);
  void finish_if_complete(std::int64_t step);
  void finish(std::int64_t step, Whole& whole);
  void expect_all_parts(std::int64_t step);
  void write_manifest(std::int64_t step, Whole& whole);
  void remove_earlier(std::int64_t step);
  void remove(std::int64_t step);
  void prune();
  void tidy();
  bool is_of_this_run(std::int64_t step, std::optional<Manifest>& manifest);
  void give_up(std::int64_t step, const std::string& why);

  Run run_;
  Lanes lanes_;
  Messages& messages_;
  WholeFiles& files_;
  CheckpointHost& host_;
  Strand disk_;    ///< of server 0: manifests one after the other, as a later one removes older ones
  Strand strand_;  ///< everything below belongs to it
  std::map<std::int64_t, Own> own_;
  std::map<std::int64_t, Whole> wholes_;
  std::set<std::int64_t> finishing_;  ///< all parts are there, the rest is on its way to the disk
};

}  // namespace pileus
