#pragma once
// Builds a Program in which equal sub-expressions share one instruction and constants are folded. The parser
// of equations uses it, and so does the stage that writes out the Plan's rules.

#include <compare>
#include <cstdint>
#include <map>
#include <optional>

#include "expression/program.h"

namespace pileus::planning {

constexpr bool is_commutative(Operation operation) {
  return operation == Operation::add || operation == Operation::multiply || operation == Operation::equal ||
         operation == Operation::not_equal || operation == Operation::minimum ||
         operation == Operation::maximum ||
         (declared_function(operation) != nullptr && declared_function(operation)->is_symmetric);
}

/// The value of an operation on constants, if it is certain to be what evaluation would give: any operation
/// of the processor, and a power whose result is exact. Functions that round on their own are left to
/// evaluation. `right` counts for operations on two operands.
std::optional<double> folded(Operation operation, double left, double right);

class ProgramBuilder {
 public:
  std::uint32_t constant(double value);
  std::uint32_t input(std::uint32_t index);
  /// Operations on one operand ignore `right`. REQUIRES: the operation is not select.
  std::uint32_t operation(Operation operation, std::uint32_t left, std::uint32_t right = 0);
  /// Adds `where_true` where `condition` is not 0, and `where_false` elsewhere.
  std::uint32_t select(std::uint32_t condition, std::uint32_t where_true, std::uint32_t where_false);

  /// The program whose value is that of instruction `result`, without the instructions that it does not need.
  Program finish(std::uint32_t result) const;

 private:
  struct Key {
    Operation operation;
    std::uint64_t constant_bits;
    std::uint32_t left, right, condition;
    auto operator<=>(const Key&) const = default;
  };
  std::uint32_t add(const Instruction& instruction);

  std::vector<Instruction> instructions_;
  std::map<Key, std::uint32_t> known_;
};

}  // namespace pileus::planning
