#include "server/handshake.h"

#include "core/error.h"
#include "core/error_text.h"
#include "core/log.h"
#include "plan/step_limits.h"
#include "server/run_memory.h"
#include "server/wiring.h"
#include "state/checkpoint_folders.h"

namespace pileus {
namespace {

constexpr const char* kAskedAndCommitted =
    "some model ranks call pileus_wants while others call pileus_commit; all of them ask, or none";

}  // namespace

Handshake::Handshake(ServerState& state, Stopping& stopping, MakeExecutors make_executors)
    : state_(state),
      stopping_(stopping),
      make_executors_(std::move(make_executors)),
      own_(state.clients.size()),
      all_(state.settings.clients.size()),
      own_questions_(state.clients.size()),
      all_questions_(state.settings.clients.size()) {}

void Handshake::take_question(ClientRank client, Decoder& in) {
  if (state_.wiring)
    throw TransportError("model rank " + std::to_string(client) + " asks what is wanted after commit");
  if (!own_.is_empty()) return stopping_.refuse_everywhere(kAskedAndCommitted);
  try {
    own_questions_.add(client, in);
  } catch (const TransportError& error) {
    return stopping_.refuse_everywhere(error.what());
  }
  if (!own_questions_.is_complete()) return;
  state_.letters.send(0, own_questions_.encode(ServerFrame::questions));
  own_questions_ = Registrations(state_.clients.size());
}

void Handshake::take_questions(Decoder& in) {
  require_first();
  if (!all_.is_empty()) return stopping_.refuse_everywhere(kAskedAndCommitted);
  all_questions_.add_all(in);
  if (!all_questions_.is_complete()) return;
  const Bytes answer = answer_questions(state_.settings, all_questions_);
  all_questions_ = Registrations(state_.settings.clients.size());
  state_.letters.send_to_all(answer);
}

void Handshake::take_wants(Decoder& in) {
  Bytes frame;
  Encoder out(frame);
  out.put(FrameKind::wants);
  out.put_raw(in.rest());
  state_.send_to_clients(frame);
}

void Handshake::take_registration(ClientRank client, Decoder& in) {
  if (!own_questions_.is_empty()) return stopping_.refuse_everywhere(kAskedAndCommitted);
  try {
    own_.add(client, in);
  } catch (const TransportError& error) {
    return stopping_.refuse_everywhere(error.what());
  }
  if (own_.is_complete()) state_.letters.send(0, own_.encode(ServerFrame::registrations));
}

void Handshake::take_registrations(Decoder& in) {
  require_first();
  if (!all_questions_.is_empty()) return stopping_.refuse_everywhere(kAskedAndCommitted);
  if (all_.is_complete()) throw TransportError("a server tells of registrations that were all there");
  all_.add_all(in);
  describe_if_complete();
}

void Handshake::describe_if_complete() {
  if (!all_.is_complete()) return;
  Bytes frame;
  try {
    describe_model_if_asked(state_.settings, all_);
    frame = describe_run(state_.settings, all_, state_.files, state_.lock).encode();
  } catch (...) {
    return stopping_.refuse_everywhere(text_of_current_exception());
  }
  state_.letters.send_to_all(frame);
}

void Handshake::take_description(Decoder& in) {
  if (state_.wiring) throw TransportError("server 0 describes a run for the second time");
  try {
    begin(in);
  } catch (...) {
    stopping_.refuse_everywhere(text_of_current_exception());
  }
}

void Handshake::begin(Decoder& in) {
  const RunDescription description = RunDescription::decode(in);
  Findings findings;
  PlannedRun run = plan_run(description, static_cast<ServerRank>(state_.settings.servers.size()), findings);
  if (state_.settings.catches_signals && !run.config.checkpoint.signals.empty())
    signals_.emplace(run.config.checkpoint.signals);
  const ServerExecutors executors = make_executors_(run.config.threads);
  worker_threads_ = executors.worker_threads;
  make_wiring(std::move(run), description, executors);
  state_.letters.send(0, bare_frame(ServerFrame::begun));
}

void Handshake::make_wiring(PlannedRun run, const RunDescription& description,
                            const ServerExecutors& executors) {
  const auto& after = description.model.ranks.front().continue_after;
  try {
    std::unique_ptr<Continuation> continuation;
    if (after) {
      continuation =
          std::make_unique<Continuation>(read_continuation(state_.files, description.directory, *after));
      continuation->identity = description.identity;
      go_on(run.plan, *continuation);
    }
    state_.wiring =
        std::make_unique<Wiring>(std::move(run), description, std::move(continuation), executors, state_);
  } catch (const TransportError& error) {
    if (!after) throw;
    throw UsageError("the run cannot continue from " +
                     checkpoint_folder(description.directory, *after).string() + ": " + error.what());
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
  const std::uint64_t budget = run_memory(wiring.config, wiring.plan).for_parcels[state_.settings.self];
  for (ClientRank client : state_.clients) {
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
    if (!own_.ranks().contains(client)) absent.push_back(client);
  }
  return absent;
}

}  // namespace pileus
