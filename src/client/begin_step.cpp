// How a step begins on one model rank: its index, whether it may come, and which fields it wants.

#include <algorithm>
#include <string>

#include "client/client.h"
#include "client/step_checks.h"
#include "client/stopwatch.h"
#include "core/error.h"
#include "core/log.h"

namespace pileus {
namespace {

using Clock = Stopwatch::Clock;

}  // namespace

Due Client::checkpoint_due(const Step& step) {
  if (rank_ != 0)
    throw UsageError("pileus_checkpoint_due is for model rank 0 alone, and this is model rank " +
                     std::to_string(rank_) + ": rank 0 asks and tells the others");
  require_order(Call::checkpoint_due, state_);
  const Step asked = counted_on(step);
  require_step(Call::checkpoint_due, asked, step_before(), registration_.description().continue_after);
  require_bearable(Call::checkpoint_due, asked);
  link_.progress();
  if (link_.take_checkpoint_wish()) due_->want();
  if (!has_begun_) due_->count_from(asked.index - step.index);
  return due_->ask(asked, Clock::now(), signals_ ? signals_->count() : 0);
}

void Client::event(std::string_view word) {
  constexpr std::size_t kLongest = 200;
  constexpr int kMostOfStep = 100;
  require_order(Call::event, state_);
  if (word.empty() || word.size() > kLongest || word.find('\n') != word.npos)
    throw UsageError("pileus_event: a word has between 1 and " + std::to_string(kLongest) +
                     " bytes on one line, and this one has " + std::to_string(word.size()));
  if (rank_ != 0) return;
  if (events_ == kMostOfStep)
    throw UsageError("pileus_event: more than " + std::to_string(kMostOfStep) + " between two steps");
  Bytes frame;
  Encoder out(frame);
  out.put(FrameKind::event);
  out.put(word);
  std::unique_ptr<Slot> slot = link_.claim(kStepChannel, frame.size());
  std::ranges::copy(frame, slot->bytes().begin());
  link_.commit(std::move(slot));
  ++events_;
}

/// The first step gets the least index after the checkpoint that is as far from a multiple of each frequency
/// in steps as the model's is, so that what is due follows from the model's indices.
Step Client::counted_on(const Step& step) const {
  if (!counts_anew_ || !demand_.continued || step.index < 0 || step.index > kLastStep) return step;
  Step counted = step;
  if (has_begun_) {
    counted.index += counted_before_;
    return counted;
  }
  if (demand_.common_steps == 0)
    throw UsageError(
        "pileus_count_anew: the frequencies in steps have no common multiple below 2^40, which "
        "the first step of this run would need; choose frequencies with more in common");
  const std::int64_t lack = std::max<std::int64_t>(0, demand_.continued->after.index + 1 - step.index);
  const std::int64_t multiples = lack / demand_.common_steps + (lack % demand_.common_steps != 0);
  counted.index += multiples * demand_.common_steps;
  return counted;
}

void Client::begin(const Step& of_model, bool is_final, bool from_threads) {
  require_order(Call::begin, state_);
  const Step step = counted_on(of_model);
  require_step(Call::begin, step, step_before(), registration_.description().continue_after);
  if (rank_ == 0) warn_of_strange_times(step);
  const Stopwatch watch(in_others_);
  link_.progress();
  settle_loans();
  link_.require_running();
  link_.require_not_stopping();
  Step begun = step;
  begun.is_final = is_final;
  begun.is_first = has_begun_ ? 0 : 1;
  require_bearable(Call::begin, begun);
  if (!tracker_) {
    start_time_s_ = step.time - step.length;
    tracker_.emplace(demand_.needs, start_time_s_);
  }
  if (!has_begun_) counted_before_ = step.index - of_model.index;
  if (due_ && !has_begun_) due_->count_from(counted_before_);
  if (rank_ == 0 && !has_begun_ && counted_before_ > 0)
    log::info("step " + std::to_string(of_model.index) + " of the model is step " +
              std::to_string(step.index) + " of its output");
  has_begun_ = true;
  limits_.advance(begun);
  if (due_) due_->note(begun, Clock::now());
  open(begun, from_threads);
}

/// What the model has lent with the last step is its own again.
void Client::settle_loans() {
  loans_.settle(link_, [this] { return lending_.has_server_gone(); });
  lending_.go_on();
}

void Client::begin_closing() {
  require_order(Call::begin_closing, state_);
  const Stopwatch watch(in_others_);
  link_.progress();
  settle_loans();
  link_.require_running();
  link_.require_not_stopping();
  Step closing = step_;
  ++closing.index;
  closing.is_final = closing.is_closing = 1;
  closing.is_first = closing.is_checkpoint = 0;
  open(closing, puts_.is_from_threads());
}

void Client::open(const Step& step, bool from_threads) {
  step_ = step;
  tracker_->advance(step_);
  choose_fields();
  state_ = RunState::in_step;
  events_ = 0;
  puts_.open(from_threads);
  if (from_threads) claim_all();
}

/// Without memory for all of them no put may come, as threads must not claim any.
void Client::claim_all() {
  try {
    for (std::size_t group = 0; group < groups_.size(); ++group)
      if (groups_[group].is_sent) claim_slot(group);
  } catch (...) {
    puts_.close();
    throw;
  }
}

/// Once a run, as such times are mostly wrong in every step.
void Client::warn_of_strange_times(const Step& step) {
  if (has_warned_) return;
  const std::string strange = strange_times(step, step_before());
  if (strange.empty()) return;
  log::warning(strange);
  has_warned_ = true;
}

/// A refused step leaves nothing behind, so that another may come in its place.
void Client::require_bearable(Call call, const Step& step) {
  if (!tracker_) limits_ = StepLimits(link_.step_limits(), step.time - step.length);
  const std::string problem = limits_.problem(step);
  if (problem.empty()) return;
  throw UsageError(std::string(c_name(call)) + ": step " + std::to_string(step.index) + " " + problem +
                   "; make the steps shorter, or the frequency larger");
}

void Client::choose_fields() {
  std::fill(wanted_.begin(), wanted_.end(), std::uint8_t{0});
  parts_.clear();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const GroupDemand& demand = demand_.groups[g];
    chosen_.clear();
    groups_[g].is_sent = false;
    std::fill(groups_[g].is_chosen.begin(), groups_[g].is_chosen.end(), std::uint8_t{0});
    for (std::uint32_t place = 0; place < demand.fields.size(); ++place) {
      if (!tracker_->is_any_met(demand.fields[place].needs)) continue;
      groups_[g].is_sent = groups_[g].is_sent || demand.fields[place].is_sent;
      if (demand.fields[place].is_static && step_.is_first == 0) continue;  // the servers have it
      const int field = routes_.groups[g].fields[place];
      if (field >= 0) wanted_[static_cast<std::size_t>(field)] = 1;
      if (!demand.fields[place].is_sent) continue;
      groups_[g].is_chosen[place] = 1;
      chosen_.push_back(place);
    }
    groups_[g].parcel.lay_out(chosen_);
  }
}

}  // namespace pileus
