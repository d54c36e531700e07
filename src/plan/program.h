#pragma once
// An arithmetic expression as a list of instructions over registers, in the order in which the equation means
// them. Double precision; evaluated element by element by analytics.

#include <cstdint>
#include <vector>

namespace pileus {

enum class Operation : std::uint8_t {
  constant,
  input,
  negate,
  add,
  subtract,
  multiply,
  divide,
  power,
  less,  ///< comparisons give 1 or 0; 0 wherever there is a NaN, but for not_equal
  less_equal,
  equal,
  not_equal,
  keep  ///< left where right is not 0, otherwise missing
};

struct Instruction {
  Operation operation = Operation::constant;
  double constant = 0;      ///< of constant
  std::uint32_t left = 0;   ///< input: index into the rule's inputs; otherwise the instruction of the operand
  std::uint32_t right = 0;  ///< likewise, for operations on two operands
  friend bool operator==(const Instruction&, const Instruction&) = default;
};

/// The value of a program is that of its last instruction. Equal sub-expressions are one instruction.
struct Program {
  std::vector<Instruction> instructions;
  friend bool operator==(const Program&, const Program&) = default;
};

}  // namespace pileus
