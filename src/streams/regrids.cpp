#include "streams/regrids.h"

#include <utility>

#include "core/error.h"

namespace pileus {

Regrids::Regrids(const Plan& plan, ServerRank self, Executor& workers, Messages& messages,
                 const ClientFeeds& feeds, Contributions& others)
    : plan_(plan), self_(self), workers_(workers), messages_(messages), feeds_(feeds), others_(others) {}

void Regrids::begin(std::shared_ptr<RegridDirectory> directory) {
  directory_ = std::move(directory);
  if (!directory_ || feeds_.empty()) return;
  std::vector<ClientRank> clients;
  for (const auto& [client, feed] : feeds_) clients.push_back(client);
  for (std::size_t group = 0; group < plan_.regrids.size(); ++group) {
    groups_.push_back(std::make_unique<Regridder>(plan_, group, self_, clients, *directory_, workers_,
                                                  messages_, static_cast<SettledPoints&>(*this)));
  }
}

void Regrids::regrid(ClientRank client, std::size_t group, std::int64_t step, RegridSamples samples) {
  groups_.at(group)->add(client, step, std::move(samples));
}

void Regrids::end(ClientRank client, std::int64_t last_step) {
  others_.end(client, last_step);
  for (const auto& group : groups_) group->end_client(client, last_step);
}

void Regrids::advance(const StepFacts& facts, const StepHold& hold) {
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    std::vector<RuleId> rules;
    for (const RuleId rule : plan_.regrids[g].rules)
      if (facts.kind->wants(plan_[rule].output)) rules.push_back(rule);
    if (!rules.empty()) groups_[g]->advance(facts.step.index, std::move(rules), hold);
  }
}

void Regrids::take(ServerRank from, Decoder& in, std::shared_ptr<const void> message) {
  const auto group = in.get<std::uint32_t>();
  if (group >= groups_.size())
    throw TransportError("server " + std::to_string(from) + " sends what is not regridded here");
  groups_[group]->receive(from, Decoder(in.rest()), std::move(message));
}

void Regrids::settle(ClientRank client, std::int64_t step, std::shared_ptr<const BroadcastValues> values) {
  feeds_.at(client)->settle(step, values);
}

void Regrids::tell_waits(const std::shared_ptr<Waits>& waits,
                         const std::map<ClientRank, std::int64_t>& sent_through) const {
  for (const auto& group : groups_) group->tell_waits(waits, sent_through);
}

std::vector<std::string> Regrids::open_texts() const {
  std::vector<std::string> texts;
  for (const auto& group : groups_)
    for (std::string& text : group->open_texts()) texts.push_back(std::move(text));
  return texts;
}

std::vector<std::pair<std::string, Cost>> Regrids::costs() const {
  std::vector<std::pair<std::string, Cost>> costs;
  for (const auto& group : groups_) costs.push_back(group->cost());
  return costs;
}

}  // namespace pileus
