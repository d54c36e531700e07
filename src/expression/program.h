#pragma once
// An arithmetic expression as a list of instructions over registers, in the order that the equation asks for.
// analytics evaluates it in double precision, element by element.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "functions/functions.h"

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
  less,  ///< comparisons give 1 or 0; with a NaN they give 0, but not_equal 1
  less_equal,
  equal,
  not_equal,
  keep,  ///< the left operand where the right one is not 0, otherwise missing
  // Checkpoints compare the numbers of operations: what comes here is a new function of functions.h.
  square_root,
  exponential,
  logarithm,
  absolute,
  sine,
  cosine,
  modulo,  ///< remainder of the floored division; it has the sign of the right operand
  minimum,
  maximum,
  select,  ///< left where the condition is not 0 (a NaN is not), otherwise right; missing if the one it takes
           ///< is
  first_function  ///< of kDeclaredFunctions, in whose order the others follow
};

constexpr Operation operation_of(std::size_t function) {
  return static_cast<Operation>(static_cast<std::size_t>(Operation::first_function) + function);
}
/// Null where it is none of kDeclaredFunctions.
constexpr const FunctionDeclaration* declared_function(Operation operation) {
  if (operation < Operation::first_function) return nullptr;
  return &kDeclaredFunctions[static_cast<std::size_t>(operation) -
                             static_cast<std::size_t>(Operation::first_function)];
}

struct Instruction {
  Operation operation = Operation::constant;
  double constant = 0;      ///< the value of a constant
  std::uint32_t left = 0;   ///< for an input its index in the rule's inputs, otherwise the instruction of the
                            ///< left operand
  std::uint32_t right = 0;  ///< the instruction of the right operand, if there are two
  std::uint32_t condition = 0;  ///< the instruction of the condition, in a select
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
    default: break;
  }
  const FunctionDeclaration* const function = declared_function(operation);
  return function != nullptr ? function->arguments : 2;
}

/// The value of a program is that of its last instruction. Equal sub-expressions share one instruction.
struct Program {
  std::vector<Instruction> instructions;
  friend bool operator==(const Program&, const Program&) = default;
};

}  // namespace pileus
