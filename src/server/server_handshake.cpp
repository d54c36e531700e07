// Before the first step: registrations, the Plan, and what the clients are told.

#include <algorithm>

#include "core/error.h"
#include "core/error_text.h"
#include "core/log.h"
#include "plan/step_limits.h"
#include "report/process_memory.h"
#include "server/server_run.h"
#include "state/checkpoint_folders.h"

namespace pileus {
namespace {

/// Model ranks print what they are told: one of them all of it, the others what it begins with.
std::string first_line_of(const std::string& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string::npos) return text;
  const auto more = std::ranges::count(text, '\n');
  return text.substr(0, end) + " (and " + std::to_string(more) + (more == 1 ? " line" : " lines") +
         " more, which model rank 0 was told)";
}

/// The model says why, where people look: it has the text from its call. A rank that left says nothing more.
void log_refusal(const std::string& text) {
  if (text.ends_with(kLeftBeforeCommit)) return log::error("the run cannot start: " + text);
  log::error(
      "the run cannot start; model rank 0 has the reason from pileus_commit, and so has the file of this "
      "log, if there is one (PILEUS_LOG_FILE)");
  log::write_to_file(log::Level::error, text);
}

}  // namespace

Checkpoints::Run PlannedServer::checkpoint_run(const Config& config, const Plan& plan,
                                               const RunDescription& description, ServerRank self) {
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
  return run;
}

void Server::Run::send_registrations_if_complete() {
  if (own_registrations_.is_complete()) outbox_.send(0, own_registrations_.encode());
}

void Server::Run::refuse_everywhere(const std::string& text) {
  const Bytes frame = text_frame(ServerFrame::refusal, text);
  for (ServerRank server = 0; server < settings_.servers.size(); ++server) outbox_.send(server, frame);
}

void Server::Run::require_plan(ClientRank client) const {
  if (!planned_) throw TransportError("model rank " + std::to_string(client) + " sent a step before commit");
}

void Server::Run::describe_if_complete() {
  if (!all_registrations_.is_complete()) return;
  Bytes frame;
  try {
    describe_model_if_asked(settings_, all_registrations_);
    frame = describe_run(settings_, all_registrations_, files_, lock_).encode();
  } catch (...) {
    return refuse_everywhere(text_of_current_exception());
  }
  for (ServerRank server = 0; server < settings_.servers.size(); ++server) outbox_.send(server, frame);
}

void Server::Run::begin(Decoder& in) {
  const RunDescription description = RunDescription::decode(in);
  Findings findings;
  PlannedRun run = plan_run(description, static_cast<ServerRank>(settings_.servers.size()), findings);
  if (settings_.catches_signals && !run.config.checkpoint.signals.empty())
    signals_.emplace(run.config.checkpoint.signals);
  const ServerExecutors executors = make_executors_(run.config.threads);
  worker_threads_ = executors.worker_threads;
  progress_line_.set_end(run.config.time.end_s);
  const auto& after = description.model.ranks.front().continue_after;
  try {
    std::unique_ptr<Continuation> continuation;
    if (after) {
      continuation = std::make_unique<Continuation>(read_continuation(files_, description.directory, *after));
      continuation->identity = description.identity;
      pileus::go_on(run.plan, *continuation);
    }
    planned_ = std::make_unique<PlannedServer>(
        std::move(run), description, std::move(continuation), settings_, executors, outbox_, errors_,
        failures_, files_, format_, settings_.processes ? *settings_.processes : *processes_, lock_);
  } catch (const TransportError& error) {
    if (!after) throw;
    throw UsageError("the run cannot continue from " +
                     checkpoint_folder(description.directory, *after).string() + ": " + error.what());
  }
  outbox_.send(0, bare_frame(ServerFrame::begun));
}

/// Only when every server is ready: after the first demand the run can no longer be refused.
void Server::Run::go() {
  went_ = Activity::Clock::now();
  memory_at_start_bytes_ = process_memory().now_bytes;
  planned_->checkpoints.begin_run();
  if (settings_.self == 0) {
    for (const std::string& text : planned_->analysis.continuation_warnings()) log::warning(text);
  }
  planned_->events.start();
  const std::vector<StepLimit> limits = step_limits(planned_->plan);
  const std::uint64_t budget =
      budget_of_client(planned_->config, planned_->plan, settings_.self, clients_.size());
  for (ClientRank client : clients_) {
    Bytes frame;
    Encoder out(frame);
    out.put(FrameKind::demand);
    planned_->plan.demand(client, budget).encode(out);
    encode(limits, out);
    send(settings_.clients[client], frame);
  }
  for (auto& [from, frame] : std::exchange(early_, {})) {
    auto bytes = std::make_shared<Bytes>(std::move(frame));
    Decoder early(*bytes);
    take_run_frame(from, early.get<ServerFrame>(), early, bytes);
  }
}

void Server::Run::count_begun() {
  if (++begun_ < settings_.servers.size()) return;
  for (ServerRank server = 0; server < settings_.servers.size(); ++server) {
    outbox_.send(server, bare_frame(ServerFrame::go));
  }
}

void Server::Run::refuse(const std::string& text) {
  if (settings_.self == 0) log_refusal(text);
  for (ClientRank client : clients_) {
    const std::string told = client == 0 ? text : first_line_of(text);
    send(settings_.clients[client], text_frame(FrameKind::refusal, told));
  }
  report_.errors = {text};
  was_refused_ = true;
  write_report();
  is_over_ = true;
}

}  // namespace pileus
