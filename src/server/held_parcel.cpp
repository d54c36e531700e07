#include "server/held_parcel.h"

#include <utility>

namespace pileus {
namespace {

struct HeldMessage {
  HeldMessage(std::shared_ptr<const Message> whole, Gauge& gauge) : message(std::move(whole)), bytes(gauge) {
    bytes.add(static_cast<std::int64_t>(message->bytes().size()));
  }
  ~HeldMessage() { bytes.take_away(static_cast<std::int64_t>(message->bytes().size())); }
  HeldMessage(const HeldMessage&) = delete;
  HeldMessage& operator=(const HeldMessage&) = delete;

  std::shared_ptr<const Message> message;
  Gauge& bytes;
  StepHold step;
};

}  // namespace

Arrival held_parcel(ParcelReader& reader, ClientRank client, std::shared_ptr<const Message> message,
                    const Lender* lender, Gauge& bytes, OpenSteps& steps) {
  const auto held = std::make_shared<HeldMessage>(std::move(message), bytes);
  const std::shared_ptr<const Message> shared(held, held->message.get());
  Parcel parcel = reader.read(client, shared, lender);
  held->step = steps.hold(parcel.step.index);
  const bool may_be_laid_aside = parcel.lent.empty();
  return {std::move(parcel), may_be_laid_aside ? shared : nullptr, held->step};
}

Arrival parcel_again(ParcelReader& reader, ClientRank client, std::shared_ptr<const Message> message,
                     bool was_read, Gauge& bytes, OpenSteps& steps) {
  if (was_read) return held_parcel(reader, client, std::move(message), nullptr, bytes, steps);
  return {reader.read(client, message), message, nullptr};
}

}  // namespace pileus
