#pragma once
// The inside of Server: one run as its server's lane sees it. server.cpp receives and sends,
// server_handshake.cpp has what comes before the first step, server_end.cpp how a run is found to be over.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/checkpoints.h"
#include "client/frames.h"
#include "core/signals.h"
#include "hooks/publish_hooks.h"
#include "messaging/clock_frame.h"
#include "messaging/frames.h"
#include "messaging/termination.h"
#include "publishing/owner/continued_files.h"
#include "publishing/publishing.h"
#include "report/event_log.h"
#include "report/progress_line.h"
#include "report/report.h"
#include "server/commit.h"
#include "server/counted_executor.h"
#include "server/failures.h"
#include "server/held_record.h"
#include "server/outbox.h"
#include "server/server.h"
#include "server/step_gate.h"
#include "state/folder_lock.h"
#include "streams/analysis.h"
#include "streams/open_steps.h"
#include "watch/wait_watch.h"
#include "watch/waits.h"

namespace pileus {

/// So many failures of its lane, one after the other, and a server ends without the others.
inline constexpr int kMostLaneFailures = 100;

/// The end of what is said of a model rank that left.
inline constexpr const char* kLeftBeforeCommit = " left before commit";

/// How often a server whose run is over looks whether its last words have left; a client that has gone takes
/// none.
inline constexpr int kLastPolls = 20'000;

inline constexpr ClientRank kNoClient = UINT32_MAX;

inline Bytes text_frame(auto kind, std::string_view text) {
  Bytes frame;
  Encoder out(frame);
  out.put(kind);
  out.put(text);
  return frame;
}

inline Bytes bare_frame(ServerFrame kind) {
  Bytes frame;
  Encoder(frame).put(kind);
  return frame;
}

/// What exists once the run has a Plan. Everything refers to the Plan, so it comes first.
struct PlannedServer {
  /// `from`: what the run goes on with; null at its start.
  PlannedServer(PlannedRun run, const RunDescription& description, std::unique_ptr<Continuation> from,
                const ServerSettings& settings, const ServerExecutors& executors, Messages& messages,
                ErrorList& errors, Failures& failures, FileSystem& files, FileFormat& format,
                Processes& processes, FolderLock& lock)
      : config(std::move(run.config)),
        plan(std::move(run.plan)),
        continuation(std::move(from)),
        gate(settings.self == 0 ? std::make_optional<StepGate>(plan, room_for_steps(config, plan))
                                : std::nullopt),
        workers(executors.workers, activity, Work::analysis, failures),
        records(executors.workers, activity, Work::records, failures),
        library(executors.library, activity, Work::disk, failures),
        writers(executors.writers, activity, Work::disk, failures),
        telling(executors.writers, activity, Work::records, failures),
        library_trials(executors.library, activity, Work::records, failures),
        pauses(settings.now),
        trials{pauses, settings.room, library_trials, telling},
        tell(description.events.empty() ? TellEvent() : tell_through(messages)),
        events(plan, description, settings.self, files, telling),
        hooks(processes, telling,
              [this](const PublishedFile& file, const std::string& how) { tell_hook_failed(file, how); }),
        checkpoints(checkpoint_run(config, plan, description, settings.self), {records, writers}, messages,
                    files,
                    {[this, &errors](const std::string& text, std::int64_t step, const std::string& why) {
                       errors.add(text);
                       tell_checkpoint_failed(step, why);
                     },
                     [this](const Step& step, const std::string& path) { tell_checkpoint(step, path); },
                     [&files, description](const std::set<std::int32_t>& referred) {
                       remove_leftovers(description.directory, description.identity.id, referred, files);
                     },
                     [&lock, description] { lock.take(description.directory, description.identity.id); }}),
        publishing(plan, description, settings.self, {records, library, writers, &trials}, messages, files,
                   format, continuation.get(), kept_after_hooks()),
        analysis(
            plan, settings.self, workers, messages, errors, settings.defers,
            {[this](Records records, ClientRank client) {
               publishing.add(held_in(activity.record_bytes, plan, std::move(records)), client);
             },
             [this](ClientRank client) { publishing.end_client(client); }, kept(),
             [this](Record record, ClientRank client) { publishing.add_static(std::move(record), client); }},
            continuation.get()) {
    publishing.set_events(tell);
    publishing.set_stop(
        [&messages](const std::string& why) { messages.send(0, text_frame(ServerFrame::stop, why)); });
    publishing.set_published([this](const PublishedFile& file) {
      const std::string& command = plan[file.key.file].on_publish;
      if (!command.empty()) hooks.start(command, file);
    });
  }

  Config config;
  Plan plan;
  std::unique_ptr<Continuation> continuation;
  Activity activity;
  OpenSteps open_steps;
  std::optional<StepGate> gate;  ///< of server 0
  CountedExecutor workers, records, library, writers;
  CountedExecutor telling;  ///< of events: blocks as writers do, and moves nothing that anybody waits for
  CountedExecutor library_trials;  ///< likewise, of what a full disk did not take; the trials of writers too
  Pauses pauses;
  Publishing::Trials trials;
  TellEvent tell;  ///< empty where nobody wants to know
  EventLog events;
  ErrorList hook_failures;
  PublishHooks hooks;
  Checkpoints checkpoints;
  Publishing publishing;
  Analysis analysis;

 private:
  Kept kept() {
    return [this](std::int64_t step, std::vector<StateEntry> entries, std::string error) {
      checkpoints.keep(step, std::move(entries), std::move(error));
    };
  }
  /// Of files: what is said of them outside must have been done, as a run that goes on does not say it again.
  Kept kept_after_hooks() {
    return [this](std::int64_t step, std::vector<StateEntry> entries, std::string error) {
      auto shared = std::make_shared<std::vector<StateEntry>>(std::move(entries));
      hooks.after_those_so_far(
          [this, step, shared, error] { checkpoints.keep(step, std::move(*shared), error); });
    };
  }
  void tell_hook_failed(const PublishedFile& file, const std::string& how) {
    hook_failures.warn(file.path + ": published, but " + how);
    if (!tell) return;
    Event event;
    event.kind = Event::Kind::hook_failed;
    event.file = file.key.file;
    event.period = file.key.period;
    event.path = file.path;
    event.publication = file.publication;
    event.text = how;
    tell(event);
  }
  static TellEvent tell_through(Messages& messages) {
    return [&messages](const Event& event) { messages.send(0, encode(event)); };
  }
  void tell_checkpoint(const Step& step, const std::string& path) const {
    if (!tell) return;
    Event event;
    event.kind = Event::Kind::checkpointed;
    event.period = step.index;
    event.last_record_s = step.time;
    event.path = path;
    tell(event);
  }
  void tell_checkpoint_failed(std::int64_t step, const std::string& why) const {
    if (!tell) return;
    Event event;
    event.kind = Event::Kind::checkpoint_failed;
    event.period = step;
    event.text = why;
    tell(event);
  }
  static Checkpoints::Run checkpoint_run(const Config& config, const Plan& plan,
                                         const RunDescription& description, ServerRank self);
};

class Server::Run {
 public:
  Run(ServerSettings settings, Endpoint& endpoint, MakeExecutors make_executors, FileSystem& files,
      FileFormat& format);

  bool poll();
  bool is_finished() const {
    return is_over_ && ((waiting_frames_ == 0 && endpoint_.is_all_sent()) || polls_after_end_ > kLastPolls);
  }
  bool is_working() const { return planned_ && !planned_->workers.is_idle(); }
  bool was_refused() const { return was_refused_; }
  std::string errors() const { return report_.error_text(); }
  const RunReport& figures() const { return report_; }
  std::string report() const { return planned_ ? report_.text() : ""; }  // a refused run has none

 private:
  bool poll_once();
  /// What `part` throws is a failure of this server, and what comes after it is done nevertheless.
  template <class Part>
  void guarded(Part part) noexcept {
    try {
      part();
    } catch (...) {
      take_lane_failure();
    }
  }
  void take_lane_failure() noexcept;
  void leave_alone() noexcept;
  void tell_failure();
  void send(Peer to, std::span<const std::byte> frame);
  void send_to_server(ServerRank to, Bytes&& frame);
  bool send_letters();
  bool send_waiting();
  void dispatch(std::shared_ptr<const Message> message);
  void take_client_frame(ClientRank client, FrameKind kind, Decoder& in,
                         std::shared_ptr<const Message> message);
  void take_server_frame(ServerRank from, Decoder& in, std::shared_ptr<const void> bytes);
  void take_run_frame(ServerRank from, ServerFrame kind, Decoder& in, std::shared_ptr<const void> bytes);

  void send_registrations_if_complete();
  void describe_if_complete();
  void begin(Decoder& in);
  void count_begun();
  void go();
  void refuse(const std::string& text);
  void refuse_everywhere(const std::string& text);
  void require_plan(ClientRank client) const;
  void take_finish(ClientRank client, const FinishFrame& frame);
  void stop_everywhere(const std::string& why);
  void stop(const std::string& why);
  void drop_what_comes();
  void describe_steps(const ClockTick& first);
  void take_clock(const ClockTick& tick, std::shared_ptr<const Message> message);
  void take_parcel(ClientRank client, std::shared_ptr<const Message> message);
  void release_ticks();
  void ask_to_hurry();
  void hurry();
  bool tell_steps_done();
  void pass_down(const Bytes& frame);
  void tick(const ClockTick& tick, const Bytes& frame);

  bool is_quiet() const;
  bool end_run_if_quiet();
  void answer_wave();
  void take_wave_answer(ServerRank from, Decoder& in);
  ServerFigures own_figures() const;
  std::vector<std::string> texts_of_what_is_open() const;
  void write_report() const;
  void look_for_waits();
  void look_for_absent_ranks(StallWatch::Clock::time_point now);
  WaitWatch::Hooks wait_hooks();
  void ask_for_waits(const std::shared_ptr<Waits>& waits);
  void say(WaitWatch::Said said, const std::string& lines) const;
  void tell_wait(WaitWatch::Said said, const std::string& line, double lasted_s) const;
  void tell_late(const WaitBook::Late& late) const;
  std::uint64_t progress() const { return moved_ + planned_->activity.ended(Work::disk); }
  WaitWatch::Clock::time_point now() const;
  void end_run(RunReport report);
  void remove_leftovers_of_complete_run();

  ServerSettings settings_;
  std::unique_ptr<Processes> processes_ = posix_processes();
  Endpoint& endpoint_;
  MakeExecutors make_executors_;
  FileSystem& files_;
  FileFormat& format_;
  std::vector<ClientRank> clients_;  ///< of this server
  /// By peer; no more than the greatest of them, kNoClient for servers.
  std::vector<ClientRank> client_of_peer_;
  std::vector<ServerRank> below_clock_;  ///< to which this server passes the clock on
  Outbox outbox_;
  std::vector<std::deque<Bytes>> waiting_;  ///< by server: not sent, as it does not receive what was
  std::size_t waiting_frames_ = 0;
  ErrorList errors_;
  Failures failures_{errors_};
  std::optional<SignalWatch> signals_;
  Registrations own_registrations_, all_registrations_;
  std::deque<std::pair<ServerRank, Bytes>> early_;  ///< frames that came before this server had its Plan
  FolderLock lock_;                                 ///< server 0: of the checkpoints
  std::unique_ptr<PlannedServer> planned_;
  std::map<ClientRank, FinishFrame> finished_;
  std::size_t begun_ = 0;  ///< server 0: servers that are ready
  bool has_clock_ended_ = false;
  struct HeldTick {
    ClockTick tick;
    std::shared_ptr<const Message> message;  ///< keeps its room
    bool has_asked = false;
  };
  std::deque<HeldTick> held_ticks_;  ///< server 0: of the model, ahead of the run's clock
  bool has_asked_to_hurry_ = false;  ///< server 0: since the clock last went on
  std::uint64_t told_done_ = 0;      ///< steps of which server 0 knows that they are done here
  std::uint64_t hurried_through_ = 0;
  bool has_described_steps_ = false;
  bool has_initial_state_ = false;
  std::uint64_t sent_ = 0, received_ = 0;  ///< frames between servers that are no waves
  TrafficByKind to_servers_ = {};          ///< of these sent, to others
  Traffic from_model_;
  std::int64_t worker_threads_ = 1;
  std::int64_t memory_at_start_bytes_ = 0;
  Activity::Clock::time_point went_, model_ended_;
  bool is_wave_asked_ = false;      ///< the wave waits until this server is quiet
  bool is_wave_under_way_ = false;  ///< server 0
  Termination termination_;         ///< server 0
  RunReport joined_;                ///< server 0: of the wave under way
  RunReport report_;
  StallWatch commit_stall_;
  std::uint64_t moved_ = 0;  ///< frames that came and may end a wait, and commands that ended
  WaitWatch waits_;
  ProgressLine progress_line_;  ///< server 0
  bool is_over_ = false;
  bool was_refused_ = false;
  bool is_stopping_ = false;  ///< server 0: has told all
  std::string stopped_for_;   ///< on server 0: the reason that was said
  bool is_stopped_ = false;   ///< what still comes is dropped
  bool is_failure_told_ = false;
  int lane_failures_ = 0;  ///< since the lane last got through a poll
  int polls_after_end_ = 0;
};

}  // namespace pileus
