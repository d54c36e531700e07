#include "plan/fields_behind.h"

namespace pileus {
namespace {

constexpr std::size_t kMostNamed = 4;

}  // namespace

std::string fields_behind(const Plan& plan, const std::vector<ValueId>& values) {
  std::vector<bool> is_behind(plan.values.size(), false);
  for (const ValueId value : values) is_behind[value.index] = true;
  // The rules are walked backwards, as each stands after those whose results it takes.
  for (auto rule = plan.rules.rbegin(); rule != plan.rules.rend(); ++rule) {
    if (!is_behind[rule->output.index]) continue;
    for (const ValueId input : rule->inputs) is_behind[input.index] = true;
  }
  std::string text;
  std::size_t count = 0;
  for (const PlannedField& field : plan.fields) {
    if (!is_behind[field.value.index] || ++count > kMostNamed) continue;
    text += (text.empty() ? "" : ", ") + field.name;
  }
  return count > kMostNamed ? text + " and " + std::to_string(count - kMostNamed) + " more" : text;
}

std::string fields_behind(const Plan& plan, const Tree& tree) {
  std::vector<ValueId> values;
  for (const RuleId communication : tree.communications) values.push_back(plan[communication].output);
  return fields_behind(plan, values);
}

}  // namespace pileus
