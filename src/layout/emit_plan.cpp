#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "expression/program_builder.h"
#include "layout/draft.h"

namespace pileus::planning {
namespace {

/// Writes the kept terms into the Plan in their order: every term comes after the terms that it is made of.
class Emission {
 public:
  Emission(Draft& draft, const KeptTerms& kept, const std::vector<ServerRank>& roots)
      : draft_(draft), plan_(draft.plan), kept_(kept), roots_(roots), values_(draft.terms.size()) {}

  void emit() {
    for (TermIndex term = 0; term < draft_.terms.size(); ++term) {
      if (!kept_.is_kept[term]) continue;
      if (draft_.terms[term].kind == TermKind::field) {
        emit_field(term);
      } else if (draft_.terms[term].kind != TermKind::given) {  // those come before what takes them
        emit_rule(term);
      }
    }
    for (std::size_t i = 0; i < plan_.variables.size(); ++i) {
      Variable& variable = plan_.variables[i];
      variable.value = values_[draft_.variable_terms[i]];
      if (plan_[variable.schedule].manipulation->takes_pairs)
        variable.first_of_pair = plan_[plan_[variable.value].rule].inputs.front();
      if (variable.segments.samples > 0) {
        const std::vector<ValueId>& inputs = plan_[plan_[variable.value].rule].inputs;
        variable.sample = inputs.back();
        if (inputs.size() > 1) variable.first_of_pair = inputs.front();
      }
    }
    for (Variable& level : plan_.levels) {
      const Variable& finest = plan_.variables[level.level->of.index];
      level.value = finest.value;
      level.first_of_pair = finest.first_of_pair;
      level.sample = finest.sample;
    }
    for (std::size_t i = 0; i < plan_.statics.size(); ++i) {
      plan_.statics[i].value = values_[draft_.static_terms[i]];
    }
    emit_communications();
  }

 private:
  Value value_of(TermIndex index) const {
    const Term& term = draft_.terms[index];
    Value value;
    value.name = term.name;
    value.spread = term.spread;
    value.form = term.form;
    value.type = term.type;
    value.dimensions = term.dimensions;
    value.has_nameless_shape = term.nameless_like.has_value();
    value.root = term.spread == Spread::rooted ? roots_[index] : 0;
    value.is_everywhere = kept_.is_everywhere[index];
    value.cadence = term.cadence;
    value.missing = term.missing;
    for (const Part& part : term.parts) value.parts.push_back(part_of(part, index));
    return value;
  }

  HeldPart part_of(const Part& part, TermIndex user) const {
    HeldPart held;
    held.axis = part.axis;
    if (part.field) held.field = fields_.at(*part.field);
    if (part.applied && *part.applied != user) held.made = values_[*part.applied];
    return held;
  }

  void emit_field(TermIndex index) {
    const NodeIndex field = draft_.terms[index].field;
    const Node& node = draft_.graph.nodes[field];
    values_[index] = ValueId(plan_.values.size());
    fields_[field] = FieldId(plan_.fields.size());
    plan_.values.push_back(value_of(index));
    Value& value = plan_.values.back();
    value.field = fields_[field];

    PlannedField planned;
    planned.name = node.name;
    planned.registered = node.registered;
    planned.group = group_of(node.group);
    planned.type = value.type;
    planned.value = values_[index];
    planned.is_optional = node.field->is_optional || node.field->is_held;
    planned.is_held = node.field->is_held;
    planned.is_static = node.field->is_static;
    planned.pushdown = draft_.graph.config->may_push_down ? node.field->pushdown : Pushdown::no;
    planned.is_sent_by_all = value.spread != Spread::same || value.is_everywhere;
    planned.points = draft_.shapes.fields[field].points;
    plan_.groups[planned.group.index].fields.push_back(value.field);
    plan_.fields.push_back(std::move(planned));
    draft_.planned_fields.push_back(field);
  }

  GroupId group_of(std::size_t config_group) {
    const auto [known, is_new] = groups_.try_emplace(config_group, GroupId(plan_.groups.size()));
    const DataGroupConfig& group = draft_.graph.config->data_groups[config_group];
    if (is_new) plan_.groups.push_back({group.name.value, group.frequency, {}});
    return known->second;
  }

  void emit_rule(TermIndex index) {
    const Term& term = draft_.terms[index];
    std::vector<ValueId> inputs;
    const bool is_of_pairs = term.kind == TermKind::localreduce && term.operands.size() > 1;
    const bool is_ordered = term.kind == TermKind::apply || term.kind == TermKind::sift ||
                            term.kind == TermKind::regrid || is_of_pairs;
    for (TermIndex input : is_ordered ? term.operands : kept_.inputs[index]) {
      inputs.push_back(input_of(index, input));
    }
    Rule rule{term.rule_name, term.where, std::move(inputs), {}, LocalReduce{}};
    switch (term.kind) {
      case TermKind::localreduce: rule.action = local_reduce_of(term, kept_.inputs[index]); break;
      case TermKind::communicate: rule.action = Communicate{term.reduction, false}; break;
      case TermKind::broadcast: rule.action = Broadcast{}; break;
      case TermKind::apply: rule.action = apply_of(term); break;
      case TermKind::regrid: rule.action = Regrid{term.regridding, term.application_text}; break;
      case TermKind::sift: rule.action = SiftPart{term.pick, term.axes}; break;
      case TermKind::given: rule.action = Given{term.clock}; break;
      case TermKind::lag: rule.action = Lag{term.back, term.at_end && !term.cadence.is_every_step()}; break;
      case TermKind::scale: rule.action = Scale{term.multiply, term.divide}; break;
      default: rule.action = Arithmetic{program_of(index, kept_.inputs[index])};
    }
    values_[index] = add(std::move(rule), value_of(index));
  }

  Apply apply_of(const Term& term) const {
    Apply action{term.prepared, term.application_text};
    if (!term.prepared || !term.prepared->followed) return action;
    action.at_end = term.at_end && !term.cadence.is_every_step();
    action.definition = draft_.definitions.at(term.node);
    return action;
  }

  LocalReduce local_reduce_of(const Term& term, const std::vector<TermIndex>& inputs) const {
    const TermIndex operand = term.operands.front();
    LocalReduce action{term.reduction, term.axes};
    if (term.bins) action.edges = {term.bins, &term.bins->edges};
    if (!kept_.is_kept[operand]) action.computed = {program_of(operand, inputs), value_of(operand)};
    return action;
  }

  ValueId add(Rule rule, Value value) {
    const ValueId id(plan_.values.size());
    value.rule = RuleId(plan_.rules.size());
    rule.output = id;
    plan_.values.push_back(std::move(value));
    plan_.rules.push_back(std::move(rule));
    return id;
  }

  /// The input of a rule. If a value that is the same everywhere meets a reduced value, it comes from rank 0
  /// to the server of that value.
  ValueId input_of(TermIndex user, TermIndex input) {
    const bool is_brought =
        draft_.terms[user].spread == Spread::rooted && draft_.terms[input].spread == Spread::same;
    const bool is_given = draft_.terms[input].kind == TermKind::given;
    if (!is_brought && is_given && !values_[input].is_valid()) emit_rule(input);
    if (!is_brought) return values_[input];
    const auto [known, is_new] = brought_.try_emplace({input, roots_[user]}, ValueId());
    if (!is_new) return known->second;
    Value value = value_of(input);
    value.spread = Spread::rooted;
    value.root = roots_[user];
    value.is_everywhere = false;
    const Term& term = draft_.terms[user];
    if (is_given) {  // which that server knows too
      const Term& given = draft_.terms[input];
      Rule rule{given.rule_name, given.where, {}, {}, Given{given.clock}};
      return known->second = add(std::move(rule), std::move(value));
    }
    Rule rule{"sending of " + quoted(value.name) + " for " + term.rule_name,
              term.where,
              {values_[input]},
              {},
              Communicate{Reduction::sum, true}};
    return known->second = add(std::move(rule), std::move(value));
  }

  /// REQUIRES: `inputs` are ascending.
  Program program_of(TermIndex root, const std::vector<TermIndex>& inputs) const {
    std::set<TermIndex> inner = {root};
    for (auto term = inner.rbegin(); term != inner.rend(); ++term) {
      if (*term != root && (kept_.is_kept[*term] || draft_.terms[*term].kind != TermKind::operation))
        continue;
      inner.insert(draft_.terms[*term].operands.begin(), draft_.terms[*term].operands.end());
    }

    ProgramBuilder builder;
    std::map<TermIndex, std::uint32_t> made;
    for (TermIndex index : inner) {
      const Term& term = draft_.terms[index];
      const auto input = std::lower_bound(inputs.begin(), inputs.end(), index);
      if (input != inputs.end() && *input == index) {
        made[index] = builder.input(static_cast<std::uint32_t>(input - inputs.begin()));
      } else if (term.kind == TermKind::constant) {
        made[index] = builder.constant(term.constant);
      } else if (term.kind == TermKind::rounded) {
        made[index] = made.at(term.operands[0]);
      } else if (term.operation == Operation::select) {
        made[index] =
            builder.select(made.at(term.operands[2]), made.at(term.operands[0]), made.at(term.operands[1]));
      } else {
        made[index] =
            builder.operation(term.operation, made.at(term.operands[0]), made.at(term.operands.back()));
      }
    }
    return builder.finish(made.at(root));
  }

  /// Equal for rules that add up the same points of grids of the same extents.
  std::string links_of(const Regridding& how, const Rule& rule) const {
    std::string key = how.links_name;
    const auto size_of = [&](DimensionId id) {
      return " " + std::to_string(draft_.shapes.dimensions[id.index].size);
    };
    const std::vector<DimensionId>& from = plan_[rule.inputs.front()].dimensions;
    for (const int axis : how.axes) key += size_of(from[static_cast<std::size_t>(axis)]);
    for (const RegridDimension& one : how.dimensions) key += " to " + std::to_string(one.size);
    return key;
  }

  void emit_communications() {
    std::vector<int> stages(plan_.values.size());
    std::map<std::tuple<ServerRank, int, bool>, std::vector<RuleId>> trees;
    std::map<std::pair<ServerRank, int>, std::vector<RuleId>> distributions;
    std::map<std::pair<std::string, int>, std::vector<RuleId>> regrids;
    for (std::size_t i = 0; i < plan_.rules.size(); ++i) {
      const Rule& rule = plan_.rules[i];
      int stage = 0;
      for (ValueId input : rule.inputs) stage = std::max(stage, stages[input.index]);
      stages[rule.output.index] = stage;
      if (std::holds_alternative<Broadcast>(rule.action)) {
        distributions[{plan_[rule.inputs[0]].root, stage}].push_back(RuleId(i));
        ++stages[rule.output.index];
      }
      if (const auto* regrid = std::get_if<Regrid>(&rule.action)) {
        regrids[{links_of(*regrid->how, rule), stage}].push_back(RuleId(i));
        ++stages[rule.output.index];
      }
      if (!std::holds_alternative<Communicate>(rule.action)) continue;
      const bool takes_rank_zero = std::get<Communicate>(rule.action).takes_rank_zero;
      trees[{plan_[rule.output].root, stage, takes_rank_zero}].push_back(RuleId(i));
      ++stages[rule.output.index];
    }
    for (auto& [key, rules] : trees) {
      plan_.trees.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), std::move(rules)});
    }
    for (auto& [key, rules] : distributions) {
      plan_.distributions.push_back({key.first, key.second, std::move(rules)});
    }
    for (auto& [key, rules] : regrids) plan_.regrids.push_back({key.second, std::move(rules)});
  }

  Draft& draft_;
  Plan& plan_;
  const KeptTerms& kept_;
  const std::vector<ServerRank>& roots_;
  std::vector<ValueId> values_;  ///< by term
  std::map<std::size_t, GroupId> groups_;
  std::map<NodeIndex, FieldId> fields_;
  std::map<std::pair<TermIndex, ServerRank>, ValueId> brought_;
};

}  // namespace

void emit_values(Draft& draft, const KeptTerms& kept, const std::vector<ServerRank>& roots) {
  Emission(draft, kept, roots).emit();
}

}  // namespace pileus::planning
