#include "client/lending.h"

#include <algorithm>

#include "client/loan_frames.h"

namespace pileus {

void* Lending::allocate(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  memories_.reserve(memories_.size() + 1);
  Memory memory{ModelMemory::make(bytes, link_.may_share_memory())};
  const auto address = memory.memory->address();
  if (address) memory.token = address->token;
  memory.answer = address ? Answer::wanted : Answer::no;
  memories_.push_back(memory);
  return memory.memory->first();
}

std::optional<Lending::Place> Lending::find(const std::byte* first, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto is_readable = [](Answer& answer) {
    if (answer == Answer::not_asked) answer = Answer::wanted;
    return answer == Answer::yes;
  };
  for (Memory& memory : memories_) {
    if (!memory.memory->has(first, bytes)) continue;
    if (is_readable(memory.answer)) return Place{memory.token, memory.memory->offset_of(first)};
    if (memory.answer != Answer::no) return std::nullopt;
    break;
  }
  return is_readable(elsewhere_) ? std::optional(Place{}) : std::nullopt;
}

void Lending::go_on() {
  const std::lock_guard lock(mutex_);
  take_answers();
  let_go();
  ask();
}

void Lending::take_answers() {
  for (const LoanAnswer& answer : link_.take_loan_answers()) {
    const Answer given = answer.is_readable ? Answer::yes : Answer::no;
    server_ = answer.server;
    is_server_seen_ = may_copy_from(server_);
    if (answer.memory == 0) elsewhere_ = given;
    for (Memory& memory : memories_) {
      if (memory.token != answer.memory || memory.answer != Answer::asked) continue;
      memory.answer = given;
      memory.memory->close();  // the server has it, or never will
    }
  }
}

void Lending::let_go() {
  std::erase_if(memories_, [&](const Memory& memory) {
    if (!memory.memory->is_given_back()) return false;
    if (memory.answer == Answer::yes || memory.answer == Answer::asked)
      link_.send_bytes(LoanEnd{memory.token}.encode());
    return true;
  });
}

void Lending::ask() {
  const bool is_any_wanted =
      elsewhere_ == Answer::wanted ||
      std::ranges::any_of(memories_, [](const Memory& memory) { return memory.answer == Answer::wanted; });
  if (!is_any_wanted) return;
  link_.share_memory();  // in which the loans lie
  for (Memory& memory : memories_) {
    if (memory.answer != Answer::wanted) continue;
    link_.send_bytes(LoanQuestion{own_copy_probe(), *memory.memory->address()}.encode());
    memory.answer = Answer::asked;
  }
  if (elsewhere_ != Answer::wanted) return;
  link_.send_bytes(LoanQuestion{own_copy_probe()}.encode());
  elsewhere_ = Answer::asked;
}

}  // namespace pileus
