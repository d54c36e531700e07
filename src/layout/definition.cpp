#include "layout/definition.h"

#include <algorithm>

#include "core/shortest.h"
#include "expression/program_builder.h"
#include "plan/sha256.h"
#include "terms/grid_parameters.h"

namespace pileus::planning {
namespace {

std::string type_as_text(ElementType type, std::optional<double> missing) {
  return std::string(name(type)) + (missing ? " missing " + shortest(*missing) : "");
}

std::string shape_of(const std::vector<DimensionId>& dimensions, const Shapes& shapes) {
  std::string out;
  for (DimensionId id : dimensions) {
    const PlannedDimension& dimension = shapes.dimensions[id.index];
    out += " " + dimension.name + "=" + std::to_string(dimension.size);
  }
  return out;
}

/// What an instruction computes of what its operands are, the same in whatever order they stand where that
/// does not matter.
std::string key_of(const Instruction& one, std::vector<std::string> operands) {
  if (is_commutative(one.operation)) std::ranges::sort(operands);
  std::string out = std::to_string(static_cast<int>(one.operation));
  if (one.operation == Operation::constant) out += " " + shortest(one.constant);
  for (const std::string& operand : operands) out += "\n" + operand;
  return sha256(out);
}

/// What a program computes of what its inputs are.
std::string key_of(const Program& program, const std::vector<std::string>& inputs) {
  std::vector<std::string> keys;
  for (const Instruction& one : program.instructions) {
    if (one.operation == Operation::input) {
      keys.push_back(inputs[one.left]);
      continue;
    }
    std::vector<std::string> operands;
    const int count = operand_count(one.operation);
    if (count > 0) operands.push_back(keys[one.left]);
    if (count > 1) operands.push_back(keys[one.right]);
    if (count > 2) operands.push_back(keys[one.condition]);
    keys.push_back(key_of(one, std::move(operands)));
  }
  return keys.back();
}

/// The operator and its parameters; not the names of inputs, which are values of their own.
std::string application_of(const Node& node) {
  if (node.declaration == nullptr) return {};
  std::string out = node.declaration->name;
  for (const ParameterDeclaration& parameter : node.declaration->parameters) {
    const auto given = node.rule->parameters.find(parameter.name);
    const std::string value = given == node.rule->parameters.end() ? "" : given->second.value;
    const bool is_operand = parameter.kind == ParameterKind::name;
    if (is_operand && value.empty()) continue;
    out += '\0' + parameter.name + '\0' + (is_operand ? "" : value);
  }
  return out;
}

/// What the grids are, and not how they are called.
std::string regridding_of(const Graph& graph, const Node& node) {
  std::string out = node.declaration->name;
  try {
    std::map<std::string, std::string> parameters = completed_parameters(graph, node);
    if (parameters.contains("target_file")) parameters["to"] = digest_of_file(parameters["target_file"]);
    if (parameters.contains("weights")) parameters["weights"] = digest_of_file(parameters["weights"]);
    for (const char* name : {"target_file", "target_name"}) parameters.erase(name);
    for (const auto& [parameter, value] : parameters) out += '\0' + parameter + '\0' + value;
  } catch (const operators::ParameterError&) {
    return application_of(node);  // an error that is said elsewhere
  }
  return out;
}

/// The dimensions that a local reduction takes, in one order.
std::string dimensions_of(const Node& node) {
  std::vector<std::string> names;
  for (const Text& dimension : node.dimensions) names.push_back(dimension.value);
  std::ranges::sort(names);
  std::string out;
  for (const std::string& name : names) out += " " + name;
  return out;
}

std::string key_of(const Graph& graph, const Node& node, std::vector<std::string> inputs) {
  if (node.kind == NodeKind::broadcast) return inputs.front();  // where it lies, not what it is
  if (node.kind == NodeKind::arithmetic) {
    const std::string computed = key_of(node.expression.program, inputs);
    return node.is_filter ? key_of(Instruction{Operation::keep}, {inputs.back(), computed}) : computed;
  }
  std::string out;
  switch (node.kind) {
    case NodeKind::localreduce: out = "localreduce" + dimensions_of(node); break;
    case NodeKind::reduction: out = "reduction"; break;
    case NodeKind::sift:
      out = "locate " + application_of(node);
      break;  // the word stays: checkpoints hash it
    case NodeKind::given: return sha256((node.clock ? "clock " : "coordinates ") + node.name);
    case NodeKind::lag:
      out =
          "lag " + std::to_string(node.back) + " of " + text(graph.config->data_groups[node.group].frequency);
      break;
    case NodeKind::regrid: out = "regrid " + regridding_of(graph, node); break;
    default: out = "apply " + application_of(node);
  }
  if (node.kind == NodeKind::localreduce || node.kind == NodeKind::reduction)
    out += " " + std::to_string(static_cast<int>(node.reduction));
  for (const double edge : node.edges) out += " " + shortest(edge);
  for (const std::string& input : inputs) out += "\n" + input;
  return sha256(out);
}

/// Each rank's own part has the shape that this layout gives it.
std::string field_text(const Node& node, const FieldShape& shape, Spread spread, const Shapes& shapes) {
  const std::string text =
      "field " + node.name + " " + type_as_text(shape.wire_type, node.field->missing_value);
  if (spread == Spread::own) return text + " of each rank";
  return text + (spread == Spread::same ? " of all ranks" : "") + shape_of(shape.dimensions, shapes);
}

}  // namespace

std::vector<std::string> node_definitions(const Graph& graph, const std::vector<Spread>& spreads,
                                          const Shapes& shapes) {
  std::vector<std::string> keys(graph.nodes.size());
  const auto is_planned = [&](NodeIndex node) {
    return graph.nodes[node].is_live && !graph.nodes[node].is_off;
  };
  for (NodeIndex node = 0; node < graph.field_count; ++node) {
    if (is_planned(node))
      keys[node] = sha256(field_text(graph.nodes[node], shapes.fields[node], spreads[node], shapes));
  }
  for (NodeIndex index : graph.order) {
    const Node& node = graph.nodes[index];
    if (!is_planned(index)) continue;
    std::vector<std::string> inputs;
    for (const Use& use : node.inputs) inputs.push_back(keys[use.node]);
    keys[index] = key_of(graph, node, std::move(inputs));
  }
  return keys;
}

std::string window_definition(const std::string& node, const Term& value, bool is_exact,
                              const Shapes& shapes) {
  return sha256(node + "\n" + type_as_text(value.type, value.missing) + shape_of(value.dimensions, shapes) +
                (is_exact ? " in exact sums" : " rounded each step"));
}

}  // namespace pileus::planning
