#include "streams/lent_array.h"

#include <utility>

#include "core/error.h"

namespace pileus {
namespace {

/// Gives the array back to the model when nobody reads it any more.
struct GiveBack {
  std::shared_ptr<const Message> message;  // in which the loan lies
  std::shared_ptr<const void> memory;
  Loan* loan;
  void operator()(const std::byte*) const { loan->give_back(); }
};

/// Memory besides the message, for as long as that is held.
struct Copy {
  Copy(std::shared_ptr<const Message> whole, std::size_t size)
      : message(std::move(whole)), bytes(std::make_unique_for_overwrite<std::byte[]>(size)) {}
  std::shared_ptr<const Message> message;
  std::unique_ptr<std::byte[]> bytes;
};

/// Gives it back on destruction.
struct Claimed {
  Loan& loan;
  ~Claimed() { loan.give_back(); }
};

}  // namespace

std::shared_ptr<const std::byte> LentArray::claim(bool is_kept) {
  const Loan::State state = loan_.claim();
  if (state == Loan::taken_back) return {message_, place_.data()};
  if (state == Loan::none) throw TransportError("it is no loan any more");
  if (is_kept || bytes_.here == nullptr) return copy(state == Loan::read);
  return {bytes_.here, GiveBack{message_, bytes_.memory, &loan_}};
}

/// While the rank copies the array into the message, nobody else may write there.
std::shared_ptr<const std::byte> LentArray::copy(bool may_write_in_place) {
  const Claimed claimed{loan_};
  if (may_write_in_place) {
    bytes_.copy(place_);
    return {message_, place_.data()};
  }
  // It counts as the message does, until both are let go.
  const auto own = std::make_shared<Copy>(message_, place_.size());
  bytes_.copy({own->bytes.get(), place_.size()});
  return {own, own->bytes.get()};
}

std::shared_ptr<const void> LentArray::message_of(const std::shared_ptr<const std::byte>& bytes) {
  const auto* const lent = std::get_deleter<GiveBack>(bytes);
  return lent != nullptr ? std::shared_ptr<const void>(lent->message) : bytes;
}

}  // namespace pileus
