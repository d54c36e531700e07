#pragma once
// A field of a parcel that the model rank lends: it lies in the model's array until the rank's next step
// begins, and in the parcel after that. Whoever analyses the step claims it first.

#include <memory>
#include <span>

#include "transport/endpoint.h"
#include "transport/shared/lender.h"
#include "transport/shared/loan.h"

namespace pileus {

class LentArray {
 public:
  /// `place`: in the message, for the array if either side copies it.
  LentArray(std::shared_ptr<const Message> message, Loan& loan, LentBytes bytes, std::span<std::byte> place)
      : message_(std::move(message)), loan_(loan), bytes_(std::move(bytes)), place_(place) {}

  /// The numbers. `is_kept`: they are needed for longer than the analysis of the step, so they are copied.
  /// Otherwise the rank's next step waits until the last copy of the pointer goes, if they are not in the
  /// parcel already. Any thread, once. Errors: TransportError if the rank's process has gone.
  std::shared_ptr<const std::byte> claim(bool is_kept);

  /// What a pointer that claim() returned keeps of the parcel, or the pointer itself, so that it may be held
  /// without keeping the model's array.
  static std::shared_ptr<const void> message_of(const std::shared_ptr<const std::byte>& bytes);

 private:
  std::shared_ptr<const std::byte> copy(bool may_write_in_place);

  std::shared_ptr<const Message> message_;
  Loan& loan_;
  LentBytes bytes_;
  std::span<std::byte> place_;
};

}  // namespace pileus
