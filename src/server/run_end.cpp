#include "server/run_end.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "core/component_path.h"
#include "core/error.h"
#include "core/error_text.h"
#include "core/log.h"
#include "report/process_memory.h"
#include "server/wiring.h"

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

bool is_well(const RunReport& report) {
  return report.errors.empty() && std::ranges::none_of(report.clients, [](const RunReport::Client& client) {
           return client.end.is_broken_off != 0;
         });
}

void append(std::vector<std::string>& texts, const std::vector<std::string>& more,
            const std::string& before = "") {
  for (const std::string& text : more) texts.push_back(before + text);
}

}  // namespace

RunEnd::RunEnd(ServerState& state, Stopping& stopping, const Handshake& handshake, const RunClock& clock,
               WaitTeller& waits, TimeBook& times)
    : state_(state),
      stopping_(stopping),
      handshake_(handshake),
      clock_(clock),
      waits_(waits),
      times_(times),
      termination_(static_cast<ServerRank>(state.settings.servers.size())),
      reports_(state.settings.servers.size()) {}

void RunEnd::begin() {
  began_ = Activity::Clock::now();
  times_.begin();
  memory_at_start_bytes_ = process_memory().now_bytes;
}

bool RunEnd::is_finished() const {
  return over_at_ && (state_.letters.has_all_left() || state_.now() - *over_at_ > kLastWords);
}

bool RunEnd::is_quiet() const {
  if (!state_.wiring || !clock_.has_ended() || state_.finished.size() < state_.clients.size()) return false;
  const Wiring& wiring = *state_.wiring;
  return stopping_.is_told() && wiring.workers.is_idle() && wiring.hooks.is_idle() &&
         wiring.joints.is_idle() && wiring.pauses.is_idle() && (!wiring.spill || wiring.spill->is_idle()) &&
         (!wiring.control || wiring.control->is_idle()) && (!wiring.inputs || wiring.inputs->is_idle()) &&
         state_.letters.is_empty();
}

bool RunEnd::end_if_quiet() {
  if (is_over() || !is_quiet() || !waits_.is_through()) return false;
  if (is_last_joined_) {
    end_behind_command();
    return true;
  }
  if (state_.is_first() && !is_wave_under_way_) {
    is_wave_under_way_ = true;
    for (ServerRank server = 1; server < state_.settings.servers.size(); ++server)
      stopping_.surely([&] { state_.letters.send_uncounted(server, bare_frame(ServerFrame::wave)); });
    is_wave_asked_ = true;
  }
  if (!is_wave_asked_) return false;
  answer_wave();
  is_wave_asked_ = false;  // after it: an answer that fails is tried again
  return true;
}

void RunEnd::answer_wave() {
  Bytes frame;
  Encoder out(frame);
  out.put(ServerFrame::wave_answer);
  out.put(state_.letters.sent());
  out.put(state_.letters.received());
  own_report().encode(out);
  if (!state_.is_first()) return state_.letters.send_uncounted(0, std::move(frame));
  Decoder in(frame);
  in.get<ServerFrame>();
  take_wave_answer(0, in);
}

RunReport RunEnd::own_report() {
  const Wiring& wiring = *state_.wiring;
  RunReport report;
  for (const auto& [client, end] : state_.finished) report.clients.push_back({client, end});
  report.files = wiring.publishing.published();
  report.errors = state_.errors.all();
  report.servers = {own_figures()};
  report.timelines = {{state_.settings.self, times_.points()}};
  for (auto& [name, cost] : wiring.analysis.costs()) report.costs[name] += cost;
  report.warnings = wiring.publishing.hole_texts();
  report.logged_warnings = wiring.analysis.continuation_warnings();
  report.absences = wiring.publishing.absences();
  report.waits = waits_.longest();
  clock_.overloads().add_to(report);
  append(report.logged_warnings, wiring.hook_failures.all());
  if (state_.is_first()) append(report.logged_warnings, state_.settings.placement_warnings);
  if (const std::string problem = wiring.events.problem(); !problem.empty())
    report.logged_warnings.push_back(problem);
  if (wiring.spill) append(report.warnings, wiring.spill->failure_texts());
  append(report.warnings, wiring.publishing.full_disk_texts());
  append(report.errors, wiring.publishing.errors());
  append(report.errors, texts_of_what_is_open(), "never complete: ");
  return report;
}

ServerFigures RunEnd::own_figures() const {
  const Wiring& wiring = *state_.wiring;
  const Activity& activity = wiring.activity;
  const Activity::Clock::time_point now = Activity::Clock::now();
  const auto since = [&](Activity::Clock::time_point then) {
    return std::chrono::duration<double>(now - then).count();
  };
  ServerFigures figures;
  figures.server = state_.settings.self;
  figures.is_attached = state_.settings.is_attached ? 1 : 0;
  figures.wall_s = since(began_);
  figures.idle_s = std::max(0.0, figures.wall_s - activity.busy_s(now));
  figures.analysis_s = activity.spent_s(Work::analysis);
  figures.messages_s = activity.spent_s(Work::messages);
  figures.writing_s = activity.spent_s(Work::records) + activity.spent_s(Work::disk);
  figures.after_model_s = since(clock_.ended_at());
  figures.workers = handshake_.worker_threads();
  figures.most_parcel_bytes = activity.parcel_bytes.most();
  figures.window_bytes =
      static_cast<std::int64_t>(wiring.analysis.window_bytes() + wiring.publishing.static_bytes());
  figures.most_record_bytes = activity.record_bytes.most();
  figures.most_tasks = activity.tasks.most();
  figures.to_servers = state_.letters.to_servers();
  figures.from_model = from_model_;
  if (wiring.inputs) figures.of_inputs = {wiring.inputs->sent().records, wiring.inputs->sent().bytes};
  for (const Traffic& traffic : figures.to_servers) {
    figures.messages += traffic.messages;
    figures.message_bytes += traffic.bytes;
  }
  if (wiring.spill) wiring.spill->add_to(figures);
  figures.most_memory_bytes = process_memory().most_bytes;
  figures.memory_at_start_bytes = memory_at_start_bytes_;
  return figures;
}

/// A run that is stopped leaves open what it may: that is no further error.
std::vector<std::string> RunEnd::texts_of_what_is_open() const {
  std::vector<std::string> texts;
  if (stopping_.is_stopped()) return texts;
  append(texts, state_.wiring->analysis.open_texts());
  append(texts, state_.wiring->checkpoints.open_texts());
  append(texts, state_.wiring->publishing.open_texts());
  return texts;
}

void RunEnd::take_wave_answer(ServerRank from, Decoder& in) {
  if (!is_wave_under_way_) throw TransportError("a server answered a question that this one did not ask");
  WaveAnswer answer;
  answer.sent = in.get<std::uint64_t>();
  answer.received = in.get<std::uint64_t>();
  stopping_.surely([&] {
    Decoder copy = in;
    reports_.at(from) = RunReport::decode(copy);
  });
  bool is_last = false;
  stopping_.surely([&] { is_last = termination_.answer(from, answer); });
  if (!is_last) return;
  is_wave_under_way_ = false;
  if (!termination_.is_over()) return;
  const std::vector<std::string> readers = state_.wiring->plan.readers();
  if (readers.empty() || !std::ranges::all_of(reports_, is_well)) return end_behind_command();
  is_last_joined_ = true;
  stopping_.surely([&] { state_.wiring->joints.end(readers); });
}

/// What on_end names runs when all is published, and is waited for as all commands are.
void RunEnd::end_behind_command() {
  bool is_under_way = false;
  if (!is_end_told_) {
    is_end_told_ = true;
    stopping_.surely([&] {
      const char* const status = joined_reports().errors.empty() ? "ok" : "errors";
      is_under_way = state_.wiring->event_commands.end(state_.settings.directory, status);
    });
  }
  if (!is_under_way) return end_of_all();
  is_last_joined_ = true;
}

void RunEnd::end_of_all() {
  RunReport joined;
  stopping_.surely([&] {
    if (is_last_joined_) reports_.front() = own_report();  // with what became of the last commands
    joined = joined_reports();
  });
  tell_over(joined);
  end(std::move(joined));
}

/// Joins them in the order of the servers, whatever that of their answers was.
RunReport RunEnd::joined_reports() const {
  RunReport joined;
  for (const RunReport& report : reports_) joined.join(report);
  return joined;
}

void RunEnd::tell_over(const RunReport& joined) {
  Bytes frame;
  stopping_.surely([&] {
    frame.clear();
    Encoder out(frame);
    out.put(ServerFrame::over);
    joined.encode_errors(out);
  });
  for (ServerRank server = 1; server < state_.settings.servers.size(); ++server)
    stopping_.surely([&] { state_.letters.send_uncounted(server, Bytes(frame)); });
}

void RunEnd::take_over(const Decoder& in) {
  RunReport report;
  stopping_.surely([&] {
    Decoder copy = in;
    report = RunReport::decode_errors(copy);
  });
  end(std::move(report));
}

/// Nobody needs what an attempt before had under way once the run is complete.
void RunEnd::remove_leftovers_of_complete_run() {
  const Wiring& wiring = *state_.wiring;
  if (!state_.is_first() || !is_well(report_) || !wiring.continuation) return;
  try {
    remove_leftovers(state_.settings.directory, wiring.continuation->identity.id, {}, state_.files);
  } catch (...) {
    log::warning(text_of_current_exception());
  }
}

/// The clients hear of it whatever fails, as they wait for nothing else.
void RunEnd::end(RunReport report) {
  report_ = std::move(report);
  report_.component = state_.settings.component;
  stopping_.guarded([&] {
    for (const std::string& text : texts_of_what_is_open()) log::error("never complete: " + text);
    remove_leftovers_of_complete_run();
  });
  std::string text;
  stopping_.surely([&] { text = report_.error_text(); });
  if (!text.empty()) log::flush();  // a launcher may lose what is said after the model has ended
  for (ClientRank client : state_.clients) {
    const auto finished = state_.finished.find(client);
    const bool has_gone = finished != state_.finished.end() && finished->second.is_broken_off != 0;
    if (has_gone) continue;  // it hears nothing
    stopping_.surely([&] { state_.letters.send_to_client(client, farewell(text)); });
  }
  over_at_ = state_.now();
  stopping_.guarded([&] { state_.wiring->events.finish(report_.errors); });
  if (state_.trace) {
    state_.trace->end_steps(state_.wiring->open_steps.done(), Trace::Clock::now());
    state_.trace->finish();
  }
  stopping_.guarded([&] { write_report(); });
}

void RunEnd::end_refused(const std::string& text) {
  report_.errors = {text};
  report_.component = state_.settings.component;
  was_refused_ = true;
  if (state_.trace) state_.trace->finish();
  write_report();
  over_at_ = state_.now();
}

void RunEnd::leave_alone() noexcept {
  if (is_over()) return;  // the time of its last words runs already, and must not begin anew
  over_at_ = state_.now();
  if (state_.trace) state_.trace->finish();
  try {
    state_.errors.add(state_.failures.first());
    report_.errors = state_.errors.all();
    state_.send_to_clients(farewell(state_.failures.first()));
  } catch (...) {  // then they cannot be told
  }
}

void RunEnd::write_report() const {
  const char* const named = std::getenv("PILEUS_REPORT");
  const std::string path =
      path_of_component(state_.settings.report.empty() && named != nullptr ? named : state_.settings.report,
                        state_.settings.component);
  if (!state_.is_first() || path.empty()) return;
  std::ofstream out(path);
  out << report_.json() << std::flush;
  if (!out) log::error("the report could not be written to " + path + "; is its directory there?");
}

}  // namespace pileus
