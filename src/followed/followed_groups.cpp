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

std::vector<KeptOfSteps> kept_of_followed(const Plan& plan) {
  std::vector<KeptOfSteps> all;
  for (const FollowedGroup& group : followed_groups(plan)) {
    const operators::Followed& followed = *followed_by(plan[group.rules.front()]);
    const auto bytes_of = [&](const Region& part) -> std::uint64_t {
      return followed.bytes ? followed.bytes({part.start, part.count}) : 0;
    };
    KeptOfSteps kept;
    for (const RuleId rule : group.rules) kept.values.push_back(plan[rule].output);
    const Value& value = plan[group.input];
    if (value.spread == Spread::rooted) {
      kept.root = value.root;
      kept.of_root = bytes_of(whole_regions(plan)[group.input.index]);
    } else {
      const std::vector<Region> parts =
          value.spread == Spread::distributed
              ? regions_of_value(plan, group.input)
              : std::vector<Region>(plan.layout.clients, whole_regions(plan)[group.input.index]);
      kept.of_ranks.resize(plan.layout.clients);
      for (ClientRank client = 0; client < plan.layout.clients; ++client)
        if (std::ranges::any_of(kept.values, [&](ValueId made) { return is_made_by(plan[made], client); }))
          kept.of_ranks[client] = bytes_of(parts[client]);
    }
    all.push_back(std::move(kept));
  }
  return all;
}

}  // namespace pileus
