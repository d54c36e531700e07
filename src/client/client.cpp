#include "client/client.h"

#include <algorithm>

#include "client/frames.h"
#include "client/stopwatch.h"
#include "core/encoder.h"
#include "core/error.h"
#include "core/model_ranks.h"
#include "plan/sha256.h"

namespace pileus {
namespace {

using Clock = Stopwatch::Clock;

constexpr int kLastRests = 10'000;  // of 0.1 ms: a second

/// Of a wait; what 49 days do not hold is as long.
std::uint32_t milliseconds_of(std::chrono::nanoseconds waited) {
  const auto count = std::chrono::duration_cast<std::chrono::milliseconds>(waited).count();
  return static_cast<std::uint32_t>(std::min<std::int64_t>(count, UINT32_MAX));
}

}  // namespace

Client::Client(Endpoint& endpoint, Peer server, ClientRank rank)
    : link_(endpoint, server, rank), rank_(rank) {}

Client::~Client() {
  if (is_over()) return;
  try {
    loans_.take_back();
    link_.wait_briefly(kLastRests, [this] { return loans_.are_settled(); });
    send_finish(true);
  } catch (const std::exception&) {
    return;  // the server cannot be reached; it learns of the end from its transport
  }
  link_.wait_until_sent(kLastRests);
}

void Client::send_description(FrameKind kind, const RankDescription& description) {
  Bytes frame;
  frame.reserve(4096);
  Encoder out(frame);
  out.put(kind);
  out.put(kWireVersion);
  out.put(kOnlyComponent.index);
  RankCode code = encode_rank(description);
  out.put(planning::sha256({reinterpret_cast<const char*>(code.kind.data()), code.kind.size()}));
  out.put_raw(code.place);
  link_.send_bytes(frame);
  link_.offer_description(std::move(code.kind));
}

/// Which points this rank holds of each set on which a field lies, a frame for each.
void Client::send_points() {
  const std::vector<IndexRanges> all = registration_.take_point_indices();
  const std::vector<ModelField>& fields = registration_.description().fields;
  for (std::uint32_t set = 0; set < all.size(); ++set) {
    if (std::ranges::none_of(fields, [set](const ModelField& field) { return field.points == set; }))
      continue;
    Bytes frame;
    Encoder out(frame);
    out.put(FrameKind::points);
    out.put(set);
    encode_ranges(all[set], out);
    link_.send_bytes(frame);
  }
}

void Client::commit() {
  require_order(Call::commit, state_);
  state_ = RunState::failed;  // holds until the answer arrives: after an error nobody may go on
  send_points();
  send_inputs();
  send_description(FrameKind::registration, registration_.description());
  auto answer = link_.wait_for_answer();
  link_.offer_description({});
  if (const auto* refusal = std::get_if<Refusal>(&answer)) throw RefusedError(refusal->text);
  take_demand(std::get<Demand>(std::move(answer)));
  take_brought(link_.take_brought());
  state_ = RunState::ready;
}

void Client::take_demand(Demand demand) {
  demand_ = std::move(demand);
  routes_ = match(demand_, registration_, link_.is_near());
  link_.set_budget(demand_.budget_bytes);
  for (const GroupRoute& group : routes_.groups)
    groups_.push_back(
        {ParcelWriter(group.sizes_bytes, shortest_loan_), std::vector<std::uint8_t>(group.fields.size())});
  if (demand_.continued) {
    step_ = demand_.continued->after;
    start_time_s_ = step_.time;
    tracker_.emplace(demand_.needs, demand_.continued->passed);
    limits_ = StepLimits(link_.step_limits(), start_time_s_);
  }
  if (!demand_.checkpoints.signals.empty()) signals_.emplace(demand_.checkpoints.signals);
  if (rank_ == 0) due_.emplace(demand_.checkpoints, registration_.description().continue_after, Clock::now());
  wanted_.assign(routes_.fields.size(), 0);
  puts_.set_fields(routes_.fields.size());
  lending_.go_on();
  committed_ = Clock::now();
}

bool Client::is_used(int field) const {
  require_order(Call::is_used, state_);
  require_field(Call::is_used, field);
  return std::ranges::any_of(routes_.groups, [&](const GroupRoute& group) {
    return std::ranges::find(group.fields, field) != group.fields.end();
  });
}

const ModelField& Client::require_field(Call call, int field) const {
  const int count = registration_.field_count();
  if (field >= 0 && field < count) return registration_[field];
  throw UsageError(std::string(c_name(call)) + ": there is no field " + std::to_string(field) +
                   "; pileus_field gave " +
                   (count == 0 ? "no number" : "the numbers 0 to " + std::to_string(count - 1)));
}

std::vector<std::string> Client::end() {
  require_order(Call::end, state_);
  close_puts();
  const Stopwatch watch(in_others_);
  std::vector<std::string> missing = missing_fields();
  if (rank_ == 0) send_clock();
  for (std::size_t group = 0; group < groups_.size(); ++group) send_parcel(group);
  if (step_.is_checkpoint) link_.send_with_steps(MarkerFrame{FrameKind::marker, 0, step_.index});
  last_handed_over_ = step_.index;
  if (!step_.is_closing) ++steps_;
  std::fill(wanted_.begin(), wanted_.end(), std::uint8_t{0});
  state_ = step_.is_final ? RunState::handed_over : RunState::between_steps;
  if (has_sent()) link_.progress();  // begin() makes it in every step
  return missing;
}

/// Errors: UsageError while another thread puts a field, or if a static field lacks; those of extracts of
/// what came in parts. The step then goes on.
void Client::close_puts() {
  if (const std::uint32_t under_way = puts_.close(); under_way > 0)
    throw UsageError("pileus_end was called while " + std::to_string(under_way) +
                     (under_way == 1 ? " put of another thread is" : " puts of other threads are") +
                     " under way; let all threads meet before one of them ends the step");
  try {
    require_static_fields();
    extract_gathered();
  } catch (...) {
    puts_.reopen();
    throw;
  }
}

/// Whether the step had anything for the server.
bool Client::has_sent() const {
  return rank_ == 0 || step_.is_checkpoint != 0 || std::ranges::any_of(groups_, &Group::is_sent);
}

std::vector<std::string> Client::missing_fields() const {
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    // Of an optional field all must come, or nothing.
    const int field = static_cast<int>(i);
    const bool has_begun = parts_.has_any(field);
    const bool must_come = std::ranges::any_of(routes_.fields[i], [&](const FieldRoute& route) {
      const FieldDemand& demand = demand_.groups[route.group].fields[route.place];
      const bool may_lack = route.is_optional && !has_begun;
      return groups_[route.group].is_chosen[route.place] && !may_lack && !demand.is_static;
    });
    if (must_come && puts_.came(field) != Puts::Came::whole)
      missing.push_back(parts_.text(field, registration_[field]));
  }
  return missing;
}

/// Checks static fields whether this rank sends them or not, so that all ranks learn of one that was not put.
void Client::require_static_fields() const {
  if (step_.is_first == 0) return;
  std::string names;
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    if (wanted_[i] == 0 || puts_.came(static_cast<int>(i)) == Puts::Came::whole) continue;
    const bool must_come = std::ranges::any_of(routes_.fields[i], [&](const FieldRoute& route) {
      const FieldDemand& demand = demand_.groups[route.group].fields[route.place];
      const bool may_lack = demand.is_optional && !parts_.has_any(static_cast<int>(i));
      return demand.is_static && !demand.is_kept && !may_lack;
    });
    if (must_come)
      names += (names.empty() ? "\"" : ", \"") +
               parts_.text(static_cast<int>(i), registration_[static_cast<int>(i)]) + "\"";
  }
  if (names.empty()) return;
  throw UsageError("pileus_end: the first step lacks the static field " + names +
                   ", which no later step takes; put it, and end the step then");
}

void Client::send_clock() {
  ClockFrame frame;
  frame.step = step_;
  frame.start_time_s = start_time_s_;
  link_.send_with_steps(frame);
}

void Client::claim_slot(std::size_t group) {
  ParcelWriter& parcel = groups_[group].parcel;
  parcel.set_slot(link_.claim(static_cast<Channel>(group + 1), parcel.size_bytes()));
}

void Client::send_parcel(std::size_t index) {
  Group& group = groups_[index];
  if (group.is_sent) {
    if (!group.parcel.has_slot()) claim_slot(index);
    ParcelHeader header;
    header.group = static_cast<std::uint32_t>(index);
    header.step = step_;
    header.start_time_s = start_time_s_;
    header.waited_ms = milliseconds_of(link_.waited_for_room());
    bytes_ += group.parcel.size_bytes();
    const std::size_t lent = group.parcel.lent();
    std::unique_ptr<Slot> slot = group.parcel.seal(header);
    if (lent == 0) return link_.commit(std::move(slot));
    loans_.expect(lent);
    const std::vector<LentField> loans = group.parcel.loans(slot->bytes().data());
    std::shared_ptr<void> kept = slot->keep();
    link_.commit(std::move(slot));
    loans_.add(loans, std::move(kept));
  }
}

void Client::send_finish(bool is_broken_off) {
  const ClientTimes spent = times();
  FinishFrame frame;
  frame.is_broken_off = is_broken_off;
  frame.last_step = last_handed_over_;
  frame.wall_s = spent.wall_s;
  frame.inside_s = spent.inside_s;
  frame.waiting_s = spent.waiting_s;
  frame.put_s = spent.put_s;
  frame.bytes = bytes_;
  frame.steps = steps_;
  frame.lent_bytes = loans_.lent_bytes();
  frame.taken_back_bytes = loans_.taken_back_bytes();
  frame.loan_waiting_s = seconds_of(loans_.waited());
  frame.input_waiting_s = spent.input_waiting_s;
  link_.send(frame);
}

void Client::progress() {
  require_order(Call::progress, state_);
  const Stopwatch watch(in_others_);
  link_.progress();
}

void Client::flush() {
  require_order(Call::flush, state_);
  const Stopwatch watch(in_others_);
  link_.wait_until_left();
}

void Client::finish() {
  // A model that is told to stop may be in the middle of a step.
  if (state_ == RunState::in_step) link_.progress();
  const bool is_given_up = state_ == RunState::in_step && link_.is_stopping();
  if (!is_given_up) require_order(Call::finish, state_);
  if (is_given_up && puts_.close() > 0)
    throw UsageError("pileus_finish was called while other threads put fields; let all threads meet before");
  const Stopwatch watch(in_others_);
  try {
    send_finish(false);
  } catch (...) {
    loans_.take_back();                // the model may give its arrays up now
    state_ = RunState::finish_failed;  // the end of this object tries once more to say that it is over
    throw;
  }
  state_ = RunState::finished;  // also after an error
  const Farewell& farewell = wait_for_farewell();
  link_.wait_until_sent(kLastRests);
  signals_.reset();
  if (farewell.status != 0) throw OutputError(farewell.text);
}

/// The model gets its arrays back at the end, when nobody reads them any more.
const Farewell& Client::wait_for_farewell() {
  try {
    const Farewell& farewell = link_.wait_for_farewell();
    loans_.forget();
    return farewell;
  } catch (...) {
    loans_.take_back();
    throw;
  }
}

ClientTimes Client::times() const {
  if (committed_ == Clock::time_point{}) return {};
  return {seconds_of(Clock::now() - committed_), seconds_of(puts_.time() + in_others_),
          seconds_of(link_.waited_for_room()), seconds_of(link_.waited_for_inputs()),
          seconds_of(puts_.time() - waited_in_put_)};
}

}  // namespace pileus
