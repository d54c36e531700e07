#include "server/held_parcel.h"

#include <utility>

#include "streams/read_parcel.h"

namespace pileus {
namespace {

struct Held {
  Held(std::shared_ptr<const Message> whole, Gauge& gauge) : message(std::move(whole)), bytes(gauge) {
    bytes.add(static_cast<std::int64_t>(message->bytes().size()));
  }
  ~Held() { bytes.take_away(static_cast<std::int64_t>(message->bytes().size())); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  std::shared_ptr<const Message> message;
  Gauge& bytes;
  StepHold step;
};

}  // namespace

Arrival held_parcel(const Plan& plan, ClientRank client, std::shared_ptr<const Message> message, Gauge& bytes,
                    OpenSteps& steps) {
  const auto held = std::make_shared<Held>(std::move(message), bytes);
  const std::shared_ptr<const Message> shared(held, held->message.get());
  Parcel parcel = read_parcel(plan, client, shared);
  held->step = steps.hold(parcel.step.index);
  return {std::move(parcel), shared, held->step};
}

}  // namespace pileus
