#include "plan/definition.h"

#include <algorithm>
#include <charconv>

#include "plan/program_builder.h"
#include "plan/sha256.h"

namespace pileus {
namespace {

std::string number(double value) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

std::string list(const auto& values) {
  std::string out;
  for (const auto& value : values) out += " " + number(static_cast<double>(value));
  return out;
}

/// What an instruction computes of what its operands are, the same in whatever order they stand where that
/// does not matter.
std::string key(const Instruction& one, std::vector<std::string> operands) {
  if (planning::is_commutative(one.operation)) std::sort(operands.begin(), operands.end());
  std::string out = std::to_string(static_cast<int>(one.operation));
  if (one.operation == Operation::constant) out += " " + number(one.constant);
  for (const std::string& operand : operands) out += "\n" + operand;
  return planning::sha256(out);
}

/// What a program computes, the same whether parts of it are rules of their own or not.
std::string key(const Program& program, const std::vector<std::string>& inputs) {
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
    keys.push_back(key(one, std::move(operands)));
  }
  return keys.back();
}

struct ActionText {
  const std::vector<std::string>& inputs;  ///< what they are

  std::string operator()(const LocalReduce& reduce) const {
    // The axes show in what the result keeps.
    const std::string what = "localreduce " + std::to_string(static_cast<int>(reduce.reduction));
    return reduce.computed ? what + "\n" + key(reduce.computed->program, inputs) : with_inputs(what);
  }
  std::string operator()(const Locate& locate) const { return with_inputs("locate" + list(locate.axes)); }
  std::string operator()(const Arithmetic& arithmetic) const { return key(arithmetic.program, inputs); }
  std::string operator()(const Scale& scale) const {
    return with_inputs("scale" + list(scale.multiply) + " /" + list(scale.divide));
  }
  std::string operator()(const Apply& apply) const { return with_inputs("apply " + apply.application); }
  std::string operator()(const Communicate& communicate) const {
    return with_inputs("reduction " + std::to_string(static_cast<int>(communicate.reduction)));
  }
  std::string operator()(const Broadcast&) const { return {}; }

  std::string with_inputs(std::string what) const {
    for (const std::string& input : inputs) what += "\n" + input;
    return what;
  }
};

std::string type_of(const Value& value) {
  return std::string(name(value.type)) + (value.missing ? " missing " + number(*value.missing) : "");
}

/// Without where a value lies and whether it is rounded already, which may depend on how the model is spread
/// over its ranks. What is each rank's own has names for its dimensions or none, depending on what the others
/// have.
std::string shape(const Plan& plan, const Value& value) {
  std::string out = type_of(value);
  if (value.spread == Spread::own) return out;
  for (DimensionId id : value.dimensions) out += " " + plan[id].name + "=" + std::to_string(plan[id].size);
  return out;
}

/// A rule that changes where a value lies, or rounds it, but not what it is.
bool is_only_moved(const Plan& plan, const Rule& rule) {
  const auto* communicate = std::get_if<Communicate>(&rule.action);
  if (std::holds_alternative<Broadcast>(rule.action) || (communicate && communicate->takes_rank_zero))
    return true;
  const auto* arithmetic = std::get_if<Arithmetic>(&rule.action);
  return arithmetic && arithmetic->program.instructions.size() == 1 &&
         plan[rule.inputs.front()].form == Form::partials;
}

}  // namespace

std::vector<std::string> value_definitions(const Plan& plan) {
  std::vector<std::string> definitions(plan.values.size());
  // As part of what is made of a value: of equations without their shape, which follows from their inputs.
  std::vector<std::string> keys(plan.values.size());
  for (const PlannedField& field : plan.fields) {
    keys[field.value.index] = definitions[field.value.index] =
        "field " + field.name + " " + shape(plan, plan[field.value]);
  }
  for (const Rule& rule : plan.rules) {
    const Value& output = plan[rule.output];
    std::string &definition = definitions[rule.output.index], &as_part = keys[rule.output.index];
    if (is_only_moved(plan, rule)) {
      definition = definitions[rule.inputs.front().index];
      as_part = keys[rule.inputs.front().index];
      continue;
    }
    std::vector<std::string> inputs;
    for (ValueId input : rule.inputs) inputs.push_back(keys[input.index]);
    const auto* reduce = std::get_if<LocalReduce>(&rule.action);
    const std::string made = std::visit(ActionText{inputs}, rule.action);
    const std::string text = made + " " + (reduce ? type_of(output) : shape(plan, output));
    definition = planning::sha256(text);
    // What is reduced where it lies: as if it had been reduced locally and then brought together.
    if (reduce && output.spread != Spread::own) {
      const std::vector<std::string> local = {definition};
      definition = planning::sha256(ActionText{local}(Communicate{reduce->reduction, false}) + " " +
                                    shape(plan, output));
    }
    as_part = std::holds_alternative<Arithmetic>(rule.action) ? made : definition;
  }
  // Windows of distributed values are of another kind.
  for (std::size_t v = 0; v < plan.values.size(); ++v)
    definitions[v] += plan.values[v].spread == Spread::distributed ? " distributed" : " in one place";
  return definitions;
}

}  // namespace pileus
