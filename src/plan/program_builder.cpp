#include "plan/program_builder.h"

#include <bit>
#include <cmath>
#include <utility>

namespace pileus::planning {
namespace {

/// base ^ exponent by multiplication, where no step of it rounds.
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

bool has_two_operands(Operation operation) {
  return operation != Operation::constant && operation != Operation::input && operation != Operation::negate;
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
    case Operation::constant:
    case Operation::input:
    case Operation::keep: break;
  }
  return {};
}

std::uint32_t ProgramBuilder::add(const Instruction& instruction) {
  const Key key{instruction.operation, std::bit_cast<std::uint64_t>(instruction.constant), instruction.left,
                instruction.right};
  const auto [found, is_new] = known_.try_emplace(key, static_cast<std::uint32_t>(instructions_.size()));
  if (is_new) instructions_.push_back(instruction);
  return found->second;
}

std::uint32_t ProgramBuilder::constant(double value) { return add({Operation::constant, value, 0, 0}); }

std::uint32_t ProgramBuilder::input(std::uint32_t index) { return add({Operation::input, 0, index, 0}); }

std::uint32_t ProgramBuilder::operation(Operation operation, std::uint32_t left, std::uint32_t right) {
  if (operation == Operation::negate) right = left;
  const Instruction &a = instructions_[left], &b = instructions_[right];
  if (a.operation == Operation::constant && b.operation == Operation::constant) {
    if (const auto value = folded(operation, a.constant, b.constant)) return constant(*value);
  }
  if (operation == Operation::negate) return add({operation, 0, left, 0});
  if (is_commutative(operation) && right < left) std::swap(left, right);
  return add({operation, 0, left, right});
}

Program ProgramBuilder::finish(std::uint32_t result) const {
  std::vector<bool> is_used(instructions_.size());
  is_used[result] = true;
  for (std::size_t i = result + 1; i-- > 0;) {
    const Instruction& instruction = instructions_[i];
    if (!is_used[i] || instruction.operation == Operation::constant) continue;
    if (instruction.operation != Operation::input) is_used[instruction.left] = true;
    if (has_two_operands(instruction.operation)) is_used[instruction.right] = true;
  }

  Program program;
  std::vector<std::uint32_t> place(instructions_.size());
  for (std::size_t i = 0; i <= result; ++i) {
    if (!is_used[i]) continue;
    Instruction instruction = instructions_[i];
    if (instruction.operation != Operation::input) instruction.left = place[instruction.left];
    if (has_two_operands(instruction.operation)) instruction.right = place[instruction.right];
    if (instruction.operation == Operation::constant) instruction.left = 0;
    place[i] = static_cast<std::uint32_t>(program.instructions.size());
    program.instructions.push_back(instruction);
  }
  return program;
}

}  // namespace pileus::planning
