#include "server/handshake.h"

#include <algorithm>

#include "checkpoint/kept_statics.h"
#include "core/error.h"
#include "core/error_text.h"
#include "core/log.h"
#include "inputs/declared/served_inputs.h"
#include "plan/step_limits.h"
#include "server/needed_state.h"
#include "server/wiring.h"
#include "state/checkpoint_folders.h"
#include "weights/target_places.h"

namespace pileus {
namespace {

/// A server waits so long for what it has sent to leave it before it plans: others plan meanwhile.
constexpr std::chrono::seconds kLongestSending{1};

constexpr const char* kAskedAndCommitted =
    "some model ranks call pileus_wants while others call pileus_commit; all of them ask, or none";

Layout layout_of(const ServerSettings& settings) {
  return {static_cast<ClientRank>(settings.clients.size()), static_cast<ServerRank>(settings.servers.size()),
          settings.served_by};
}

std::size_t clients_at_or_below(const ServerSettings& settings) {
  const Layout layout = layout_of(settings);
  std::size_t found = 0;
  for (ClientRank client = 0; client < layout.clients; ++client)
    found += is_at_or_below(layout.server_of(client), settings.self);
  return found;
}

ReadGrid grids_of(FileFormat& format) {
  return [&format](const std::string& path) { return format.read_grid(path); };
}

OpenInput inputs_of(FileFormat& format) {
  return [&format](const std::string& path) { return format.open_input(path); };
}

ReadInputLinks links_of_inputs(FileFormat& format) {
  return [&format](const std::string& path, Index source, Index target, Index first, Index count) {
    return format.read_links(path, {source, target}, first, count);
  };
}

/// What is left of a model rank's budget for parcels beside the records of inputs, and at least half of it.
std::uint64_t parcels_beside(const InputService& inputs, std::uint64_t budget, std::size_t clients) {
  const std::uint64_t share = inputs.most_bytes() / std::max<std::size_t>(1, clients);
  return budget - std::min(budget / 2, share);
}

class WeightsOfFormat : public ReadWeights {
 public:
  explicit WeightsOfFormat(FileFormat& format) : format_(format) {}
  LinkRows links(const Regridding& how, Index first, Index count) const override {
    const auto places = [&how](Index from, Index points) { return places_of_target(how, from, points); };
    return format_.read_links(how.file, {how.source_size, how.target_size, places}, first, count);
  }
  PlacesOfBox places(const std::string& file, Index first, Index count) const override {
    return format_.read_places(file, first, count);
  }

 private:
  FileFormat& format_;
};

}  // namespace

Handshake::Handshake(ServerState& state, Stopping& stopping, MakeExecutors make_executors)
    : state_(state),
      stopping_(stopping),
      make_executors_(std::move(make_executors)),
      seat_(seat_below_first(static_cast<ServerRank>(state.settings.servers.size()), state.settings.self)),
      expected_(clients_at_or_below(state.settings)),
      gathered_(expected_),
      gathered_questions_(expected_) {}

/// The model ranks for which `from` may speak. Errors: TransportError where it is not below this server.
std::function<bool(ClientRank)> Handshake::below(ServerRank from) const {
  if (std::ranges::find(seat_.children, from) == seat_.children.end())
    throw TransportError("server " + std::to_string(from) +
                         " sends registrations up a tree in which it is not below this one");
  return [layout = layout_of(state_.settings), from](ClientRank client) {
    return client < layout.clients && is_at_or_below(layout.server_of(client), from);
  };
}

void Handshake::take_question(ClientRank client, Decoder& in) {
  if (state_.wiring)
    throw TransportError("model rank " + std::to_string(client) + " asks what is wanted after commit");
  if (has_any_registered()) return stopping_.refuse_everywhere(kAskedAndCommitted);
  try {
    if (gathered_questions_.add(client, in)) ask_for_description(client);
  } catch (const TransportError& error) {
    return stopping_.refuse_everywhere(error.what());
  }
  pass_on_questions();
}

void Handshake::take_questions(ServerRank from, Decoder& in) {
  const auto may_speak_for = below(from);
  if (has_any_registered()) return stopping_.refuse_everywhere(kAskedAndCommitted);
  gathered_questions_.add_all(in, may_speak_for);
  pass_on_questions();
}

void Handshake::pass_on_questions() {
  if (!gathered_questions_.is_complete()) return;
  const Registrations questions = std::exchange(gathered_questions_, Registrations(expected_));
  if (!state_.is_first()) return state_.letters.send(*seat_.parent, questions.encode(ServerFrame::questions));
  state_.letters.send_to_all(answer_questions(state_.settings, questions));
}

void Handshake::take_wants(Decoder& in) {
  Bytes frame;
  Encoder out(frame);
  out.put(FrameKind::wants);
  out.put_raw(in.rest());
  state_.send_to_clients(frame);
}

void Handshake::take_registration(ClientRank client, Decoder& in) {
  if (!gathered_questions_.is_empty()) return stopping_.refuse_everywhere(kAskedAndCommitted);
  if (has_passed_on_)
    throw TransportError("model rank " + std::to_string(client) + " registers for the second time");
  try {
    if (gathered_.add(client, in)) ask_for_description(client);
  } catch (const TransportError& error) {
    return stopping_.refuse_everywhere(error.what());
  }
  pass_on_registrations();
}

void Handshake::ask_for_description(ClientRank client) {
  Bytes frame;
  Encoder(frame).put(FrameKind::description_wanted);
  state_.letters.send_to_client(client, frame);
}

void Handshake::take_description_of(ClientRank client, Decoder& in) {
  const bool is_question = gathered_questions_.expects_description(client);
  if (!is_question && !gathered_.expects_description(client))
    throw TransportError("model rank " + std::to_string(client) + " describes what nobody asked for");
  try {
    (is_question ? gathered_questions_ : gathered_).add_description(client, in);
  } catch (const TransportError& error) {
    return stopping_.refuse_everywhere(error.what());
  }
  is_question ? pass_on_questions() : pass_on_registrations();
}

void Handshake::take_registrations(ServerRank from, Decoder& in) {
  const auto may_speak_for = below(from);
  if (!gathered_questions_.is_empty()) return stopping_.refuse_everywhere(kAskedAndCommitted);
  if (has_passed_on_) throw TransportError("a server tells of registrations that were all there");
  gathered_.add_all(in, may_speak_for);
  pass_on_registrations();
}

void Handshake::pass_on_registrations() {
  if (!gathered_.is_complete()) return;
  has_passed_on_ = true;
  if (state_.is_first()) return describe();
  state_.letters.send(*seat_.parent, gathered_.encode(ServerFrame::registrations));
  gathered_ = Registrations(expected_);
}

void Handshake::describe() {
  Bytes frame;
  try {
    describe_model_if_asked(state_.settings, gathered_);
    frame = describe_run(state_.settings, gathered_, state_.files, state_.lock, grids_of(state_.format),
                         inputs_of(state_.format))
                .encode();
  } catch (...) {
    return stopping_.refuse_everywhere(text_of_current_exception());
  }
  state_.letters.send(state_.settings.self, std::move(frame));
}

void Handshake::take_description(ServerRank from, Decoder& in) {
  if (from != seat_.parent.value_or(state_.settings.self))
    throw TransportError("server " + std::to_string(from) +
                         " describes a run down a tree in which it is not above this one");
  if (state_.wiring || description_) throw TransportError("server 0 describes a run for the second time");
  const auto bytes = in.rest();
  Bytes frame;
  Encoder out(frame);
  out.put(ServerFrame::run_description);
  out.put_raw(bytes);
  description_.emplace(bytes.begin(), bytes.end());
  described_at_ = state_.now();
  for (const ServerRank child : seat_.children) state_.letters.send(child, frame);
}

bool Handshake::poll() {
  if (!description_) return false;
  const bool has_left = state_.letters.is_empty() && state_.letters.has_all_left();
  if (!has_left && state_.now() - described_at_ < kLongestSending) return false;
  const Bytes description = std::move(*description_);
  description_.reset();
  try {
    begin(description);
  } catch (...) {
    stopping_.refuse_everywhere(text_of_current_exception());
  }
  return true;
}

void Handshake::begin(const Bytes& bytes) {
  Decoder in(bytes);
  const RunDescription description = RunDescription::decode(in);
  Findings findings;
  PlannedRun run = plan_run(description, static_cast<ServerRank>(state_.settings.servers.size()), findings,
                            {}, grids_of(state_.format), inputs_of(state_.format));
  if (state_.settings.catches_signals && !run.config.checkpoint.signals.empty())
    signals_.emplace(run.config.checkpoint.signals);
  const ServerExecutors executors = make_executors_(run.config.threads);
  worker_threads_ = executors.worker_threads;
  const std::vector<PlannedInput> inputs = std::move(run.inputs);
  make_wiring(std::move(run), description, executors);
  make_inputs(inputs);
  points_.begin(state_.wiring->plan, description.model, state_.settings.self, state_.letters);
  regrids_.begin(state_.wiring->plan, state_.settings.self, WeightsOfFormat(state_.format), state_.letters);
  begin_if_complete();
}

void Handshake::take_inputs(ClientRank client, Decoder& in) {
  if (state_.wiring || has_passed_on_ || inputs_.contains(client))
    throw TransportError("model rank " + std::to_string(client) + " asks for inputs after its registration");
  try {
    inputs_[client] = decode_inputs(in);
  } catch (const TransportError& error) {
    stopping_.refuse_everywhere(error.what());
  }
}

/// Errors: ConfigError where what a rank registered does not go with the files.
void Handshake::make_inputs(const std::vector<PlannedInput>& planned) {
  InputService::Inputs served;
  const ReadInputLinks read_links = links_of_inputs(state_.format);
  for (const auto& [client, registered] : inputs_)
    served[client] = served_inputs(planned, registered, read_links);
  if (state_.is_first()) {
    for (const std::string& text : unused_inputs(planned, inputs_[0])) log::warning(text);
  }
  InputService::Outside outside;
  outside.frame_kind = static_cast<std::uint32_t>(FrameKind::input_record);
  outside.send = [this](ClientRank client, const Bytes& frame) {
    ++state_.moved;
    state_.letters.send_to_client(client, frame);
  };
  outside.fail = [this](const std::string& why) {
    state_.letters.send(0, text_frame(ServerFrame::stop, why));
  };
  state_.wiring->inputs = std::make_unique<InputService>(std::move(served), inputs_of(state_.format),
                                                         state_.wiring->library, std::move(outside));
}

void Handshake::send_brought(ClientRank client) {
  if (!inputs_.contains(client) || inputs_[client].empty()) return;
  Bytes frame;
  Encoder out(frame);
  out.put(FrameKind::inputs_brought);
  encode_brought(state_.wiring->inputs->brought(client), out);
  state_.letters.send_to_client(client, frame);
}

void Handshake::take_points(ClientRank client, Decoder& in) { points_.keep(client, in); }

void Handshake::take_point_directory(ServerRank from, Decoder& in) {
  points_.take(from, in);
  begin_if_complete();
}

void Handshake::take_regrid_directory(ServerRank from, Decoder& in) {
  regrids_.take(from, in);
  begin_if_complete();
}

/// Once this server knows whose its points are, and who needs which of its ranks', too.
void Handshake::begin_if_complete() {
  if (!regrids_.is_complete() || !points_.has_completed()) return;
  if (const std::string wrong = points_.finish(); !wrong.empty()) return stopping_.refuse_everywhere(wrong);
  state_.wiring->analysis.begin_dealing(points_.directory());
  state_.wiring->analysis.begin_regridding(regrids_.directory());
  state_.letters.send(0, bare_frame(ServerFrame::begun));
}

void Handshake::make_wiring(PlannedRun run, const RunDescription& description,
                            const ServerExecutors& executors) {
  const auto& after = description.model.kind(0).continue_after;
  const CheckpointHome home{description.directory, description.identity.component};
  try {
    std::unique_ptr<Continuation> continuation;
    if (after) {
      ScratchSpace scratch(state_.files, description.directory);
      // On NFS a file that another host removes cannot be read any more by those who have it open.
      const bool stays_open = state_.files.bears_positioned_writes(description.directory);
      continuation = std::make_unique<Continuation>(
          read_continuation(state_.files, home, *after, state_needed_on(run.plan, state_.settings.self),
                            stays_open ? nullptr : &scratch));
      continuation->identity = description.identity;
      go_on(run.plan, *continuation);
      mark_kept_statics(run.plan, description.kept_statics);
    }
    state_.wiring =
        std::make_unique<Wiring>(std::move(run), description, std::move(continuation), executors, state_);
  } catch (const TransportError& error) {
    if (!after) throw;
    throw UsageError("the run cannot continue from " + checkpoint_folder(home, *after).string() + ": " +
                     error.what());
  }
}

/// Errors: TransportError on another server than server 0.
void Handshake::require_first() const {
  if (!state_.is_first()) throw TransportError("a server took this one for server 0");
}

void Handshake::take_begun(ServerRank from) {
  require_first();
  if (!begun_.insert(from).second)
    throw TransportError("server " + std::to_string(from) + " says for the second time that it is ready");
  if (begun_.size() == state_.settings.servers.size())
    state_.letters.send_to_all(bare_frame(ServerFrame::go));
}

void Handshake::require_ready() const {
  if (!state_.wiring) throw TransportError("server 0 says that all are ready, which this one is not");
  if (has_gone_) throw TransportError("server 0 says for the second time that all are ready");
}

void Handshake::hold(ServerRank from, const Decoder& frame) {
  Decoder copy = frame;
  early_.emplace_back(from, Bytes(copy.rest().begin(), copy.rest().end()));
}

void Handshake::go(const std::function<void(ServerRank, std::shared_ptr<const Bytes>)>& take_held) {
  has_gone_ = true;
  Wiring& wiring = *state_.wiring;
  wiring.checkpoints.begin_run();
  if (state_.is_first()) {
    for (const std::string& text : wiring.analysis.continuation_warnings()) log::warning(text);
  }
  wiring.events.start();
  send_demands();
  for (auto& [from, frame] : std::exchange(early_, {}))
    take_held(from, std::make_shared<const Bytes>(std::move(frame)));
}

void Handshake::send_demands() {
  const Wiring& wiring = *state_.wiring;
  const std::vector<StepLimit> limits = step_limits(wiring.plan);
  const std::uint64_t budget =
      parcels_beside(*wiring.inputs, wiring.memory.for_parcels[state_.settings.self], state_.clients.size());
  for (ClientRank client : state_.clients) {
    send_brought(client);
    Bytes frame;
    Encoder out(frame);
    out.put(FrameKind::demand);
    wiring.plan.demand(client, budget).encode(out);
    encode(limits, out);
    state_.letters.send_to_client(client, frame);
  }
}

std::vector<ClientRank> Handshake::absent_clients() const {
  std::vector<ClientRank> absent;
  for (const ClientRank client : state_.clients) {
    const bool has_registered = gathered_.has(client) && !gathered_.expects_description(client);
    if (!has_passed_on_ && !has_registered) absent.push_back(client);
  }
  return absent;
}

}  // namespace pileus
