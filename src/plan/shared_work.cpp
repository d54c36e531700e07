#include "plan/shared_work.h"

#include <map>
#include <string>
#include <utility>

namespace pileus {

std::vector<std::optional<RuleId>> shared_work(const Plan& plan) {
  std::map<std::pair<std::string, std::vector<ValueId>>, std::vector<RuleId>> alike;
  for (std::size_t r = 0; r < plan.rules.size(); ++r) {
    const Rule& rule = plan.rules[r];
    const auto* action = std::get_if<Apply>(&rule.action);
    if (action == nullptr || !action->prepared || !action->prepared->shared) continue;
    const operators::Shared& shared = *action->prepared->shared;
    const std::string operator_name = action->application.substr(0, action->application.find('\0'));
    std::vector<ValueId> inputs;
    for (const std::size_t input : shared.inputs) inputs.push_back(rule.inputs.at(input));
    alike[{operator_name + '\0' + shared.text, std::move(inputs)}].emplace_back(r);
  }
  std::vector<std::optional<RuleId>> first(plan.rules.size());
  for (const auto& [work, rules] : alike) {
    if (rules.size() < 2) continue;
    for (const RuleId rule : rules) first[rule.index] = rules.front();
  }
  return first;
}

}  // namespace pileus
