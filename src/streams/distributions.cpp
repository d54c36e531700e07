#include "streams/distributions.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "analytics/sample_code.h"
#include "core/error.h"
#include "messaging/frames.h"

namespace pileus {

Distributions::Distributions(const Plan& plan, ServerRank self, Messages& messages, const ClientFeeds& feeds)
    : plan_(plan), messages_(messages), feeds_(feeds) {
  std::vector<ServerRank> all(plan.layout.servers);
  std::iota(all.begin(), all.end(), ServerRank{0});
  for (const Distribution& distribution : plan.distributions)
    seats_.push_back(tree_seat(all, distribution.root, self));
}

void Distributions::send(std::size_t distribution, std::int64_t step, const BroadcastValues& values) const {
  Bytes frame;
  Encoder out(frame);
  out.put(ServerFrame::distribution);
  out.put(static_cast<std::uint32_t>(distribution));
  out.put(step);
  out.put(static_cast<std::uint64_t>(values.size()));
  for (const auto& [value, sample] : values) {
    out.put(value.index);
    encode_sample(sample, out);
  }
  pass_on(distribution, frame);
  hand_to_clients(step, values);
}

void Distributions::take(ServerRank from, Decoder& in) const {
  Bytes frame;
  Encoder out(frame);
  out.put(ServerFrame::distribution);
  out.put_raw(Decoder(in).rest());

  const auto distribution = in.get<std::uint32_t>();
  const auto step = in.get<std::int64_t>();
  if (distribution >= plan_.distributions.size()) {
    throw TransportError("values came for all servers that the plan does not know");
  }
  if (seats_[distribution].parent != from)
    throw TransportError("server " + std::to_string(from) +
                         " sends values down a tree in which it is not above this one");
  const BroadcastValues values = decode_values(in);
  pass_on(distribution, frame);
  hand_to_clients(step, values);
}

BroadcastValues Distributions::decode_values(Decoder& in) const {
  BroadcastValues values;
  for (std::size_t i = in.get_length(5); i > 0; --i) {
    const ValueId value(in.get<std::uint32_t>());
    Sample sample = decode_sample(in);
    const bool is_broadcast = value.index < plan_.values.size() && plan_[value].rule.is_valid() &&
                              std::holds_alternative<Broadcast>(plan_[plan_[value].rule].action);
    if (!is_broadcast || (!is_absent(sample) && extents(sample) != plan_.extents(value))) {
      throw TransportError("values came for all servers that have another shape in the plan");
    }
    values.emplace_back(value, std::move(sample));
  }
  return values;
}

void Distributions::pass_on(std::size_t distribution, const Bytes& frame) const {
  for (ServerRank child : seats_[distribution].children) messages_.send(child, frame);
}

void Distributions::hand_to_clients(std::int64_t step, const BroadcastValues& values) const {
  const auto shared = std::make_shared<const BroadcastValues>(values);
  const bool is_for_all =
      std::ranges::any_of(values, [&](const auto& value) { return plan_[value.first].is_everywhere; });
  for (const auto& [rank, feed] : feeds_) {
    if (is_for_all || rank == 0) feed->settle(step, shared);
  }
}

}  // namespace pileus
