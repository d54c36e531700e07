// The explanation as a graph: fields, rules and the variables of files.

#include "explain/explanation.h"

namespace pileus::explain {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string node_of(const Plan& plan, ValueId value) {
  return plan[value].rule.is_valid() ? "rule" + std::to_string(plan[value].rule.index)
                                     : "field" + std::to_string(plan[value].field.index);
}

std::string nodes(const Explanation& all) {
  std::string text;
  for (std::size_t f = 0; f < all.plan.fields.size(); ++f)
    text += "  field" + std::to_string(f) + " [shape=box, label=" + quoted(all.plan.fields[f].name) + "];\n";
  for (const RuleCost& cost : all.rules)
    text += "  rule" + std::to_string(cost.rule.index) + " [shape=ellipse, label=" + quoted(cost.what) +
            ", tooltip=" + quoted(all.plan[cost.rule].name + ": " + cost.where) + "];\n";
  return text;
}

std::string edges(const Explanation& all) {
  std::string text;
  for (std::size_t r = 0; r < all.plan.rules.size(); ++r) {
    for (ValueId input : all.plan.rules[r].inputs)
      text += "  " + node_of(all.plan, input) + " -> rule" + std::to_string(r) + ";\n";
  }
  for (std::size_t v = 0; v < all.plan.variables.size(); ++v)
    text += "  " + node_of(all.plan, all.plan.variables[v].value) + " -> variable" + std::to_string(v) +
            " [label=" + quoted(schedule_text(all.plan[all.plan.variables[v].schedule])) + "];\n";
  for (std::size_t v = 0; v < all.plan.statics.size(); ++v)
    text += "  " + node_of(all.plan, all.plan.statics[v].value) + " -> static" + std::to_string(v) +
            " [label=\"static\"];\n";
  return text;
}

std::string clusters(const Explanation& all) {
  std::string text;
  for (std::size_t f = 0; f < all.plan.files.size(); ++f) {
    const PlannedFile& file = all.plan.files[f];
    text += "  subgraph cluster" + std::to_string(f) +
            " {\n    label=" + quoted(file.name + ": " + sequence_text(file)) + ";\n";
    for (VariableId id : file.variables)
      text += "    variable" + std::to_string(id.index) +
              " [shape=note, label=" + quoted(all.plan[id].name + ": " + shape_text(all.plan, all.plan[id])) +
              "];\n";
    for (std::size_t v = 0; v < all.plan.statics.size(); ++v) {
      const Variable& variable = all.plan.statics[v];
      if (variable.file != FileId(f)) continue;
      text += "    static" + std::to_string(v) +
              " [shape=note, label=" + quoted(variable.name + ": " + shape_text(all.plan, variable)) + "];\n";
    }
    text += "  }\n";
  }
  return text;
}

}  // namespace

std::string dot_of(const Explanation& all) {
  return "digraph plan {\n  rankdir=LR;\n" + nodes(all) + clusters(all) + edges(all) + "}\n";
}

}  // namespace pileus::explain
