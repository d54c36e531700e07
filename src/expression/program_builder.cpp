#include "expression/program_builder.h"

#include <bit>
#include <cmath>
#include <utility>

namespace pileus::planning {
namespace {

/// base ^ exponent by multiplication; nothing if a step of it would round.
std::optional<double> exact_power(double base, double exponent) {
  constexpr double kLargestExponent = 1100, kSmallest = 1e-290, kLargest = 1e290;
  if (!std::isfinite(base) || std::trunc(exponent) != exponent || std::abs(exponent) > kLargestExponent)
    return {};
  double product = 1;
  for (double n = std::abs(exponent); n > 0; --n) {
    const double next = product * base;
    const bool is_safe = std::abs(next) > kSmallest && std::abs(next) < kLargest;
    if (!is_safe || std::fma(product, base, -next) != 0) return {};
    product = next;
  }
  if (exponent >= 0) return product;
  const double inverse = 1 / product;
  if (std::fma(inverse, product, -1.0) != 0) return {};
  return inverse;
}

/// Calls visit for each operand that an instruction has.
void for_each_operand(auto& instruction, const auto& visit) {
  const int count = operand_count(instruction.operation);
  if (count > 0) visit(instruction.left);
  if (count > 1) visit(instruction.right);
  if (count > 2) visit(instruction.condition);
}

}  // namespace

std::optional<double> folded(Operation operation, double left, double right) {
  switch (operation) {
    case Operation::negate: return -left;
    case Operation::add: return left + right;
    case Operation::subtract: return left - right;
    case Operation::multiply: return left * right;
    case Operation::divide: return left / right;
    case Operation::power: return exact_power(left, right);
    case Operation::less: return left < right ? 1 : 0;
    case Operation::less_equal: return left <= right ? 1 : 0;
    case Operation::equal: return left == right ? 1 : 0;
    case Operation::not_equal: return left != right ? 1 : 0;
    case Operation::absolute: return std::fabs(left);
    case Operation::square_root:
      if (left >= 0) return std::sqrt(left);
      break;
    case Operation::minimum:
    case Operation::maximum:  // not for equal operands, as zeros have signs, nor for a NaN
      if (left < right) return operation == Operation::minimum ? left : right;
      if (left > right) return operation == Operation::minimum ? right : left;
      break;
    default: break;
  }
  return {};
}

std::uint32_t ProgramBuilder::add(const Instruction& instruction) {
  const Key key{instruction.operation, std::bit_cast<std::uint64_t>(instruction.constant), instruction.left,
                instruction.right, instruction.condition};
  const auto [found, is_new] = known_.try_emplace(key, static_cast<std::uint32_t>(instructions_.size()));
  if (is_new) instructions_.push_back(instruction);
  return found->second;
}

std::uint32_t ProgramBuilder::constant(double value) { return add({Operation::constant, value}); }

std::uint32_t ProgramBuilder::input(std::uint32_t index) { return add({Operation::input, 0, index}); }

std::uint32_t ProgramBuilder::operation(Operation operation, std::uint32_t left, std::uint32_t right) {
  const bool is_unary = operand_count(operation) == 1;
  if (is_unary) right = left;
  const Instruction &a = instructions_[left], &b = instructions_[right];
  if (a.operation == Operation::constant && b.operation == Operation::constant) {
    if (const auto value = folded(operation, a.constant, b.constant)) return constant(*value);
  }
  if (is_unary) return add({operation, 0, left});
  if (is_commutative(operation) && right < left) std::swap(left, right);
  return add({operation, 0, left, right});
}

std::uint32_t ProgramBuilder::select(std::uint32_t condition, std::uint32_t where_true,
                                     std::uint32_t where_false) {
  const Instruction& decides = instructions_[condition];
  const bool is_known = decides.operation == Operation::constant && !std::isnan(decides.constant);
  if (is_known) return decides.constant != 0 ? where_true : where_false;
  return add({Operation::select, 0, where_true, where_false, condition});
}

Program ProgramBuilder::finish(std::uint32_t result) const {
  std::vector<bool> is_used(instructions_.size());
  is_used[result] = true;
  for (std::size_t i = result + 1; i-- > 0;) {
    if (is_used[i])
      for_each_operand(instructions_[i], [&](std::uint32_t operand) { is_used[operand] = true; });
  }

  Program program;
  std::vector<std::uint32_t> place(instructions_.size());
  for (std::size_t i = 0; i <= result; ++i) {
    if (!is_used[i]) continue;
    Instruction instruction = instructions_[i];
    for_each_operand(instruction, [&](std::uint32_t& operand) { operand = place[operand]; });
    place[i] = static_cast<std::uint32_t>(program.instructions.size());
    program.instructions.push_back(instruction);
  }
  return program;
}

}  // namespace pileus::planning
