#include "blocks/register_places.h"

#include <algorithm>

namespace pileus {
namespace {

/// By instruction: the last one that takes its result.
std::vector<std::size_t> last_uses_of(const Program& program) {
  const std::size_t size = program.instructions.size();
  std::vector<std::size_t> last_use(size, 0);
  if (size > 0) last_use.back() = size;
  for (std::size_t i = size; i-- > 0;) {
    const Instruction& one = program.instructions[i];
    const auto use = [&](std::size_t operand) { last_use[operand] = std::max(last_use[operand], i); };
    const int count = operand_count(one.operation);
    if (count > 0) use(one.left);
    if (count > 1) use(one.right);
    if (count > 2) use(one.condition);
    // What is kept lies where it lay.
    if (one.operation == Operation::keep) last_use[one.left] = std::max(last_use[one.left], last_use[i]);
  }
  return last_use;
}

}  // namespace

RegisterPlaces places_of(const Program& program) {
  const std::size_t size = program.instructions.size();
  const std::vector<std::size_t> last_use = last_uses_of(program);
  std::vector<std::size_t> free, holders;
  RegisterPlaces places{std::vector<std::size_t>(size)};
  for (std::size_t i = 0; i < size; ++i) {
    const Operation operation = program.instructions[i].operation;
    std::erase_if(holders, [&](std::size_t holder) {
      if (last_use[holder] >= i) return false;
      free.push_back(places.of[holder]);
      return true;
    });
    if (operand_count(operation) == 0 || free.empty()) {
      places.of[i] = places.count++;
    } else {
      places.of[i] = free.back();
      free.pop_back();
    }
    if (operand_count(operation) > 0) holders.push_back(i);
  }
  return places;
}

std::vector<std::uint8_t> uses_of(const Program& program) {
  std::vector<std::uint8_t> uses(program.instructions.size(), 0);
  const auto use = [&](std::size_t operand) { uses[operand] = uses[operand] == 0 ? 1 : 2; };
  for (const Instruction& one : program.instructions) {
    const int count = operand_count(one.operation);
    if (count > 0) use(one.left);
    if (count > 1) use(one.right);
    if (count > 2) use(one.condition);
  }
  return uses;
}

}  // namespace pileus
