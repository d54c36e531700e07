#pragma once
// The wiring of a server: all that exists once the run has a Plan, from what runs tasks to what makes them.
//
// A parcel's way goes through this page from its end to its beginning, as each thing is made before what
// hands on to it: `analysis` makes records of parcels, `held` counts their bytes, `publishing` writes and
// publishes files, `hooks` start what the configuration names for them. Beside it the state of both goes to
// `checkpoints`: that of streams at once, that of files through `files_state`.

#include <memory>
#include <optional>

#include "checkpoint/checkpoints.h"
#include "description/run_description.h"
#include "hooks/event_commands.h"
#include "inputs/input_service.h"
#include "joint/joint_starts.h"
#include "publishing/publishing.h"
#include "report/event_log.h"
#include "server/checkpoint_care.h"
#include "server/counted_executor.h"
#include "server/gate/step_gate.h"
#include "server/held_records.h"
#include "server/news.h"
#include "server/parcel_spill.h"
#include "server/server_state.h"
#include "server/steering_deeds.h"
#include "steering/control_file.h"
#include "steering/steering.h"
#include "steering/trigger_records.h"
#include "streams/analysis.h"
#include "streams/open_steps.h"
#include "streams/read_parcel.h"

namespace pileus {

struct Wiring {
  /// `from`: what the run goes on with; null at its start. REQUIRES: the state and the executors outlive it.
  Wiring(PlannedRun run, const RunDescription& description, std::unique_ptr<Continuation> from,
         const ServerExecutors& executors, ServerState& state);

  Config config;
  Plan plan;
  std::unique_ptr<Continuation> continuation;

  // Tasks run in these, and are counted.
  Activity activity;
  CountedExecutor workers, records, library, writers;
  CountedExecutor telling;  ///< of events: blocks as writers do, and moves nothing that anybody waits for
  CountedExecutor library_trials;  ///< likewise, of what a full disk did not take; the trials of writers too
  CountedExecutor spilling;
  Pauses pauses;
  Publishing::Trials trials;

  // These tell of the run outside.
  News news;
  EventLog events;
  ErrorList hook_failures;
  PublishHooks hooks;
  EventCommands event_commands;
  JointStarts joints;

  // The state goes through these.
  CheckpointCare care;
  Checkpoints checkpoints;
  StateAfterHooks files_state;

  // What parcels hold, and where those go that come too early.
  OpenSteps open_steps;
  ParcelReader parcels;
  std::optional<ParcelSpill> spill;  ///< where the configuration says so

  // These lead from files back to parcels.
  Publishing publishing;
  HeldRecords held;
  TriggerRecords conditions;
  Analysis analysis;

  // What goes the other way: records that model ranks ask for.
  std::unique_ptr<InputService> inputs;  ///< null until the handshake has made it

  // Which files get records, of server 0.
  SteeringDeeds deeds;
  std::optional<Steering> steering;
  std::optional<ControlFile> control;

  // How far the clock may go.
  std::optional<StepGate> gate;   ///< of server 0
  RunMemory memory;               ///< found once: it goes over all model ranks
  bool needs_every_word = false;  ///< of done steps: records may be left out, or parcels laid aside
  std::uint64_t steps_told_at_once = 1;
};

}  // namespace pileus
