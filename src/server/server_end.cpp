// How a run is found to be over, and what is said of it.

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "core/error_text.h"
#include "core/log.h"
#include "report/process_memory.h"
#include "server/server_run.h"

namespace pileus {
namespace {

/// The numbers of pileus_status in a farewell.
constexpr std::uint32_t kStatusOk = 0;
constexpr std::uint32_t kStatusOutput = 4;

Bytes farewell(const std::string& text) {
  Bytes frame;
  Encoder out(frame);
  out.put(FrameKind::farewell);
  out.put(text.empty() ? kStatusOk : kStatusOutput);
  out.put(text);
  return frame;
}

}  // namespace

/// Nothing works any more, not even to end the run with the others.
void Server::Run::leave_alone() noexcept {
  is_over_ = true;
  try {
    errors_.add(failures_.first());
    report_.errors = errors_.all();
    for (ClientRank client : clients_) send(settings_.clients[client], farewell(failures_.first()));
  } catch (...) {  // then they cannot be told
  }
}

bool Server::Run::is_quiet() const {
  if (!planned_ || !has_clock_ended_ || finished_.size() < clients_.size()) return false;
  if (failures_.is_any() && !is_failure_told_) return false;
  return planned_->workers.is_idle() && planned_->hooks.is_idle() && planned_->pauses.is_idle() &&
         outbox_.is_empty() && waiting_frames_ == 0;
}

bool Server::Run::end_run_if_quiet() {
  if (is_over_ || !is_quiet() || !waits_.is_through(progress(), now())) return false;
  if (settings_.self == 0 && !is_wave_under_way_) {
    is_wave_under_way_ = true;
    joined_ = {};
    for (ServerRank server = 1; server < settings_.servers.size(); ++server) {
      send_to_server(server, bare_frame(ServerFrame::wave));
    }
    is_wave_asked_ = true;
  }
  if (!is_wave_asked_) return false;
  is_wave_asked_ = false;
  answer_wave();
  return true;
}

ServerFigures Server::Run::own_figures() const {
  const Activity& activity = planned_->activity;
  const Activity::Clock::time_point now = Activity::Clock::now();
  const auto since = [&](Activity::Clock::time_point then) {
    return std::chrono::duration<double>(now - then).count();
  };
  ServerFigures figures;
  figures.server = settings_.self;
  figures.wall_s = since(went_);
  figures.idle_s = std::max(0.0, figures.wall_s - activity.busy_s(now));
  figures.analysis_s = activity.spent_s(Work::analysis);
  figures.messages_s = activity.spent_s(Work::messages);
  figures.writing_s = activity.spent_s(Work::records) + activity.spent_s(Work::disk);
  figures.after_model_s = since(model_ended_);
  figures.workers = worker_threads_;
  figures.most_parcel_bytes = activity.parcel_bytes.most();
  figures.window_bytes =
      static_cast<std::int64_t>(planned_->analysis.window_bytes() + planned_->publishing.static_bytes());
  figures.most_record_bytes = activity.record_bytes.most();
  figures.most_tasks = activity.tasks.most();
  figures.to_servers = to_servers_;
  figures.from_model = from_model_;
  for (const Traffic& traffic : to_servers_) {
    figures.messages += traffic.messages;
    figures.message_bytes += traffic.bytes;
  }
  figures.most_memory_bytes = process_memory().most_bytes;
  figures.memory_at_start_bytes = memory_at_start_bytes_;
  return figures;
}

void Server::Run::answer_wave() {
  RunReport report;
  for (const auto& [client, end] : finished_) report.clients.push_back({client, end});
  report.files = planned_->publishing.published();
  report.errors = errors_.all();
  report.servers = {own_figures()};
  for (auto& [name, cost] : planned_->analysis.costs()) report.costs[name] += cost;
  report.warnings = planned_->publishing.hole_texts();
  report.logged_warnings = planned_->analysis.continuation_warnings();
  report.absences = planned_->publishing.absences();
  report.waits = waits_.longest(settings_.self, now());
  for (const std::string& text : planned_->hook_failures.all()) report.logged_warnings.push_back(text);
  if (const std::string problem = planned_->events.problem(); !problem.empty())
    report.logged_warnings.push_back(problem);
  for (const std::string& text : planned_->publishing.full_disk_texts()) report.warnings.push_back(text);
  for (const std::string& error : planned_->publishing.errors()) report.errors.push_back(error);
  for (const std::string& text : texts_of_what_is_open()) report.errors.push_back("never complete: " + text);

  Bytes frame;
  Encoder out(frame);
  out.put(ServerFrame::wave_answer);
  out.put(sent_);
  out.put(received_);
  report.encode(out);
  if (settings_.self != 0) return send_to_server(0, std::move(frame));
  Decoder in(frame);
  in.get<ServerFrame>();
  take_wave_answer(0, in);
}

/// A run that is stopped leaves open what it may: that is no further error.
std::vector<std::string> Server::Run::texts_of_what_is_open() const {
  std::vector<std::string> texts;
  if (is_stopped_) return texts;
  const auto add = [&](const std::vector<std::string>& more) {
    texts.insert(texts.end(), more.begin(), more.end());
  };
  add(planned_->analysis.open_texts());
  add(planned_->checkpoints.open_texts());
  add(planned_->publishing.open_texts());
  return texts;
}

void Server::Run::take_wave_answer(ServerRank from, Decoder& in) {
  WaveAnswer answer;
  answer.sent = in.get<std::uint64_t>();
  answer.received = in.get<std::uint64_t>();
  joined_.join(RunReport::decode(in));
  if (!termination_.answer(from, answer)) return;
  is_wave_under_way_ = false;
  if (!termination_.is_over()) return;

  Bytes frame;
  Encoder out(frame);
  out.put(ServerFrame::over);
  joined_.encode(out);
  for (ServerRank server = 1; server < settings_.servers.size(); ++server)
    send_to_server(server, Bytes(frame));
  end_run(std::move(joined_));
}

/// Of a run that is complete nobody needs what an attempt before had under way.
void Server::Run::remove_leftovers_of_complete_run() {
  const bool is_broken_off = std::ranges::any_of(
      report_.clients, [](const RunReport::Client& client) { return client.end.is_broken_off != 0; });
  if (settings_.self != 0 || is_broken_off || !report_.errors.empty() || !planned_->continuation) return;
  try {
    remove_leftovers(settings_.directory, planned_->continuation->identity.id, {}, files_);
  } catch (...) {
    log::warning(text_of_current_exception());
  }
}

void Server::Run::end_run(RunReport report) {
  for (const std::string& text : texts_of_what_is_open()) log::error("never complete: " + text);
  report_ = std::move(report);
  remove_leftovers_of_complete_run();
  const std::string text = report_.error_text();
  if (!text.empty()) log::flush();  // a launcher may lose what is said after the model has ended
  for (ClientRank client : clients_) {
    if (finished_[client].is_broken_off != 0) continue;  // it has gone and hears nothing
    send(settings_.clients[client], farewell(text));
  }
  is_over_ = true;  // whatever happens to what is written of it
  planned_->events.finish(report_.errors);
  write_report();
}

void Server::Run::write_report() const {
  const char* const named = std::getenv("PILEUS_REPORT");
  const std::string path = settings_.report.empty() && named != nullptr ? named : settings_.report;
  if (settings_.self != 0 || path.empty()) return;
  std::ofstream out(path);
  out << report_.json() << std::flush;
  if (!out) log::error("the report could not be written to " + path + "; is its directory there?");
}

}  // namespace pileus
