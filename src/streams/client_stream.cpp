#include "streams/client_stream.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "checkpoint/kept_statics.h"
#include "core/error.h"
#include "core/error_text.h"
#include "streams/lent_array.h"
#include "time/static_record.h"

namespace pileus {
namespace {

/// Rank 0 stands for what is the same on every rank.
bool is_from(const Plan& plan, const Variable& variable, ClientRank client) {
  const Spread spread = plan[variable.value].spread;
  return spread == Spread::distributed || (spread == Spread::same && client == 0);
}

std::vector<VariableId> variables_of(const Plan& plan, ClientRank client) {
  std::vector<VariableId> variables;
  for (std::size_t v = 0; v < plan.variables.size(); ++v) {
    if (is_from(plan, plan.variables[v], client)) variables.push_back(VariableId(v));
  }
  return variables;
}

/// Tells whether both hold the same message.
bool are_of_one(const std::shared_ptr<const void>& a, const std::shared_ptr<const void>& b) {
  return !a.owner_before(b) && !b.owner_before(a);
}

/// The messages that brought the fields of a step, each once if its fields stand together; static fields and
/// those that hold are kept anyway.
std::shared_ptr<const void> messages_of(const Plan& plan, const StepKind& kind, const StepValues& values) {
  auto messages = std::make_shared<std::vector<std::shared_ptr<const void>>>();
  for (ValueId field : kind.fields) {
    const PlannedField& planned = plan[plan[field].field];
    if (planned.is_static || planned.is_held) continue;
    const auto* const array = std::get_if<Array>(&values[field.index]);
    if (array == nullptr) continue;
    std::shared_ptr<const void> message = LentArray::message_of(array->bytes);
    if (messages->empty() || !are_of_one(messages->back(), message)) messages->push_back(std::move(message));
  }
  return messages;
}

}  // namespace

ClientStream::ClientStream(const Plan& plan, ClientRank client, Executor& workers, ErrorList& errors,
                           Contributions& contributions, RecordSink& records, StateSink& cuts,
                           const ContinuedWindows* continued, const std::vector<KeptStatic>& statics)
    : plan_(plan),
      client_(client),
      errors_(errors),
      contributions_(contributions),
      records_(records),
      state_(cuts),
      kept_fields_(plan),
      strand_(workers),
      analysis_(
          plan, client, *this, [&errors](const std::string& what) { errors.add(what); }, statics,
          continued == nullptr ? nullptr : &continued->entries()),
      windows_(
          plan, variables_of(plan, client), regions_of_client(plan, client), client, records,
          [&errors](const std::string& what) { errors.add(what); }, continued) {}

void ClientStream::contribute(std::size_t tree, const Step& step, std::unique_ptr<TreeValues> values) {
  contributions_.add(client_, tree, step.index, std::move(values));
}

void ClientStream::deal(GroupId group, const Step& step, PointSamples samples) {
  contributions_.deal(client_, group, step.index, std::move(samples));
}

void ClientStream::regrid(std::size_t group, const Step& step, RegridSamples samples) {
  contributions_.regrid(client_, group, step.index, std::move(samples));
}

void ClientStream::step_done(const StepFacts& facts, const StepValues& values) {
  if (facts.step.is_first != 0) tell_statics(values);
  if (windows_.are_none()) return;
  windows_.advance(facts.actions, values, messages_of(plan_, *facts.kind, values));
}

void ClientStream::tell_statics(const StepValues& values) {
  if (plan_.statics.empty()) return;
  const std::vector<Region> regions = regions_of_client(plan_, client_);
  for (std::size_t i = 0; i < plan_.statics.size(); ++i) {
    if (!is_from(plan_, plan_.statics[i], client_)) continue;
    const ValueId value = plan_.statics[i].value;
    records_.add_static(static_record(plan_, i, regions[value.index], values[value.index]), client_);
  }
}

void ClientStream::take(Parcel parcel) {
  strand_.post([this, parcel = std::move(parcel)]() mutable { take_now(parcel); });
}

void ClientStream::take_now(Parcel& parcel) {
  if (has_failed_) return;
  try {
    claim_lent(parcel);
    analysis_.take(std::move(parcel));
  } catch (const TransportError& error) {
    // Later parcels cannot be trusted to mean what they say.
    give_up(error.what());
  } catch (...) {
    has_failed_ = true;  // no fault of the rank's: the run is stopped
    throw;
  }
}

/// Arrays that the step reads in the model's memory are given back: a model that is told to stop waits for
/// them.
void ClientStream::abandon() {
  strand_.post([this] {
    if (analysis_.has_open_step()) analysis_.abandon_last_step();
    analysis_.abandon_settling();
  });
}

/// Not before the step is analysed, so that a rank never waits for what lies before it here.
void ClientStream::claim_lent(Parcel& parcel) const {
  for (const auto& [place, lent] : std::exchange(parcel.lent, {})) {
    auto& [field, sample] = parcel.fields[place];
    try {
      std::get<Array>(sample).bytes = lent->claim(kept_fields_.keeps(field, parcel.facts->actions));
    } catch (const TransportError& error) {
      throw TransportError("model rank " + std::to_string(client_) + " has lent \"" + plan_[field].name +
                           "\" in step " + std::to_string(parcel.step.index) + ": " + error.what());
    }
  }
}

void ClientStream::settle(std::int64_t step, std::shared_ptr<const BroadcastValues> values) {
  strand_.post([this, step, values] {
    // Values for a step that this rank never opens would be held for ever.
    if ((has_failed_ || has_finished_ || is_ending_) && step > analysis_.last_step()) return;
    try {
      analysis_.settle(step, *values);
    } catch (...) {
      has_failed_ = true;  // no fault of the rank's: the run is stopped
      throw;
    }
    end_if_through();
  });
}

void ClientStream::expect_cut(std::int64_t step) {
  strand_.post([this, step] {
    if (no_cuts_) return state_.keep(step, {}, *no_cuts_);
    cuts_.push_back(step);
  });
}

void ClientStream::go_on_to(std::int64_t step) {
  strand_.post([this, step] {
    if (has_failed_ || !analysis_.has_open_step() || analysis_.last_step() >= step) return;
    give_up("model rank " + std::to_string(client_) + " went on to step " + std::to_string(step) +
            " before it had sent all of step " + std::to_string(analysis_.last_step()));
  });
}

void ClientStream::mark(std::int64_t step) {
  strand_.post([this, step] {
    if (has_failed_) return;
    try {
      mark_now(step);
    } catch (const TransportError& error) {
      give_up(error.what());
    }
  });
}

void ClientStream::mark_now(std::int64_t step) {
  if (std::find(cuts_.begin() + static_cast<std::ptrdiff_t>(marked_), cuts_.end(), step) == cuts_.end()) {
    errors_.add("model rank " + std::to_string(client_) + " asks for a checkpoint of step " +
                std::to_string(step) + ", for which model rank 0 does not: there is none");
    return;
  }
  give_up_unmarked_before(step);
  ++marked_;
  analysis_.cut(step, [this, step] { keep(step); });
}

void ClientStream::keep(std::int64_t step) {
  std::vector<StateEntry> entries;
  std::string error;
  try {
    entries = windows_.state();
    std::ranges::move(entries_of(plan_, analysis_.statics().kept()), std::back_inserter(entries));
    std::ranges::move(analysis_.kept(), std::back_inserter(entries));
  } catch (...) {
    error = text_of_current_exception();
  }
  cuts_.pop_front();
  --marked_;
  state_.keep(step, std::move(entries), std::move(error));
}

/// Markers come in order, so those that lack do not come any more.
void ClientStream::give_up_unmarked_before(std::int64_t step) {
  while (marked_ < cuts_.size() && cuts_[marked_] < step) {
    const std::int64_t unmarked = cuts_[marked_];
    cuts_.erase(cuts_.begin() + static_cast<std::ptrdiff_t>(marked_));
    state_.keep(unmarked, {},
                "model rank " + std::to_string(client_) + " does not ask for it, model rank 0 does");
  }
}

/// A stream that has failed keeps no state any more. Its cuts are given up, also those that are marked.
void ClientStream::keep_no_cuts(const std::string& why) {
  no_cuts_ = why;
  marked_ = 0;
  for (const std::int64_t step : std::exchange(cuts_, {})) state_.keep(step, {}, why);
}

void ClientStream::fail(const std::string& why) {
  strand_.post([this, why] {
    if (!has_failed_) give_up(why);
  });
}

void ClientStream::give_up(const std::string& why) {
  has_failed_ = true;
  errors_.add(why);
  analysis_.drop_cuts();
  keep_no_cuts(why);
  analysis_.abandon_last_step();
  analysis_.end_after_last_step();
  contributions_.end(client_, analysis_.last_step());
  is_ending_ = true;
  last_actions_ = nullptr;
  end_if_through();
}

void ClientStream::finish(std::int64_t last_step) {
  strand_.post([this, last_step] {
    if (has_failed_) return;
    if (analysis_.has_open_step()) {
      errors_.add("model rank " + std::to_string(client_) + " finished within a step");
      analysis_.abandon_last_step();
    }
    has_finished_ = true;
    analysis_.end_after_last_step();
    const std::int64_t last = std::max(last_step, analysis_.last_step());
    give_up_unmarked_before(last + 1);
    no_cuts_ = "model rank " + std::to_string(client_) + " finished after step " + std::to_string(last);
    for (; cuts_.size() > marked_; cuts_.pop_back()) state_.keep(cuts_.back(), {}, *no_cuts_);
    contributions_.end(client_, last);
  });
}

void ClientStream::pass(std::int64_t step) {
  strand_.post([this, step] { analysis_.pass(step); });
}

void ClientStream::end(std::int64_t last_step, std::int64_t clock_step,
                       std::shared_ptr<const ScheduleActions> actions) {
  strand_.post([this, last_step, clock_step, actions = std::move(actions)] {
    if (last_step != clock_step) {
      errors_.add("model rank " + std::to_string(client_) + " finished after step " +
                  std::to_string(last_step) + ", model rank 0 after step " + std::to_string(clock_step) +
                  (last_step < clock_step ? ": what needs it is missing from then on"
                                          : ": what came later is dropped"));
    }
    if (has_failed_) return;
    if (last_step == clock_step && !is_ending_) last_actions_ = actions;
    is_ending_ = true;
    end_if_through();
  });
}

void ClientStream::leave() {
  strand_.post([this] {
    if (has_failed_) return;
    is_ending_ = true;
    end_if_through();
  });
}

void ClientStream::add_costs(std::vector<Cost>& rules, std::vector<Cost>& variables) const {
  for (std::size_t rule = 0; rule < rules.size(); ++rule) rules[rule] += analysis_.costs()[rule];
  windows_.add_costs(variables);
}

void ClientStream::end_if_through() {
  if (!is_ending_ || has_ended_ || analysis_.is_waiting()) return;
  has_ended_ = true;
  if (last_actions_) windows_.finish(*last_actions_);
  records_.end_client(client_);
}

}  // namespace pileus
