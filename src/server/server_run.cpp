#include "server/server_run.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "core/error.h"
#include "core/error_text.h"
#include "core/thread_time.h"
#include "server/held_parcel.h"
#include "server/wiring.h"

namespace pileus {
namespace {

/// Messages that are taken in one poll, so that what they cause gets its turn.
constexpr int kMessagesPerPoll = 64;

/// One poll, which counts as work from its beginning if there was anything to do.
class LaneTurn {
 public:
  LaneTurn(const std::unique_ptr<Wiring>& wiring, Trace* trace) : wiring_(wiring), trace_(trace) {}
  ~LaneTurn() {
    if (counted_in_ == nullptr) return;
    const Activity::Clock::time_point now = Activity::Clock::now();
    counted_in_->end(Work::messages, now, thread_time() - thread_began_);
    if (trace_ != nullptr) trace_->span("lane", "messages", began_, now);
  }
  LaneTurn(const LaneTurn&) = delete;
  LaneTurn& operator=(const LaneTurn&) = delete;

  void count() {
    if (counted_in_ != nullptr || !wiring_) return;
    counted_in_ = &wiring_->activity;
    counted_in_->begin(began_);
  }

 private:
  const std::unique_ptr<Wiring>& wiring_;
  Trace* trace_;
  Activity::Clock::time_point began_ = Activity::Clock::now();
  std::chrono::nanoseconds thread_began_ = thread_time();
  Activity* counted_in_ = nullptr;
};

/// Frames in which servers only tell each other of the run end no wait.
bool is_movement(ServerFrame kind) {
  return kind != ServerFrame::event && kind != ServerFrame::wave && kind != ServerFrame::wave_answer;
}

template <class Frame>
Frame whole_frame(const Message& message, const char* what) {
  Frame frame;
  if (message.bytes().size() != sizeof frame)
    throw TransportError(std::string(what) + " frame has a wrong size");
  std::memcpy(&frame, message.bytes().data(), sizeof frame);
  return frame;
}

}  // namespace

Server::Run::Run(ServerSettings settings, Endpoint& endpoint, MakeExecutors make_executors, FileSystem& files,
                 FileFormat& format)
    : state_(std::move(settings), endpoint, files, format),
      handshake_(state_, stopping_, std::move(make_executors)) {}

Server::Run::~Run() = default;

bool Server::Run::is_working() const { return state_.wiring && !state_.wiring->workers.is_idle(); }

bool Server::Run::is_watching() const {
  return state_.wiring && !(state_.wiring->hooks.is_idle() && state_.wiring->joints.is_idle() &&
                            state_.wiring->pauses.is_idle());
}

/// A refused run has none.
std::string Server::Run::report() const { return state_.wiring ? end_.report().text() : ""; }

std::string Server::Run::errors() const {
  if (end_.is_over()) return end_.report().error_text();
  RunReport so_far;
  so_far.errors = state_.errors.all();
  if (state_.wiring) std::ranges::copy(state_.wiring->publishing.errors(), std::back_inserter(so_far.errors));
  return so_far.error_text();
}

bool Server::Run::poll() {
  try {
    const bool did_anything = end_.is_over() ? state_.letters.send_held() : poll_once();
    lane_failures_ = 0;
    return did_anything;
  } catch (...) {
    stopping_.take_failure();
    if (++lane_failures_ > kMostLaneFailures) end_.leave_alone();
    return false;  // the lane rests before it tries again: what lacks may be there then
  }
}

bool Server::Run::poll_once() {
  stopping_.tell_failure();
  LaneTurn turn(state_.wiring, end_.is_over() ? nullptr : state_.trace.get());
  bool did_anything = state_.letters.send_waiting([this](const auto& frame) { take_own_frame(frame); });
  if (did_anything) turn.count();
  for (int i = 0; i < kMessagesPerPoll && !end_.is_over(); ++i) {
    std::shared_ptr<const Message> message = state_.letters.receive();
    if (!message) break;
    did_anything = true;
    turn.count();
    stopping_.guarded([&] { dispatch(std::move(message)); });
  }
  if (!end_.is_over()) did_anything = handshake_.poll() || did_anything;
  const bool has_command_ended = state_.wiring && state_.wiring->hooks.poll();
  if ((state_.wiring && state_.wiring->joints.poll()) || has_command_ended) {
    ++state_.moved;
    did_anything = true;
  }
  if (state_.wiring) state_.wiring->pauses.poll();
  if (state_.wiring && state_.wiring->control && !clock_.has_ended())
    state_.wiring->control->poll(state_.now());
  if (state_.wiring && state_.wiring->spill) did_anything = state_.wiring->spill->poll() || did_anything;
  if (state_.wiring && state_.wiring->inputs) did_anything = state_.wiring->inputs->poll() || did_anything;
  clock_.go_on();
  did_anything = clock_.tell_steps_done() || did_anything;
  waits_.look();
  if (handshake_.has_gone()) times_.look();
  return end_.end_if_quiet() || did_anything;
}

void Server::Run::dispatch(std::shared_ptr<const Message> message) {
  const std::optional<ClientRank> client = state_.letters.client_of(message->from());
  if (!client) {
    Decoder in(message->bytes());
    return take_server_frame(state_.letters.server_of(message->from()), in, message);
  }
  try {
    take_client_frame(*client, std::move(message));
  } catch (const TransportError& error) {
    state_.errors.add(error.what());  // one model rank is wrong: the run goes on without what it says
  }
}

void Server::Run::take_client_frame(ClientRank client, std::shared_ptr<const Message> message) {
  Decoder in(message->bytes());
  const auto kind = in.get<FrameKind>();
  ++state_.moved;
  if (state_.wiring) end_.count_from_model(message->bytes().size());
  switch (kind) {
    case FrameKind::question: return handshake_.take_question(client, in);
    case FrameKind::loan_question: return take_loan_question(client, LoanQuestion::decode(in));
    case FrameKind::loan_end: return lenders_[client].close(LoanEnd::decode(in).memory);
    case FrameKind::description: return handshake_.take_description_of(client, in);
    case FrameKind::points: return handshake_.take_points(client, in);
    case FrameKind::inputs: return handshake_.take_inputs(client, in);
    case FrameKind::records_wanted: return take_records_wanted(client, in);
    case FrameKind::registration: return handshake_.take_registration(client, in);
    case FrameKind::event: return take_event(client, in.get_text());
    case FrameKind::clock:
    case FrameKind::parcel:
    case FrameKind::marker: return take_step_frame(client, kind, std::move(message));
    case FrameKind::finish: return take_finish(client, whole_frame<FinishFrame>(*message, "a finish"));
    default:
      throw TransportError("model rank " + std::to_string(client) + " sent a frame of an unknown kind");
  }
}

void Server::Run::take_step_frame(ClientRank client, FrameKind kind, std::shared_ptr<const Message> message) {
  if (!state_.wiring)
    throw TransportError("model rank " + std::to_string(client) + " sent a step before commit");
  if (kind == FrameKind::parcel) return take_parcel(client, std::move(message));
  if (kind == FrameKind::marker) {
    return state_.wiring->analysis.take_marker(client, whole_frame<MarkerFrame>(*message, "a marker").step);
  }
  const auto frame = whole_frame<ClockFrame>(*message, "a clock");
  if (client != 0)
    throw TransportError("model rank " + std::to_string(client) + " sent a clock, which is rank 0's");
  clock_.take_model_tick({false, frame.step, frame.start_time_s}, std::move(message));
}

void Server::Run::take_event(ClientRank client, std::string word) {
  if (client != 0 || !state_.wiring)
    throw TransportError("model rank " + std::to_string(client) +
                         " sent an event, which is rank 0's in a run");
  clock_.take_event(std::move(word));
}

void Server::Run::take_records_wanted(ClientRank client, Decoder& in) {
  if (!state_.wiring || !state_.wiring->inputs)
    throw TransportError("model rank " + std::to_string(client) + " asks for records before commit");
  state_.wiring->inputs->take_wanted(client, WantedRecords::decode(in));
}

void Server::Run::take_parcel(ClientRank client, std::shared_ptr<const Message> message) {
  Wiring& wiring = *state_.wiring;
  ParcelHeader header;
  std::memcpy(&header, message->bytes().data(), std::min(sizeof header, message->bytes().size()));
  Arrival arrival = held_parcel(wiring.parcels, client, std::move(message), &lenders_[client],
                                wiring.activity.parcel_bytes, wiring.open_steps);
  times_.note_waited(client, header.waited_ms);
  wiring.analysis.take(client, std::move(arrival));
}

void Server::Run::take_loan_question(ClientRank client, const LoanQuestion& question) {
  Lender& lender = lenders_[client];
  LoanAnswer answer{question.memory.token, false, own_copy_probe()};
  // A parcel that is to be laid aside has to have its arrays, and a model must not wait for a disk.
  const bool may_lend = !state_.wiring || !state_.wiring->spill;
  answer.is_readable = may_lend && (question.memory.token != 0 ? lender.open(question.memory)
                                                               : lender.is_readable(question.probe));
  state_.letters.send_to_client(client, answer.encode());
}

void Server::Run::take_finish(ClientRank client, const FinishFrame& frame) {
  const std::string rank = "model rank " + std::to_string(client);
  if (!state_.wiring) return stopping_.refuse_everywhere(rank + kLeftBeforeCommit);
  if (state_.finished.contains(client)) return;  // it was not sure whether it had said so
  stopping_.surely([&] { state_.finished[client] = frame; });
  if (frame.is_broken_off != 0)
    state_.errors.add(rank + " broke the run off after step " + std::to_string(frame.last_step));
  if (state_.wiring->inputs) state_.wiring->inputs->finish_client(client);
  stopping_.guarded([&] { state_.wiring->analysis.finish_client(client, frame.last_step); });
  if (client == 0) clock_.take_model_tick({true, {frame.last_step, 0, 0}, 0}, nullptr);
}

void Server::Run::take_own_frame(const std::shared_ptr<const Bytes>& frame) {
  stopping_.guarded([&] {
    Decoder in(*frame);
    take_server_frame(state_.settings.self, in, frame);
  });
}

void Server::Run::take_server_frame(ServerRank from, Decoder& in, std::shared_ptr<const void> bytes) {
  const Decoder whole = in;
  const auto kind = in.get<ServerFrame>();
  if (is_movement(kind)) ++state_.moved;
  if (take_end_frame(from, kind, in)) return;
  state_.letters.count_received();
  if (take_handshake_frame(from, kind, in)) return;
  if (!state_.wiring) return handshake_.hold(from, whole);
  take_run_frame(from, kind, in, std::move(bytes));
}

/// Errors: TransportError for a frame that server 0 alone sends, from another.
void Server::Run::require_server_0(ServerRank from) {
  if (from != 0)
    throw TransportError("server " + std::to_string(from) + " says what server 0 alone says to the others");
}

/// True if it was one of these, which are not counted.
bool Server::Run::take_end_frame(ServerRank from, ServerFrame kind, Decoder& in) {
  switch (kind) {
    case ServerFrame::wave:
      require_server_0(from);
      end_.take_wave();
      return true;
    case ServerFrame::wave_answer: end_.take_wave_answer(from, in); return true;
    case ServerFrame::over:
      require_server_0(from);
      if (!state_.wiring) throw TransportError("a server says that a run is over which has not begun");
      end_.take_over(in);
      return true;
    default: return false;
  }
}

/// True if it was one of these.
bool Server::Run::take_handshake_frame(ServerRank from, ServerFrame kind, Decoder& in) {
  switch (kind) {
    case ServerFrame::questions: handshake_.take_questions(from, in); return true;
    case ServerFrame::wants:
      require_server_0(from);
      handshake_.take_wants(in);
      return true;
    case ServerFrame::registrations: handshake_.take_registrations(from, in); return true;
    case ServerFrame::run_description: handshake_.take_description(from, in); return true;
    case ServerFrame::begun: handshake_.take_begun(from); return true;
    case ServerFrame::point_directory: handshake_.take_point_directory(from, in); return true;
    case ServerFrame::regrid_directory: handshake_.take_regrid_directory(from, in); return true;
    case ServerFrame::go:
      require_server_0(from);
      go();
      return true;
    case ServerFrame::refusal: refuse(in.get_text()); return true;
    default: return false;
  }
}

void Server::Run::go() {
  handshake_.require_ready();
  end_.begin();
  handshake_.go([this](ServerRank from, const std::shared_ptr<const Bytes>& frame) {
    Decoder in(*frame);
    const auto kind = in.get<ServerFrame>();
    take_run_frame(from, kind, in, frame);
  });
}

void Server::Run::refuse(const std::string& text) {
  if (handshake_.has_gone()) throw TransportError("a server refuses a run that has begun: " + text);
  stopping_.take_refusal(text);
  end_.end_refused(text);
}

void Server::Run::take_run_frame(ServerRank from, ServerFrame kind, Decoder& in,
                                 std::shared_ptr<const void> bytes) {
  Wiring& wiring = *state_.wiring;
  switch (kind) {
    case ServerFrame::clock: return clock_.take_tick(from, ClockTick::decode(in));
    case ServerFrame::steps_done: return clock_.take_steps_done(from, in);
    case ServerFrame::hurry: return clock_.take_hurry(from);
    case ServerFrame::reduction: return wiring.analysis.take_reduction(from, in, std::move(bytes));
    case ServerFrame::distribution: return wiring.analysis.take_distribution(from, in);
    case ServerFrame::points: return wiring.analysis.take_points(from, in, std::move(bytes));
    case ServerFrame::regrid: return wiring.analysis.take_regridded(from, in, std::move(bytes));
    case ServerFrame::trigger: return clock_.take_trigger(TriggerFrame::decode(in));
    case ServerFrame::control:
      if (!wiring.steering || from != state_.settings.self)
        throw TransportError("a server asks another for what is asked of the run");
      return wiring.steering->ask(decode_request(in));
    case ServerFrame::checkpoint_part: return wiring.checkpoints.take_part(from, in);
    case ServerFrame::stop: return stop_everywhere(in.get_text());
    case ServerFrame::stopping: require_server_0(from); return stopping_.take_stopping(in.get_text());
    case ServerFrame::event: {
      const Event event = decode_event(in, wiring.plan);
      wiring.events.take(event);
      if (event.kind == Event::Kind::checkpointed)
        wiring.event_commands.checkpoint_complete(event.period, event.last_record_s, event.path);
      return wiring.event_commands.epoch(wiring.events.epoch_s());
    }
    default:
      if (!take_file_frame(from, kind, in, std::move(bytes)))
        throw TransportError("a server sent a frame of an unknown kind");
  }
}

/// True if it was a frame about files.
bool Server::Run::take_file_frame(ServerRank from, ServerFrame kind, Decoder& in,
                                  std::shared_ptr<const void> bytes) {
  Publishing& publishing = state_.wiring->publishing;
  switch (kind) {
    case ServerFrame::client_end: publishing.mail().take_client_end(in); return true;
    case ServerFrame::placement: publishing.mail().take_placement(in); return true;
    case ServerFrame::progress: publishing.mail().take_progress(in); return true;
    case ServerFrame::part: publishing.mail().take_part(from, in, std::move(bytes)); return true;
    case ServerFrame::static_part:
      publishing.mail().take_static_part(from, in, std::move(bytes));
      return true;
    case ServerFrame::static_offer: publishing.mail().take_static_offer(from, in); return true;
    case ServerFrame::static_turn: publishing.mail().take_static_turn(in); return true;
    case ServerFrame::part_written: publishing.mail().take_part_written(in); return true;
    case ServerFrame::closing: publishing.mail().take_closing(in); return true;
    case ServerFrame::packed_part: publishing.mail().take_packed(in); return true;
    case ServerFrame::parts_done: publishing.mail().take_parts_done(from, in); return true;
    case ServerFrame::cut: publishing.mail().take_cut(in); return true;
    case ServerFrame::cut_synced: publishing.mail().take_cut_synced(in); return true;
    default: return false;
  }
}

/// Server 0 lets go of the steps that its clock holds back first, as they came before the reason.
void Server::Run::stop_everywhere(const std::string& why) {
  if (!stopping_.is_first_reason(why)) return;
  clock_.open_for_good();
  stopping_.stop_everywhere(why);
}

}  // namespace pileus
