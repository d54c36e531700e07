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
  keep,  ///< left where right is not 0, otherwise missing
  // Numbers are part of what checkpoints compare: new operations stand at the end.
  square_root,
  exponential,
  logarithm,
  absolute,
  sine,
  cosine,
  modulo,  ///< of the floored division: has the sign of right
  minimum,
  maximum,
  select  ///< left where condition is not 0 (a NaN is not), otherwise right; missing where what it takes is
};

struct Instruction {
  Operation operation = Operation::constant;
  double constant = 0;      ///< of constant
  std::uint32_t left = 0;   ///< input: index into the rule's inputs; otherwise the instruction of the operand
  std::uint32_t right = 0;  ///< likewise, for operations on two operands
  std::uint32_t condition = 0;  ///< likewise, of select
  friend bool operator==(const Instruction&, const Instruction&) = default;
};

constexpr int operand_count(Operation operation) {
  switch (operation) {
    case Operation::constant:
    case Operation::input: return 0;
    case Operation::negate:
    case Operation::square_root:
    case Operation::exponential:
    case Operation::logarithm:
    case Operation::absolute:
    case Operation::sine:
    case Operation::cosine: return 1;
    case Operation::select: return 3;
    default: return 2;
  }
}

/// The value of a program is that of its last instruction. Equal sub-expressions are one instruction.
struct Program {
  std::vector<Instruction> instructions;
  friend bool operator==(const Program&, const Program&) = default;
};

}  // namespace pileus
