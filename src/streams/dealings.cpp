#include "streams/dealings.h"

#include <utility>

#include "core/error.h"

namespace pileus {

Dealings::Dealings(const Plan& plan, ServerRank self, Executor& workers, Messages& messages,
                   ErrorList& errors, const ClientFeeds& feeds, Contributions& trees)
    : plan_(plan),
      self_(self),
      workers_(workers),
      messages_(messages),
      errors_(errors),
      feeds_(feeds),
      trees_(trees) {}

void Dealings::begin(std::shared_ptr<const PointDirectory> directory) {
  directory_ = std::move(directory);
  if (!directory_ || feeds_.empty()) return;
  std::vector<ClientRank> clients;
  for (const auto& [client, feed] : feeds_) clients.push_back(client);
  for (const PlannedField& field : plan_.fields) {
    if (!field.points || groups_.contains(field.group)) continue;
    groups_[field.group] =
        std::make_unique<Dealing>(plan_, field.group, self_, clients, *directory_, workers_, messages_,
                                  errors_, static_cast<SettledPoints&>(*this));
  }
}

void Dealings::deal(ClientRank client, GroupId group, std::int64_t step, PointSamples samples) {
  groups_.at(group)->add(client, step, std::move(samples));
}

void Dealings::end(ClientRank client, std::int64_t last_step) {
  trees_.end(client, last_step);
  for (const auto& [group, dealing] : groups_) dealing->end_client(client, last_step);
}

void Dealings::advance(const StepFacts& facts, const StepHold& hold) {
  for (const auto& [group, dealing] : groups_) {
    std::vector<FieldId> fields;
    for (const FieldId field : plan_[group].fields) {
      const PlannedField& planned = plan_[field];
      const bool comes = !planned.is_static || facts.step.is_first != 0;
      if (planned.points && comes && facts.kind->wants(planned.value)) fields.push_back(field);
    }
    if (!fields.empty()) dealing->advance(facts.step.index, std::move(fields), hold);
  }
}

void Dealings::take(ServerRank from, Decoder& in, std::shared_ptr<const void> message) {
  const auto group = groups_.find(GroupId(in.get<std::uint32_t>()));
  if (group == groups_.end())
    throw TransportError("server " + std::to_string(from) + " sends points of a group that has none here");
  group->second->receive(from, Decoder(in.rest()), std::move(message));
}

void Dealings::settle(ClientRank client, std::int64_t step, std::shared_ptr<const BroadcastValues> values) {
  feeds_.at(client)->settle(step, values);
}

void Dealings::tell_waits(const std::shared_ptr<Waits>& waits,
                          const std::map<ClientRank, std::int64_t>& sent_through) const {
  for (const auto& [group, dealing] : groups_) dealing->tell_waits(waits, sent_through);
}

std::vector<std::pair<std::string, Cost>> Dealings::costs() const {
  std::vector<std::pair<std::string, Cost>> costs;
  for (const auto& [group, dealing] : groups_) costs.push_back(dealing->cost());
  return costs;
}

std::vector<std::string> Dealings::open_texts() const {
  std::vector<std::string> texts;
  for (const auto& [group, dealing] : groups_) {
    for (std::string& text : dealing->open_texts()) texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace pileus
