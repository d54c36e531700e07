#include "plan/definition.h"

#include <charconv>

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

struct ActionText {
  std::string operator()(const LocalReduce& reduce) const {
    return "localreduce " + std::to_string(reduce.reduction);  // the axes show in what the result keeps
  }
  std::string operator()(const Locate& locate) const { return "locate" + list(locate.axes); }
  std::string operator()(const Arithmetic& arithmetic) const {
    std::string out = "arithmetic";
    for (const Instruction& one : arithmetic.program.instructions) {
      out += " " + std::to_string(static_cast<int>(one.operation)) + "," + number(one.constant) + "," +
             std::to_string(one.left) + "," + std::to_string(one.right);
      if (one.operation == Operation::select) out += "," + std::to_string(one.condition);
    }
    return out;
  }
  std::string operator()(const Scale& scale) const {
    return "scale" + list(scale.multiply) + " /" + list(scale.divide);
  }
  std::string operator()(const Apply&) const { return "apply"; }
  std::string operator()(const Communicate& communicate) const {
    return "reduction " + std::to_string(communicate.reduction) + (communicate.takes_rank_zero ? " 0" : "");
  }
  std::string operator()(const Broadcast&) const { return "broadcast"; }
};

std::string shape(const Plan& plan, const Value& value) {
  std::string out = std::string(name(value.type)) + " " + std::to_string(static_cast<int>(value.spread)) +
                    " " + std::to_string(static_cast<int>(value.form));
  if (value.missing) out += " missing " + number(*value.missing);
  // What is each rank's own has names for its dimensions or none, depending on what the others have.
  if (value.spread == Spread::own) return out;
  for (DimensionId id : value.dimensions) out += " " + plan[id].name + "=" + std::to_string(plan[id].size);
  return out;
}

}  // namespace

std::vector<std::string> value_definitions(const Plan& plan) {
  std::vector<std::string> definitions(plan.values.size());
  for (const PlannedField& field : plan.fields)
    definitions[field.value.index] = "field " + field.name + " " + shape(plan, plan[field.value]);
  for (const Rule& rule : plan.rules) {
    std::string text = std::visit(ActionText{}, rule.action) + " " + shape(plan, plan[rule.output]);
    if (std::holds_alternative<Apply>(rule.action)) text += " " + rule.name;
    for (ValueId input : rule.inputs) text += "\n" + definitions[input.index];
    definitions[rule.output.index] = planning::sha256(text);
  }
  return definitions;
}

}  // namespace pileus
