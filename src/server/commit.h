#pragma once
// The handshake before the first step: every server collects what its clients register, server 0 makes the
// Plan from all of it or refuses with every reason.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/encoder.h"
#include "description/run_description.h"
#include "messaging/clock_frame.h"
#include "messaging/frames.h"
#include "server/server.h"
#include "state/folder_lock.h"

namespace pileus {

/// The registrations of one server's clients, encoded as they came.
class Registrations {
 public:
  explicit Registrations(std::size_t expected) : expected_(expected) {}

  /// The bytes of a registration frame after its kind. Errors: TransportError if the versions differ.
  void add(ClientRank client, Decoder& in);
  /// A frame of the kind registrations with all of another server's.
  void add_all(Decoder& in);
  bool is_complete() const { return ranks_.size() == expected_; }
  bool is_empty() const { return ranks_.empty(); }
  /// For server 0. `kind`: registrations or questions.
  Bytes encode(ServerFrame kind) const;
  const std::map<ClientRank, Bytes>& ranks() const { return ranks_; }

 private:
  std::size_t expected_;
  std::map<ClientRank, Bytes> ranks_;
};

/// Server 0: writes what the model registered where somebody asks for it, and, once `first` is known, the
/// length of its first step that has one with it. Errors: OutputError.
void describe_model_if_asked(const ServerSettings& settings, const Registrations& all,
                             const ClockTick* first = nullptr, bool has_initial_state = false);

/// Server 0: everything that all servers are told. `lock` is taken where the run keeps checkpoints or goes on
/// from one. Errors: ConfigError with every finding.
RunDescription describe_run(const ServerSettings& settings, const Registrations& all, FileSystem& files,
                            FolderLock& lock);

/// Server 0: the frame with what the configuration wants, given the options of `questions`, or with what is
/// wrong. REQUIRES: they are complete.
Bytes answer_questions(const ServerSettings& settings, const Registrations& questions);

}  // namespace pileus
