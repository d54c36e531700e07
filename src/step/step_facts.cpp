#include "step/step_facts.h"

#include <algorithm>

#include "plan/step_kinds.h"

namespace pileus {
namespace {

/// There are few kinds of steps, unless a frequency fits no other: then each step may be of a kind of its
/// own.
constexpr std::size_t kMostKindsKept = 256;

bool is_any_wanted(const Plan& plan, const StepKind& kind, const std::vector<RuleId>& rules) {
  return std::ranges::any_of(rules, [&](RuleId rule) { return kind.wants(plan[rule].output); });
}

bool is_handed_over(const Plan& plan, const StepKind& kind, FieldId field, ClientRank client) {
  return (plan[field].is_sent_by_all || client == 0) && kind.wants(plan[field].value);
}

}  // namespace

bool is_made_by(const Value& value, ClientRank client) {
  if (value.spread == Spread::rooted) return false;
  return value.spread != Spread::same || value.is_everywhere || client == 0;
}

StepFactsMaker::StepFactsMaker(const Plan& plan, ServerRank self, const ContinuedWindows* continued)
    : plan_(plan), self_(self), cursors_(plan, continued) {}

SharedFacts StepFactsMaker::advance(const Step& step, double start_time_s, const DroppedAxes& dropped) {
  if (!needs_) needs_.emplace(plan_.tracker(start_time_s));
  needs_->advance(step);
  auto facts = std::make_shared<StepFacts>();
  facts->step = step;
  facts->start_time_s = start_time_s;
  facts->kind = kind(dropped);
  facts->actions = cursors_.advance(step, start_time_s, dropped);
  return facts;
}

std::shared_ptr<const ScheduleActions> StepFactsMaker::finish() {
  return std::make_shared<const ScheduleActions>(cursors_.finish());
}

/// The model does not know what is dropped, and hands over what the step wants.
std::shared_ptr<const StepKind> StepFactsMaker::kind(const DroppedAxes& dropped) {
  sent_ = met_needs(plan_, *needs_);
  met_ = without(plan_, sent_, dropped);
  if (const auto known = kinds_.find({sent_, met_}); known != kinds_.end()) return known->second;
  // Open steps keep their kinds alive themselves.
  if (kinds_.size() == kMostKindsKept) kinds_.clear();
  return kinds_.emplace(std::pair(sent_, met_), std::make_shared<const StepKind>(made_kind())).first->second;
}

StepKind StepFactsMaker::made_kind() const {
  StepKind kind;
  for (const Value& value : plan_.values)
    kind.is_wanted.push_back(is_any_met(value.needs, value.field.is_valid() ? sent_ : met_));
  for (const PlannedField& field : plan_.fields) {
    if (kind.wants(field.value)) kind.fields.push_back(field.value);
  }
  for (const Tree& tree : plan_.trees)
    kind.has_tree.push_back(is_any_wanted(plan_, kind, tree.communications));
  kind.of_rank_zero = client_facts(kind, 0);
  kind.of_others = client_facts(kind, 1);
  add_root_facts(kind);
  return kind;
}

ClientFacts StepFactsMaker::client_facts(const StepKind& kind, ClientRank client) const {
  ClientFacts facts;
  for (std::size_t g = 0; g < plan_.groups.size(); ++g) {
    const auto is_due = [&](FieldId field) { return is_handed_over(plan_, kind, field, client); };
    if (std::ranges::any_of(plan_.groups[g].fields, is_due)) facts.groups.emplace_back(g);
  }
  for (const PlannedField& field : plan_.fields)
    if (field.points && kind.wants(field.value)) facts.dealt.push_back(field.value);
  for (std::size_t r = 0; r < plan_.rules.size(); ++r) {
    const Rule& rule = plan_.rules[r];
    if (!kind.wants(rule.output) || !is_made_by(plan_[rule.output], client)) continue;
    if (std::holds_alternative<Broadcast>(rule.action) || std::holds_alternative<Regrid>(rule.action)) {
      facts.broadcasts.push_back(rule.output);
    } else if (!std::holds_alternative<Communicate>(rule.action)) {
      facts.rules.emplace_back(r);
    }
  }
  for (std::size_t g = 0; g < plan_.regrids.size(); ++g)
    if (is_any_wanted(plan_, kind, plan_.regrids[g].rules)) facts.regrids.push_back(g);
  for (std::size_t t = 0; t < plan_.trees.size(); ++t) {
    if (kind.has_tree[t] && plan_.contributes(client, plan_.trees[t])) facts.trees.push_back(t);
  }
  return facts;
}

void StepFactsMaker::add_root_facts(StepKind& kind) const {
  for (std::size_t t = 0; t < plan_.trees.size(); ++t) {
    if (kind.has_tree[t] && plan_.trees[t].root == self_) kind.root_trees.push_back(t);
  }
  for (std::size_t d = 0; d < plan_.distributions.size(); ++d) {
    const auto& distribution = plan_.distributions[d];
    if (distribution.root == self_ && is_any_wanted(plan_, kind, distribution.broadcasts))
      kind.distributions.push_back(d);
  }
  for (std::size_t r = 0; r < plan_.rules.size(); ++r) {
    const Rule& rule = plan_.rules[r];
    const Value& output = plan_[rule.output];
    const bool is_here = output.spread == Spread::rooted && output.root == self_;
    const bool runs = !std::holds_alternative<Communicate>(rule.action) && !output.is_in_bundle;
    if (is_here && runs && kind.wants(rule.output)) kind.root_rules.emplace_back(r);
  }
}

}  // namespace pileus
