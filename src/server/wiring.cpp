#include "server/wiring.h"

#include <algorithm>

#include "server/commit.h"
#include "server/gate/run_memory.h"

namespace pileus {
namespace {

Checkpoints::Run checkpoint_run(const Config& config, const Plan& plan, const RunDescription& description,
                                ServerRank self) {
  Checkpoints::Run run;
  run.directory = description.directory;
  run.identity = description.identity;
  if (plan.continued) run.continued_after = plan.continued->after.index;
  run.configuration = description.configuration_name;
  run.configuration_hash = text_of(plan.attributes, "configuration_hash");
  run.options = text_of(plan.attributes, "options");
  run.model_ranks = plan.layout.clients;
  run.servers = plan.layout.servers;
  run.self = self;
  run.kept = static_cast<std::size_t>(config.checkpoint.keep);
  run.keepers = self == 0 ? 3 : 2;  // analysis, publishing and, on server 0, steering
  return run;
}

}  // namespace

Wiring::Wiring(PlannedRun run, const RunDescription& description, std::unique_ptr<Continuation> from,
               const ServerExecutors& executors, ServerState& state)
    : config(std::move(run.config)),
      plan(std::move(run.plan)),
      continuation(std::move(from)),
      workers(executors.workers, activity, Work::analysis, state.failures, state.trace.get(), "worker",
              "analysis"),
      records(executors.workers, activity, Work::records, state.failures, state.trace.get(), "worker",
              "files"),
      library(executors.library, activity, Work::disk, state.failures, state.trace.get(), "library",
              "file library"),
      writers(executors.writers, activity, Work::disk, state.failures, state.trace.get(), "writer", "disk"),
      telling(executors.writers, activity, Work::records, state.failures, state.trace.get(), "writer",
              "events"),
      library_trials(executors.library, activity, Work::records, state.failures, state.trace.get(), "library",
                     "file library again"),
      spilling(executors.spill, activity, Work::disk, state.failures, state.trace.get(), "spill", "spill"),
      pauses(state.settings.now),
      trials{pauses, state.settings.disk_patience, library_trials, telling},
      news(!description.events.empty() || config.wants_event_commands(), state.settings.self, state.letters),
      events(plan, description, state.settings.self, state.files, telling),
      hooks(state.processes, telling,
            [this](const HookCommand& command, const std::string& how) {
              hook_failures.warn(command.file ? command.file->path + ": published, but " + how : how);
              news.hook_failed(command, how);
            }),
      event_commands({config.on_epoch, config.on_checkpoint, config.on_end, state.settings.component}, hooks),
      joints(joint_job(description), state.processes, telling, state.files,
             [this](const std::string& text) { hook_failures.warn(text); }),
      care(description, news, state.errors, state.files, state.lock),
      checkpoints(checkpoint_run(config, plan, description, state.settings.self), {records, writers},
                  state.letters, state.files, care),
      files_state(hooks, checkpoints),
      parcels(plan),
      publishing(plan, description, state.settings.self, {records, library, writers, &trials}, state.letters,
                 state.files, state.format, continuation.get(), &files_state),
      held(plan, activity.record_bytes, publishing),
      conditions(plan, state.letters, held),
      analysis(plan, state.settings.self, workers, state.letters, state.errors, state.settings.defers,
               conditions, checkpoints, continuation.get()),
      deeds(state.settings.component, news, hooks, state.letters) {
  memory = run_memory(config, plan);
  if (config.spill) {
    spill.emplace(config, memory, state, spilling, news, parcels, activity.parcel_bytes, open_steps);
    spill->lay_aside_for(analysis);
  }
  if (state.is_first()) {
    gate.emplace(plan, memory);
    steering.emplace(plan, deeds, checkpoints, continuation ? &continuation->entries : nullptr);
    const std::string requests = control_path(description.directory, state.settings.component);
    if (!continuation) steering->skip_requests(size_of_requests(requests));
    // Whoever brings a clock looks for the end of all tasks, and this one would come again and again.
    if (!state.settings.now) control.emplace(requests, steering->requests_through(), state.letters, telling);
  }
  needs_every_word = config.spill || std::ranges::any_of(plan.files, &PlannedFile::drops_records);
  steps_told_at_once = needs_every_word ? 1 : steps_to_tell_at_once(plan, memory);
  const bool is_joint = std::ranges::any_of(config.data_groups, &DataGroupConfig::is_from_files);
  if (is_joint) publishing.keep_no_state_with_losses();
  publishing.set_events(news.tell());
  publishing.set_stop([&letters = state.letters](const std::string& why) {
    letters.send(0, text_frame(ServerFrame::stop, why));
  });
  publishing.set_published([this](const PublishedFile& file) {
    const std::string& command = plan[file.key.file].on_publish;
    if (!command.empty()) hooks.start(command, file);
    joints.start(plan[file.key.file].readers);
  });
  if (is_joint && continuation) publishing.go_on_at_once();
}

}  // namespace pileus
