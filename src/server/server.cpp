#include "server/server.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include "core/environment.h"
#include "core/error.h"
#include "core/error_text.h"
#include "core/log.h"
#include "messaging/tree_shape.h"
#include "server/server_run.h"

namespace pileus {
namespace {

/// Messages that are taken in one poll, so that what they cause gets its turn.
constexpr int kMessagesPerPoll = 64;

/// What servers send each other is bounded by what model ranks may send, and counts as messages only.
constexpr Channel kBetweenServers = 1;

/// One poll, which counts as work from its beginning if there was anything to do.
class LaneTurn {
 public:
  explicit LaneTurn(const std::unique_ptr<PlannedServer>& planned) : planned_(planned) {}
  ~LaneTurn() {
    if (counted_in_ != nullptr) counted_in_->end(Work::messages, began_);
  }
  LaneTurn(const LaneTurn&) = delete;
  LaneTurn& operator=(const LaneTurn&) = delete;

  void count() {
    if (counted_in_ != nullptr || !planned_) return;
    counted_in_ = &planned_->activity;
    counted_in_->begin(began_);
  }

 private:
  const std::unique_ptr<PlannedServer>& planned_;
  Activity::Clock::time_point began_ = Activity::Clock::now();
  Activity* counted_in_ = nullptr;
};

double seconds_of(const char* variable, double otherwise) {
  return seconds_from_environment(variable).value_or(otherwise);
}

double patience_of(const ServerSettings& settings) {
  return seconds_of("PILEUS_PATIENCE", settings.patience_s);
}

/// Seconds between two lines that say how far the model is; 0: none. For people who look, or who ask.
double progress_period_of(const ServerSettings& settings) {
  if (settings.self != 0 || settings.now) return 0;
  return seconds_of("PILEUS_PROGRESS", isatty(STDERR_FILENO) == 1 ? 10 : 0);
}

/// What servers only tell each other of the run ends no wait.
bool is_movement(ServerFrame kind) {
  return kind != ServerFrame::event && kind != ServerFrame::wave && kind != ServerFrame::wave_answer;
}

bool defers(const ServerSettings& settings) {
  const char* const text = std::getenv("PILEUS_NO_DEFER");
  return settings.defers && (text == nullptr || *text == '\0');
}

}  // namespace

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
      termination_(static_cast<ServerRank>(settings_.servers.size())),
      commit_stall_(patience_of(settings_)),
      waits_(patience_of(settings_), wait_hooks()),
      progress_line_(progress_period_of(settings_)) {
  waiting_.resize(settings_.servers.size());
  for (ClientRank client = 0; client < settings_.clients.size(); ++client) {
    const Peer peer = settings_.clients[client];
    if (client_of_peer_.size() <= peer) client_of_peer_.resize(peer + 1, kNoClient);
    if (client_of_peer_[peer] == kNoClient) client_of_peer_[peer] = client;
  }
  std::vector<ServerRank> all(settings_.servers.size());
  std::iota(all.begin(), all.end(), ServerRank{0});
  below_clock_ = tree_place(all, 0, settings_.self).children;
  for (ServerRank server = 0; server < settings_.servers.size(); ++server) {
    if (server != settings_.self) endpoint_.set_budget(settings_.servers[server], SIZE_MAX);
  }
  settings_.defers = defers(settings_);
  settings_.room.total_s = seconds_of("PILEUS_ROOM_PATIENCE", settings_.room.total_s);
}

bool Server::Run::poll() {
  if (is_over_) ++polls_after_end_;
  try {
    const bool did_anything = is_over_ ? send_waiting() : poll_once();
    lane_failures_ = 0;
    return did_anything;
  } catch (...) {
    take_lane_failure();
    if (++lane_failures_ > kMostLaneFailures) leave_alone();
    return false;  // the lane rests before it tries again: what lacks may be there then
  }
}

bool Server::Run::poll_once() {
  tell_failure();
  LaneTurn turn(planned_);
  bool did_anything = send_letters();
  if (did_anything) turn.count();
  for (int i = 0; i < kMessagesPerPoll && !is_over_; ++i) {
    std::shared_ptr<const Message> message = endpoint_.receive();
    if (!message) break;
    did_anything = true;
    turn.count();
    dispatch(std::move(message));
  }
  if (planned_ && planned_->hooks.poll()) {
    ++moved_;
    did_anything = true;
  }
  if (planned_) planned_->pauses.poll();
  did_anything = tell_steps_done() || did_anything;
  look_for_waits();
  return end_run_if_quiet() || did_anything;
}

/// REQUIRES: called in a catch block.
void Server::Run::take_lane_failure() noexcept {
  failures_.add_current();
  is_failure_told_ = false;
  drop_what_comes();
}

/// To server 0, which tells all: the model at its next call. Before there is a Plan the run is refused.
void Server::Run::tell_failure() {
  if (!failures_.is_any() || is_failure_told_) return;
  drop_what_comes();
  if (planned_) {
    outbox_.send(0, text_frame(ServerFrame::stop, failures_.first()));
  } else {
    refuse_everywhere(failures_.first());
  }
  is_failure_told_ = true;
}

void Server::Run::send(Peer to, std::span<const std::byte> frame) {
  std::unique_ptr<Slot> slot = endpoint_.claim(to, kControl, frame.size());
  std::memcpy(slot->bytes().data(), frame.data(), frame.size());
  endpoint_.commit(std::move(slot));
}

/// To another server, after those before it: a server that stands still must not fill the queues of MPI,
/// which this one needs for others. The frame stays as it is where there is no memory for it.
void Server::Run::send_to_server(ServerRank to, Bytes&& frame) {
  waiting_[to].push_back(std::move(frame));
  ++waiting_frames_;
}

bool Server::Run::send_waiting() {
  const std::size_t before = waiting_frames_;
  for (ServerRank to = 0; waiting_frames_ > 0 && to < waiting_.size(); ++to) {
    for (std::deque<Bytes>& frames = waiting_[to]; !frames.empty(); frames.pop_front(), --waiting_frames_) {
      std::unique_ptr<Slot> slot =
          endpoint_.claim(settings_.servers[to], kBetweenServers, frames.front().size());
      if (!slot) break;
      std::ranges::copy(frames.front(), slot->bytes().begin());
      endpoint_.commit(std::move(slot));
    }
  }
  return waiting_frames_ < before;
}

/// True when there was anything to send.
bool Server::Run::send_letters() {
  if (outbox_.is_empty()) return send_waiting();
  std::deque<Outbox::Letter> letters = outbox_.take_all();
  const bool has_letters = !letters.empty();
  try {
    for (; !letters.empty(); letters.pop_front()) {
      auto& [to, frame] = letters.front();
      if (to == settings_.self) {
        auto bytes = std::make_shared<Bytes>(std::move(frame));
        ++sent_;
        Decoder in(*bytes);
        guarded([&] { take_server_frame(settings_.self, in, bytes); });
        continue;
      }
      const auto size = static_cast<std::int64_t>(frame.size());
      const auto kind = kind_index(Decoder(frame).get<ServerFrame>());
      send_to_server(to, std::move(frame));
      ++sent_;
      to_servers_[kind] += {1, size};
    }
  } catch (...) {
    outbox_.put_back(std::move(letters));  // a lost one would be waited for at the end
    throw;
  }
  return send_waiting() || has_letters;
}

void Server::Run::dispatch(std::shared_ptr<const Message> message) {
  Decoder in(message->bytes());
  const Peer from = message->from();
  const ClientRank client = from < client_of_peer_.size() ? client_of_peer_[from] : kNoClient;
  if (client == kNoClient) {
    const auto server = std::ranges::find(settings_.servers, from) - settings_.servers.begin();
    return guarded([&] { take_server_frame(static_cast<ServerRank>(server), in, message); });
  }
  guarded([&] {
    try {
      const auto kind = in.get<FrameKind>();
      take_client_frame(client, kind, in, std::move(message));
    } catch (const TransportError& error) {
      errors_.add(error.what());  // one model rank is wrong: the run goes on without what it says
    }
  });
}

void Server::Run::take_client_frame(ClientRank client, FrameKind kind, Decoder& in,
                                    std::shared_ptr<const Message> message) {
  ++moved_;
  if (planned_) from_model_ += {1, static_cast<std::int64_t>(message->bytes().size())};
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
      if (client != 0)
        throw TransportError("model rank " + std::to_string(client) + " sent a clock, which is rank 0's");
      return take_clock({false, frame.step, frame.start_time_s}, std::move(message));
    }
    case FrameKind::parcel: require_plan(client); return take_parcel(client, std::move(message));
    case FrameKind::marker: {
      MarkerFrame frame;
      if (message->bytes().size() != sizeof frame) throw TransportError("a marker has a wrong size");
      std::memcpy(&frame, message->bytes().data(), sizeof frame);
      require_plan(client);
      return planned_->analysis.take_marker(client, frame.step);
    }
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
  if (is_movement(kind)) ++moved_;
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
      } catch (...) {
        return refuse_everywhere(text_of_current_exception());
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
  take_run_frame(from, kind, in, std::move(bytes));
}

void Server::Run::take_run_frame(ServerRank from, ServerFrame kind, Decoder& in,
                                 std::shared_ptr<const void> bytes) {
  switch (kind) {
    case ServerFrame::clock: {
      const ClockTick ticked = ClockTick::decode(in);
      return tick(ticked, ticked.encode());
    }
    case ServerFrame::client_end: return planned_->publishing.mail().take_client_end(in);
    case ServerFrame::reduction: return planned_->analysis.take_reduction(from, in, std::move(bytes));
    case ServerFrame::distribution: return planned_->analysis.take_distribution(in);
    case ServerFrame::placement: return planned_->publishing.mail().take_placement(in);
    case ServerFrame::progress: return planned_->publishing.mail().take_progress(in);
    case ServerFrame::part: return planned_->publishing.mail().take_part(from, in, std::move(bytes));
    case ServerFrame::static_part: return planned_->publishing.mail().take_static_part(in, std::move(bytes));
    case ServerFrame::part_written: return planned_->publishing.mail().take_part_written(in);
    case ServerFrame::steps_done:
      if (!planned_->gate) throw TransportError("a server took this one for server 0");
      planned_->gate->take_done(from, in.get<std::uint64_t>());
      return release_ticks();
    case ServerFrame::hurry: return hurry();
    case ServerFrame::closing: return planned_->publishing.mail().take_closing(in);
    case ServerFrame::packed_part: return planned_->publishing.mail().take_packed(in);
    case ServerFrame::checkpoint_part: return planned_->checkpoints.take_part(from, in);
    case ServerFrame::stop: return stop_everywhere(in.get_text());
    case ServerFrame::stopping: return stop(in.get_text());
    case ServerFrame::event: return planned_->events.take(decode_event(in, planned_->plan));
    case ServerFrame::parts_done: return planned_->publishing.mail().take_parts_done(from, in);
    case ServerFrame::cut: return planned_->publishing.mail().take_cut(in);
    case ServerFrame::cut_synced: return planned_->publishing.mail().take_cut_synced(in);
    default: throw TransportError("a server sent a frame of an unknown kind");
  }
}

void Server::Run::take_finish(ClientRank client, const FinishFrame& frame) {
  if (!planned_) return refuse_everywhere("model rank " + std::to_string(client) + kLeftBeforeCommit);
  finished_[client] = frame;
  if (frame.is_broken_off != 0) {
    errors_.add("model rank " + std::to_string(client) + " broke the run off after step " +
                std::to_string(frame.last_step));
  }
  guarded([&] { planned_->analysis.finish_client(client, frame.last_step); });
  if (client != 0) return;
  take_clock({true, {frame.last_step, 0, 0}, 0}, nullptr);
}

/// On server 0: the first reason counts, others are said.
void Server::Run::stop_everywhere(const std::string& why) {
  if (is_stopping_ && why == stopped_for_) return;
  if (is_stopping_) return errors_.add(why);
  stopped_for_ = why;
  errors_.add("the run is stopped: " + why);
  planned_->gate->open_for_good();
  release_ticks();
  const Bytes frame = text_frame(ServerFrame::stopping, why);
  for (ServerRank server = 0; server < settings_.servers.size(); ++server) outbox_.send(server, frame);
  is_stopping_ = true;
  if (!planned_->tell) return;
  Event event;
  event.kind = Event::Kind::stopping;
  event.text = why;
  planned_->tell(event);
}

/// Model ranks that have finished already hear it with their farewell.
void Server::Run::stop(const std::string& why) {
  drop_what_comes();
  guarded([&] { planned_->publishing.stop(why); });
  for (ClientRank client : clients_) {
    if (!finished_.contains(client)) send(settings_.clients[client], text_frame(FrameKind::stopping, why));
  }
}

/// Parcels give their room back, so that no model rank waits for it.
void Server::Run::drop_what_comes() {
  is_stopped_ = true;
  if (planned_) planned_->analysis.stop();
}

Server::Server(ServerSettings settings, Endpoint& endpoint, MakeExecutors make_executors, FileSystem& files,
               FileFormat& format)
    : run_(std::make_unique<Run>(std::move(settings), endpoint, std::move(make_executors), files, format)) {}
Server::~Server() = default;
bool Server::poll() { return run_->poll(); }
bool Server::is_finished() const { return run_->is_finished(); }
bool Server::is_working() const { return run_->is_working(); }
bool Server::was_refused() const { return run_->was_refused(); }
std::string Server::errors() const { return run_->errors(); }
std::string Server::report() const { return run_->report(); }
const RunReport& Server::figures() const { return run_->figures(); }

}  // namespace pileus
