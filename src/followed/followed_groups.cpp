#include "followed/followed_groups.h"

#include <algorithm>
#include <map>
#include <utility>

#include "plan/held_regions.h"
#include "step/step_facts.h"

namespace pileus {

const operators::Followed* followed_by(const Rule& rule) {
  const auto* const action = std::get_if<Apply>(&rule.action);
  if (action == nullptr || !action->prepared || !action->prepared->followed) return nullptr;
  return &*action->prepared->followed;
}

std::vector<FollowedGroup> followed_groups(const Plan& plan) {
  std::map<std::pair<std::string, std::vector<ValueId>>, FollowedGroup> groups;
  for (std::size_t r = 0; r < plan.rules.size(); ++r) {
    const operators::Followed* const followed = followed_by(plan.rules[r]);
    if (followed == nullptr) continue;
    std::vector<ValueId> inputs;
    for (const std::size_t input : followed->inputs) inputs.push_back(plan.rules[r].inputs.at(input));
    FollowedGroup& group = groups[{followed->text, inputs}];
    group.rules.emplace_back(r);
    group.input = inputs.front();
    group.keys.push_back(std::get<Apply>(plan.rules[r].action).definition);
  }
  std::vector<FollowedGroup> all;
  for (auto& [what, group] : groups) {
    std::ranges::sort(group.keys);
    group.keys.erase(std::ranges::unique(group.keys).begin(), group.keys.end());
    all.push_back(std::move(group));
  }
  return all;
}

std::vector<std::uint64_t> followed_bytes_by_server(const Plan& plan) {
  std::vector<std::uint64_t> bytes(plan.layout.servers, 0);
  const std::vector<FollowedGroup> groups = followed_groups(plan);
  for (const FollowedGroup& group : groups) {
    const double element = followed_by(plan[group.rules.front()])->bytes;
    const auto add = [&](ServerRank server, const Region& region) {
      bytes[server] += static_cast<std::uint64_t>(element * static_cast<double>(region.size()));
    };
    const Value& value = plan[group.input];
    if (value.spread == Spread::rooted) {
      add(value.root, whole_regions(plan)[group.input.index]);
      continue;
    }
    const std::vector<Region> regions =
        value.spread == Spread::distributed
            ? regions_of_value(plan, group.input)
            : std::vector<Region>(plan.layout.clients, whole_regions(plan)[group.input.index]);
    for (ClientRank client = 0; client < plan.layout.clients; ++client)
      if (std::ranges::any_of(group.rules,
                              [&](RuleId rule) { return is_made_by(plan[plan[rule].output], client); }))
        add(plan.layout.server_of(client), regions[client]);
  }
  return bytes;
}

}  // namespace pileus
