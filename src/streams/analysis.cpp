#include "streams/analysis.h"

#include <algorithm>
#include <map>
#include <set>

#include "checkpoint/kept_statics.h"
#include "core/error.h"

namespace pileus {

Analysis::Analysis(const Plan& plan, ServerRank self, Executor& workers, Messages& messages,
                   ErrorList& errors, bool defers, RecordSink& records, StateSink& state,
                   const Continuation* continued)
    : plan_(plan),
      continued_(continued == nullptr ? std::nullopt
                                      : std::optional<ContinuedWindows>(
                                            std::in_place, plan, continued->entries, continued->step.time)),
      facts_(plan, self, continued_ ? &*continued_ : nullptr),
      keeps_clock_(self == 0),
      feed_of_rank_(plan.layout.clients),
      cuts_(workers, state),
      distributions_(plan, self, messages, feeds_),
      root_(plan, self, workers, errors, records, cuts_, distributions_, continued_ ? &*continued_ : nullptr),
      trees_(plan, self, defers, workers, messages, errors, root_),
      dealings_(plan, self, workers, messages, errors, feeds_, trees_),
      regrids_(plan, self, workers, messages, feeds_, dealings_) {
  const std::vector<KeptStatic> statics =
      continued == nullptr ? std::vector<KeptStatic>() : kept_statics(plan, continued->entries);
  for (ClientRank client = 0; client < plan.layout.clients; ++client) {
    if (plan.layout.server_of(client) != self) continue;
    auto feed = std::make_unique<ClientFeed>(plan, client, workers, errors, regrids_, records, cuts_,
                                             continued_ ? &*continued_ : nullptr, statics);
    feed_of_rank_[client] = feed.get();
    feeds_.emplace(client, std::move(feed));
  }
}

ClientFeed& Analysis::feed_of(ClientRank rank) const {
  if (rank < feed_of_rank_.size() && feed_of_rank_[rank] != nullptr) return *feed_of_rank_[rank];
  throw TransportError("model rank " + std::to_string(rank) + " sends to a server that is not its own");
}

void Analysis::lay_early_aside(const Spilling& spilling) {
  for (const auto& [rank, feed] : feeds_) feed->lay_early_aside(spilling);
}

void Analysis::go_on() {
  if (is_stopped_) return;
  for (const auto& [rank, feed] : feeds_) feed->go_on();
}

void Analysis::take(ClientRank client, Arrival arrival) {
  if (!is_stopped_) feed_of(client).take(std::move(arrival));
}

void Analysis::take_marker(ClientRank client, std::int64_t step) {
  if (!is_stopped_) feed_of(client).take_marker(step);
}

void Analysis::finish_client(ClientRank client, std::int64_t last_step) {
  if (!is_stopped_) feed_of(client).finish(last_step);
}

void Analysis::take_reduction(ServerRank from, Decoder& in, std::shared_ptr<const void> message) {
  if (!is_stopped_) trees_.take(from, in, std::move(message));
}

void Analysis::take_distribution(ServerRank from, Decoder& in) {
  if (!is_stopped_) distributions_.take(from, in);
}

void Analysis::take_points(ServerRank from, Decoder& in, std::shared_ptr<const void> message) {
  if (!is_stopped_) dealings_.take(from, in, std::move(message));
}

void Analysis::take_regridded(ServerRank from, Decoder& in, std::shared_ptr<const void> message) {
  if (!is_stopped_) regrids_.take(from, in, std::move(message));
}

void Analysis::stop() {
  if (std::exchange(is_stopped_, true)) return;
  for (const auto& [rank, feed] : feeds_) feed->stop();
}

void Analysis::advance(const Step& step, double start_time_s, const StepHold& hold,
                       const DroppedAxes& dropped) {
  if (is_stopped_) return;
  clock_step_ = step.index;
  const SharedFacts facts = last_facts_ = facts_.advance(step, start_time_s, dropped);
  if (step.is_checkpoint) begin_cut(step.index);
  root_.advance(facts, hold);
  trees_.advance(*facts, hold);
  dealings_.advance(*facts, hold);
  regrids_.advance(*facts, hold);
  for (const auto& [rank, feed] : feeds_) feed->advance(facts, hold);
}

/// The state after the step that the clock has come to is kept: by every stream once its client's marker has
/// come and its steps are closed, by the root once its own are.
void Analysis::begin_cut(std::int64_t step) {
  std::vector<StateEntry> entries;
  if (keeps_clock_) {
    entries = entries_of(plan_, facts_.needs());
    for (std::size_t s = 0; s < plan_.schedules.size(); ++s)
      entries.push_back(axis_entry(plan_, ScheduleId(s), facts_.cursors()[ScheduleId(s)]));
  }
  cuts_.begin(step, feeds_.size() + 1, std::move(entries));
  for (const auto& [rank, feed] : feeds_) feed->expect_cut(step);
}

void Analysis::end_clock(std::int64_t last_step) {
  if (is_stopped_) return;
  has_clock_ended_ = true;
  const std::shared_ptr<const ScheduleActions> actions = facts_.finish();
  root_.end_clock(actions);
  trees_.end_clock();
  for (const auto& [rank, feed] : feeds_) feed->end_clock(last_step, actions);
}

std::int64_t Analysis::sent_through() const {
  std::int64_t through = clock_step_;
  for (const auto& [rank, feed] : feeds_) through = std::min(through, feed->sent_through());
  return through;
}

void Analysis::tell_waits(const std::shared_ptr<Waits>& waits) {
  tell_model_waits(*waits);
  std::map<ClientRank, std::int64_t> sent_through, marked;
  for (const auto& [rank, feed] : feeds_) {
    sent_through[rank] = feed->sent_through();
    if (!feed->is_over()) marked[rank] = feed->marked();
  }
  trees_.tell_waits(waits, sent_through);
  dealings_.tell_waits(waits, sent_through);
  regrids_.tell_waits(waits, sent_through);
  cuts_.tell_waits(waits, std::move(marked));
}

void Analysis::tell_model_waits(Waits& waits) const {
  std::map<std::int64_t, std::vector<ClientRank>> behind;  // by the first step that lacks
  std::set<std::int64_t> steps;                            // that lack
  std::vector<ClientRank> ahead, at_clock;
  for (const auto& [rank, feed] : feeds_) {
    if (feed->is_over()) continue;
    const std::vector<std::int64_t> missing = feed->missing_steps(Waits::kMostNumbers);
    steps.insert(missing.begin(), missing.end());
    if (!missing.empty()) {
      behind[missing.front()].push_back(rank);
    } else {
      (feed->is_ahead_of_clock() ? ahead : at_clock).push_back(rank);
    }
  }
  const std::string clock =
      clock_step_ < 0 ? "has not begun its first step" : "is at step " + std::to_string(clock_step_);
  if (!behind.empty()) {
    std::string text;
    for (const auto& [step, ranks] : behind) {
      text += (text.empty() ? "" : ", ") + numbered("model rank", ranks) + " sent nothing of step " +
              std::to_string(step);
    }
    waits.add(Waits::About::model,
              {"model ranks behind", {steps.begin(), steps.end()}, text + "; model rank 0 " + clock});
  }
  if (!ahead.empty()) {
    waits.add(Waits::About::model,
              {"model rank 0",
               {clock_step_},
               numbered("model rank", ahead) + " went ahead of model rank 0, which " + clock});
  }
  if (!at_clock.empty() && !has_clock_ended_) {
    waits.note(Waits::About::model, "model rank 0 " + clock + ", and " + numbered("model rank", at_clock) +
                                        " sent all of it: the model's next step has not come");
  }
}

std::vector<std::pair<std::string, Cost>> Analysis::costs() const {
  std::vector<Cost> rules = root_.rule_costs(), variables(plan_.variables.size());
  root_.add_window_costs(variables);
  for (const auto& [rank, feed] : feeds_) feed->stream().add_costs(rules, variables);

  std::vector<std::pair<std::string, Cost>> costs;
  for (std::size_t r = 0; r < rules.size(); ++r) costs.emplace_back(plan_.rules[r].name, rules[r]);
  for (auto& cost : trees_.costs()) costs.push_back(std::move(cost));
  for (auto& cost : dealings_.costs()) costs.push_back(std::move(cost));
  for (auto& cost : regrids_.costs()) costs.push_back(std::move(cost));
  for (std::size_t v = 0; v < variables.size(); ++v) {
    const Variable& variable = plan_.variables[v];
    costs.emplace_back("\"" + variable.name + "\" of file \"" + plan_[variable.file].name + "\" over time",
                       variables[v]);
  }
  std::erase_if(costs, [](const auto& cost) { return cost.second.runs == 0; });
  return costs;
}

std::size_t Analysis::window_bytes() const {
  std::size_t bytes = root_.window_bytes();
  for (const auto& [rank, feed] : feeds_) bytes += feed->stream().window_bytes();
  return bytes;
}

std::vector<std::string> Analysis::open_texts() const {
  std::vector<std::string> texts = cuts_.open_texts();
  for (const auto& [rank, feed] : feeds_) {
    for (std::string& text : feed->stream().open_texts()) texts.push_back(std::move(text));
  }
  for (std::string& text : trees_.open_texts()) texts.push_back(std::move(text));
  for (std::string& text : dealings_.open_texts()) texts.push_back(std::move(text));
  for (std::string& text : regrids_.open_texts()) texts.push_back(std::move(text));
  if (root_.has_open_steps()) texts.push_back("results of steps that were never complete");
  return texts;
}

}  // namespace pileus
