#include "plan/rule_work.h"

#include <algorithm>

namespace pileus {
namespace {

std::int64_t operations_of(const Program& program) {
  return std::ranges::count_if(program.instructions, [](const Instruction& instruction) {
    return operand_count(instruction.operation) > 0;
  });
}

struct What {
  std::string operator()(const LocalReduce& action) const {
    return std::string("localreduce ") + word_of(action.reduction) +
           (action.computed ? " of an equation" : "") + (action.edges ? " in bins" : "");
  }
  std::string operator()(const Arithmetic&) const { return "arithmetic"; }
  std::string operator()(const Scale&) const { return "arithmetic by constants, exact"; }
  std::string operator()(const Apply& action) const {
    return action.application.substr(0, action.application.find('\0'));
  }
  std::string operator()(const SiftPart& action) const { return action.pick->what; }
  std::string operator()(const Communicate& action) const {
    return action.takes_rank_zero ? "the value of model rank 0"
                                  : std::string("reduction ") + word_of(action.reduction);
  }
  std::string operator()(const Broadcast&) const { return "broadcast"; }
  std::string operator()(const Given& action) const {
    return action.clock ? "what the clock says" : "coordinates";
  }
  std::string operator()(const Lag& action) const {
    return "lag by " + std::to_string(action.back) + (action.back == 1 ? " hand-over" : " hand-overs");
  }
  std::string operator()(const Regrid& action) const {
    return action.application.substr(0, action.application.find('\0'));
  }
};

}  // namespace

std::string what_of(const Rule& rule) { return std::visit(What{}, rule.action); }

std::int64_t operations_of(const Rule& rule) {
  if (const auto* local = std::get_if<LocalReduce>(&rule.action))
    return 1 + (local->computed ? operations_of(local->computed->program) : 0);
  if (const auto* arithmetic = std::get_if<Arithmetic>(&rule.action))
    return operations_of(arithmetic->program);
  if (const auto* scale = std::get_if<Scale>(&rule.action))
    return static_cast<std::int64_t>(scale->multiply.size() + scale->divide.size());
  if (const auto* sift = std::get_if<SiftPart>(&rule.action)) return sift->pick->operations;
  const bool computes_itself =
      std::holds_alternative<Apply>(rule.action) || std::holds_alternative<Given>(rule.action);
  return computes_itself ? 0 : 1;
}

std::int64_t elements_of(const Plan& plan, const Rule& rule, const std::vector<Region>& regions) {
  const auto* local = std::get_if<LocalReduce>(&rule.action);
  if (local == nullptr && !std::holds_alternative<SiftPart>(rule.action))
    return regions[rule.output.index].size();
  if (local == nullptr || !local->computed) return regions[rule.inputs[0].index].size();
  return plan.held(local->computed->value, regions).size();
}

}  // namespace pileus
