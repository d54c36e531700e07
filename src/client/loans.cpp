#include "client/loans.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace pileus {

void Loans::expect(std::size_t loans) {
  lent_.reserve(lent_.size() + loans);
  kept_.reserve(kept_.size() + 1);
}

void Loans::add(const std::vector<LentField>& lent, std::shared_ptr<void> kept) noexcept {
  lent_.insert(lent_.end(), lent.begin(), lent.end());
  kept_.push_back(std::move(kept));
  for (const LentField& field : lent) lent_bytes_ += field.size_bytes;
}

void Loans::settle(ServerLink& link, const std::function<bool()>& has_server_gone) {
  if (lent_.empty()) return;
  take_back();
  if (!are_settled()) {
    const auto began = std::chrono::steady_clock::now();
    link.wait_for_loans([&] { return are_settled() || has_server_gone(); });
    waited_ += std::chrono::steady_clock::now() - began;
  }
  forget();
}

void Loans::take_back() noexcept {
  for (const LentField& field : lent_) {
    if (!field.loan->begin_taking_back()) continue;
    std::memcpy(field.place, field.array, field.size_bytes);
    if (field.loan->end_taking_back()) taken_back_bytes_ += field.size_bytes;
  }
}

void Loans::forget() noexcept {
  lent_.clear();
  kept_.clear();
}

bool Loans::are_settled() const {
  return std::ranges::all_of(lent_, [](const LentField& field) { return field.loan->is_settled(); });
}

}  // namespace pileus
