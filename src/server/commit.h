#pragma once
// The handshake before the first step: every server collects what its clients register, server 0 makes the
// Plan from all of it or refuses with every reason.

#include "description/run_description.h"
#include "joint/joint_starts.h"
#include "messaging/clock_frame.h"
#include "server/registrations.h"
#include "server/server.h"
#include "state/folder_lock.h"

namespace pileus {

/// Server 0: writes what the model registered where somebody asks for it, and, once `first` is known, the
/// length of its first step that has one with it. Errors: OutputError.
void describe_model_if_asked(const ServerSettings& settings, const Registrations& all,
                             const ClockTick* first = nullptr, bool has_initial_state = false);

/// What starts the commands for components that are made of the files of this one.
JointStarts::Job joint_job(const RunDescription& description);

/// Server 0: everything that all servers are told. `lock` is taken where the run keeps checkpoints or goes on
/// from one. Errors: ConfigError with every finding.
RunDescription describe_run(const ServerSettings& settings, const Registrations& all, FileSystem& files,
                            FolderLock& lock, const ReadGrid& read_grid, const OpenInput& open_input);

/// Server 0: the frame with what the configuration wants, given the options of `questions`, or with what is
/// wrong. REQUIRES: they are complete.
Bytes answer_questions(const ServerSettings& settings, const Registrations& questions);

}  // namespace pileus
