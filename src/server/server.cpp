#include "server/server.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <optional>

#include "client/frames.h"
#include "core/log.h"
#include "messaging/frames.h"
#include "messaging/termination.h"
#include "messaging/tree_shape.h"
#include "server/analysis.h"
#include "server/clock_frame.h"
#include "server/commit.h"
#include "server/counted_executor.h"
#include "server/outbox.h"
#include "server/publishing.h"
#include "server/read_parcel.h"
#include "server/report.h"

namespace pileus {
namespace {

/// Messages that are taken in one poll, so that what they cause gets its turn.
constexpr int kMessagesPerPoll = 64;

/// How often a server whose run is over looks whether its last words have left; a client that has gone takes
/// none.
constexpr int kLastPolls = 20'000;

/// The numbers of pileus_status in a farewell.
constexpr std::uint32_t kStatusOk = 0;
constexpr std::uint32_t kStatusOutput = 4;

Bytes text_frame(auto kind, std::string_view text) {
  Bytes frame;
  Encoder out(frame);
  out.put(kind);
  out.put(text);
  return frame;
}

Bytes bare_frame(ServerFrame kind) {
  Bytes frame;
  Encoder(frame).put(kind);
  return frame;
}

}  // namespace

/// What exists once the run has a Plan. Everything refers to the Plan, so it comes first.
struct PlannedServer {
  PlannedServer(PlannedRun run, const RunDescription& description, ServerRank self,
                const ServerExecutors& executors, Messages& messages, ErrorList& errors, FileSystem& files,
                FileFormat& format)
      : config(std::move(run.config)),
        plan(std::move(run.plan)),
        workers(executors.workers, tasks),
        library(executors.library, tasks),
        writers(executors.writers, tasks),
        publishing(plan, description, self, {workers, library, writers}, messages, files, format),
        analysis(plan, self, workers, messages, errors,
                 {[this](Record record, ClientRank client) { publishing.add(std::move(record), client); },
                  [this](ClientRank client) { publishing.end_client(client); }}) {}

  Config config;
  Plan plan;
  TaskCount tasks = 0;
  CountedExecutor workers, library, writers;
  Publishing publishing;
  Analysis analysis;
};

class Server::Run {
 public:
  Run(ServerSettings settings, Endpoint& endpoint, MakeExecutors make_executors, FileSystem& files,
      FileFormat& format);

  bool poll();
  bool is_finished() const { return is_over_ && (endpoint_.is_all_sent() || polls_after_end_ > kLastPolls); }
  bool is_working() const { return planned_ && !planned_->workers.is_idle(); }
  std::string errors() const { return report_.error_text(); }
  std::string report() const { return planned_ ? report_.text() : ""; }  // a refused run has none

 private:
  void send(Peer to, std::span<const std::byte> frame);
  void send_letters();
  void dispatch(std::shared_ptr<const Message> message);
  void take_client_frame(ClientRank client, FrameKind kind, Decoder& in,
                         std::shared_ptr<const Message> message);
  void take_server_frame(ServerRank from, Decoder& in, std::shared_ptr<const void> bytes);
  void take_run_frame(ServerFrame kind, Decoder& in, std::shared_ptr<const void> bytes);

  void send_registrations_if_complete();
  void describe_if_complete();
  void begin(Decoder& in);
  void count_begun();
  void go();
  void refuse(const std::string& text);
  void refuse_everywhere(const std::string& text);
  void require_plan(ClientRank client) const;
  void take_finish(ClientRank client, const FinishFrame& frame);
  void tick(const ClockTick& tick, const Bytes& frame);

  bool is_quiet() const;
  bool end_run_if_quiet();
  void answer_wave();
  void take_wave_answer(ServerRank from, Decoder& in);
  void end_run(RunReport report);

  ServerSettings settings_;
  Endpoint& endpoint_;
  MakeExecutors make_executors_;
  FileSystem& files_;
  FileFormat& format_;
  std::vector<ClientRank> clients_;  ///< of this server
  Outbox outbox_;
  ErrorList errors_;
  Registrations own_registrations_, all_registrations_;
  std::deque<std::pair<ServerRank, Bytes>> early_;  ///< frames that came before this server had its Plan
  std::unique_ptr<PlannedServer> planned_;
  std::map<ClientRank, FinishFrame> finished_;
  std::size_t begun_ = 0;  ///< server 0: servers that are ready
  bool has_clock_ended_ = false;
  std::uint64_t sent_ = 0, received_ = 0;  ///< frames between servers that are no waves
  bool is_wave_asked_ = false;             ///< the wave waits until this server is quiet
  bool is_wave_under_way_ = false;         ///< server 0
  Termination termination_;                ///< server 0
  RunReport joined_;                       ///< server 0: of the wave under way
  RunReport report_;
  bool is_over_ = false;
  int polls_after_end_ = 0;
};

Server::Run::Run(ServerSettings settings, Endpoint& endpoint, MakeExecutors make_executors, FileSystem& files,
                 FileFormat& format)
    : settings_(std::move(settings)),
      endpoint_(endpoint),
      make_executors_(std::move(make_executors)),
      files_(files),
      format_(format),
      own_registrations_([&] {
        const Layout layout{static_cast<ClientRank>(settings_.clients.size()),
                            static_cast<ServerRank>(settings_.servers.size())};
        for (ClientRank client = 0; client < layout.clients; ++client) {
          if (layout.server_of(client) == settings_.self) clients_.push_back(client);
        }
        return clients_.size();
      }()),
      all_registrations_(settings_.clients.size()),
      termination_(static_cast<ServerRank>(settings_.servers.size())) {}

bool Server::Run::poll() {
  if (is_over_) {
    ++polls_after_end_;
    return false;
  }
  bool did_anything = !outbox_.is_empty();
  send_letters();
  for (int i = 0; i < kMessagesPerPoll && !is_over_; ++i) {
    std::shared_ptr<const Message> message = endpoint_.receive();
    if (!message) break;
    did_anything = true;
    dispatch(std::move(message));
  }
  return end_run_if_quiet() || did_anything;
}

void Server::Run::send(Peer to, std::span<const std::byte> frame) {
  std::unique_ptr<Slot> slot = endpoint_.claim(to, kControl, frame.size());
  std::memcpy(slot->bytes().data(), frame.data(), frame.size());
  endpoint_.commit(std::move(slot));
}

void Server::Run::send_letters() {
  for (auto& [to, frame] : outbox_.take_all()) {
    ++sent_;
    if (to != settings_.self) {
      send(settings_.servers[to], frame);
      continue;
    }
    auto bytes = std::make_shared<Bytes>(std::move(frame));
    Decoder in(*bytes);
    take_server_frame(settings_.self, in, bytes);
  }
}

void Server::Run::dispatch(std::shared_ptr<const Message> message) {
  Decoder in(message->bytes());
  const auto client = std::ranges::find(settings_.clients, message->from());
  try {
    if (client != settings_.clients.end()) {
      const auto kind = in.get<FrameKind>();
      const auto rank = static_cast<ClientRank>(client - settings_.clients.begin());
      take_client_frame(rank, kind, in, std::move(message));
    } else {
      const auto server = std::ranges::find(settings_.servers, message->from()) - settings_.servers.begin();
      take_server_frame(static_cast<ServerRank>(server), in, message);
    }
  } catch (const TransportError& error) {
    errors_.add(error.what());
  }
}

void Server::Run::take_client_frame(ClientRank client, FrameKind kind, Decoder& in,
                                    std::shared_ptr<const Message> message) {
  switch (kind) {
    case FrameKind::registration: try { own_registrations_.add(client, in);
      } catch (const TransportError& error) {
        return refuse_everywhere(error.what());
      }
      return send_registrations_if_complete();
    case FrameKind::clock: {
      ClockFrame frame;
      if (message->bytes().size() != sizeof frame) throw TransportError("a clock frame has a wrong size");
      std::memcpy(&frame, message->bytes().data(), sizeof frame);
      require_plan(client);
      const ClockTick ticked{false, frame.step, frame.start_time_s};
      return tick(ticked, ticked.encode());
    }
    case FrameKind::parcel:
      require_plan(client);
      return planned_->analysis.take(client, read_parcel(planned_->plan, client, std::move(message)));
    case FrameKind::finish: {
      FinishFrame frame;
      if (message->bytes().size() != sizeof frame) throw TransportError("a finish frame has a wrong size");
      std::memcpy(&frame, message->bytes().data(), sizeof frame);
      return take_finish(client, frame);
    }
    default:
      throw TransportError("model rank " + std::to_string(client) + " sent a frame of an unknown kind");
  }
}

void Server::Run::take_server_frame(ServerRank from, Decoder& in, std::shared_ptr<const void> bytes) {
  const Decoder whole = in;
  const auto kind = in.get<ServerFrame>();
  switch (kind) {
    case ServerFrame::wave: is_wave_asked_ = true; return;
    case ServerFrame::wave_answer: return take_wave_answer(from, in);
    case ServerFrame::over: return end_run(RunReport::decode(in));
    default: break;
  }
  ++received_;
  switch (kind) {
    case ServerFrame::registrations: all_registrations_.add_all(in); return describe_if_complete();
    case ServerFrame::run_description: try { return begin(in);
      } catch (const std::exception& error) {
        return refuse_everywhere(error.what());
      }
    case ServerFrame::begun: return count_begun();
    case ServerFrame::go: return go();
    case ServerFrame::refusal: return refuse(in.get_text());
    default: break;
  }
  if (!planned_) {
    // Another server was told of the run before this one.
    Decoder copy = whole;
    early_.emplace_back(from, Bytes(copy.rest().begin(), copy.rest().end()));
    return;
  }
  take_run_frame(kind, in, std::move(bytes));
}

void Server::Run::take_run_frame(ServerFrame kind, Decoder& in, std::shared_ptr<const void> bytes) {
  switch (kind) {
    case ServerFrame::clock: {
      const ClockTick ticked = ClockTick::decode(in);
      return tick(ticked, ticked.encode());
    }
    case ServerFrame::client_end: return planned_->publishing.take_client_end(in);
    case ServerFrame::reduction: return planned_->analysis.take_reduction(in, std::move(bytes));
    case ServerFrame::placement: return planned_->publishing.take_placement(in);
    case ServerFrame::part: return planned_->publishing.take_part(in, std::move(bytes));
    case ServerFrame::closing: return planned_->publishing.take_closing(in);
    case ServerFrame::parts_done: return planned_->publishing.take_parts_done(in);
    default: throw TransportError("a server sent a frame of an unknown kind");
  }
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
    frame = describe_run(settings_, all_registrations_, files_).encode();
  } catch (const std::exception& error) {
    return refuse_everywhere(error.what());
  }
  for (ServerRank server = 0; server < settings_.servers.size(); ++server) outbox_.send(server, frame);
}

void Server::Run::begin(Decoder& in) {
  const RunDescription description = RunDescription::decode(in);
  Findings findings;
  PlannedRun run = plan_run(description, static_cast<ServerRank>(settings_.servers.size()), findings);
  const ServerExecutors executors = make_executors_(run.config.threads);
  planned_ = std::make_unique<PlannedServer>(std::move(run), description, settings_.self, executors, outbox_,
                                             errors_, files_, format_);
  outbox_.send(0, bare_frame(ServerFrame::begun));
}

/// Only when every server is ready: after the first demand the run can no longer be refused.
void Server::Run::go() {
  const std::uint64_t budget = budget_of_client(planned_->config, clients_.size());
  for (ClientRank client : clients_) {
    Bytes frame;
    Encoder out(frame);
    out.put(FrameKind::demand);
    planned_->plan.demand(client, budget).encode(out);
    send(settings_.clients[client], frame);
  }
  for (auto& [from, frame] : std::exchange(early_, {})) {
    auto bytes = std::make_shared<Bytes>(std::move(frame));
    Decoder early(*bytes);
    take_run_frame(early.get<ServerFrame>(), early, bytes);
  }
}

void Server::Run::count_begun() {
  if (++begun_ < settings_.servers.size()) return;
  for (ServerRank server = 0; server < settings_.servers.size(); ++server) {
    outbox_.send(server, bare_frame(ServerFrame::go));
  }
}

void Server::Run::refuse(const std::string& text) {
  // One server says it for all; every model rank gets the text.
  if (settings_.self == 0) log::error("the run cannot start:\n" + text);
  for (ClientRank client : clients_) send(settings_.clients[client], text_frame(FrameKind::refusal, text));
  report_.errors = {text};
  is_over_ = true;
}

void Server::Run::take_finish(ClientRank client, const FinishFrame& frame) {
  if (!planned_) return refuse_everywhere("model rank " + std::to_string(client) + " left before commit");
  finished_[client] = frame;
  if (frame.is_broken_off != 0) {
    errors_.add("model rank " + std::to_string(client) + " broke the run off after step " +
                std::to_string(frame.last_step));
  }
  planned_->analysis.finish_client(client, frame.last_step);
  if (client != 0) return;
  const ClockTick end{true, {frame.last_step, 0, 0}, 0};
  tick(end, end.encode());
}

void Server::Run::tick(const ClockTick& ticked, const Bytes& frame) {
  std::vector<ServerRank> all(settings_.servers.size());
  for (ServerRank server = 0; server < all.size(); ++server) all[server] = server;
  for (ServerRank child : tree_place(all, 0, settings_.self).children) outbox_.send(child, frame);

  if (ticked.is_end) {
    has_clock_ended_ = true;
    planned_->analysis.end_clock(ticked.step.index);
    planned_->publishing.end_clock();
  } else {
    planned_->analysis.advance(ticked.step, ticked.start_time_s);
    planned_->publishing.advance(ticked.step, ticked.start_time_s);
  }
}

bool Server::Run::is_quiet() const {
  if (!planned_ || !has_clock_ended_ || finished_.size() < clients_.size()) return false;
  return planned_->workers.is_idle() && outbox_.is_empty();
}

bool Server::Run::end_run_if_quiet() {
  if (is_over_ || !is_quiet()) return false;
  if (settings_.self == 0 && !is_wave_under_way_) {
    is_wave_under_way_ = true;
    joined_ = {};
    for (ServerRank server = 1; server < settings_.servers.size(); ++server) {
      send(settings_.servers[server], bare_frame(ServerFrame::wave));
    }
    is_wave_asked_ = true;
  }
  if (!is_wave_asked_) return false;
  is_wave_asked_ = false;
  answer_wave();
  return true;
}

void Server::Run::answer_wave() {
  RunReport report;
  for (const auto& [client, end] : finished_) report.clients.push_back({client, end});
  report.files = planned_->publishing.published();
  report.errors = errors_.all();
  report.warnings = planned_->publishing.warnings();
  for (const std::string& error : planned_->publishing.errors()) report.errors.push_back(error);
  for (const std::string& text : planned_->analysis.open_texts())
    report.errors.push_back("never complete: " + text);
  for (const std::string& text : planned_->publishing.open_texts())
    report.errors.push_back("never complete: " + text);

  Bytes frame;
  Encoder out(frame);
  out.put(ServerFrame::wave_answer);
  out.put(sent_);
  out.put(received_);
  report.encode(out);
  if (settings_.self != 0) return send(settings_.servers[0], frame);
  Decoder in(frame);
  in.get<ServerFrame>();
  take_wave_answer(0, in);
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
    send(settings_.servers[server], frame);
  end_run(std::move(joined_));
}

void Server::Run::end_run(RunReport report) {
  report_ = std::move(report);
  const std::string text = report_.error_text();
  for (ClientRank client : clients_) {
    if (finished_[client].is_broken_off != 0) continue;  // it has gone and hears nothing
    Bytes frame;
    Encoder out(frame);
    out.put(FrameKind::farewell);
    out.put(text.empty() ? kStatusOk : kStatusOutput);
    out.put(text);
    send(settings_.clients[client], frame);
  }
  is_over_ = true;
}

Server::Server(ServerSettings settings, Endpoint& endpoint, MakeExecutors make_executors, FileSystem& files,
               FileFormat& format)
    : run_(std::make_unique<Run>(std::move(settings), endpoint, std::move(make_executors), files, format)) {}
Server::~Server() = default;
bool Server::poll() { return run_->poll(); }
bool Server::is_finished() const { return run_->is_finished(); }
bool Server::is_working() const { return run_->is_working(); }
std::string Server::errors() const { return run_->errors(); }
std::string Server::report() const { return run_->report(); }

}  // namespace pileus
