#include "publishing/static_turns.h"

#include "core/error.h"
#include "messaging/frames.h"
#include "publishing/owner/static_parts.h"

namespace pileus {

void StaticSender::send(Part part) {
  const Variable& variable = plan_.statics[part.record.variable.index];
  const ServerRank owner = plan_[variable.file].owner;
  if (bytes_in_file(plan_, variable) <= kMostInMemory || !part.record.value)
    return messages_.send(owner, encode(part, ServerFrame::static_part));
  part.lent = ++count_;
  messages_.send(owner, encode(StaticOffer{part.lent, part.record.value->size_bytes()}));
  ++counts_[{owner, part.client}];
  waiting_.emplace(part.lent, Waiting{owner, std::move(part)});
}

void StaticSender::send_in_turn(std::uint64_t number) {
  auto sent = waiting_.extract(number);
  if (sent.empty()) throw TransportError("a server asked for a part that it was not offered");
  const auto& [owner, part] = sent.mapped();
  messages_.send(owner, encode(part, ServerFrame::static_part));
  const auto left = counts_.find({owner, part.client});
  if (--left->second > 0) return;
  counts_.erase(left);
  if (ends_.erase({owner, part.client}) > 0) end_client(part.client, owner);
}

void StaticSender::end_client(ClientRank client, ServerRank server) {
  if (counts_.contains({server, client})) {
    ends_.emplace(server, client);
    return;
  }
  Bytes frame;
  Encoder out(frame);
  out.put(ServerFrame::client_end);
  out.put(client);
  messages_.send(server, std::move(frame));
}

void StaticTurns::ask(ServerRank from, std::uint64_t number, std::uint64_t bytes) {
  waiting_.push_back({from, number, bytes});
  give();
}

void StaticTurns::done(ServerRank from, std::uint64_t number) {
  const auto given = given_.extract({from, number});
  if (given.empty()) throw TransportError("a server sent a static part out of its turn");
  given_bytes_ -= given.mapped();
  give();
}

void StaticTurns::give() {
  while (!waiting_.empty() && (given_.empty() || given_bytes_ + waiting_.front().bytes <= kMostBytes)) {
    const Asked next = waiting_.front();
    waiting_.pop_front();
    given_.emplace(std::pair(next.from, next.number), next.bytes);
    given_bytes_ += next.bytes;
    messages_.send(next.from, encode_static_turn(next.number));
  }
}

}  // namespace pileus
