#include "transport/shared/shared_endpoint.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/log.h"
#include "transport/naps.h"
#include "transport/shared/shared_letters.h"

namespace pileus {
namespace {

/// Who has had nothing to do for so long sleeps deep, until somebody sends. That takes the sender up to
/// 90 us, a thousandth of it.
constexpr std::chrono::milliseconds kQuiet{100};

/// After so long a parting waits no longer for what others do not take.
constexpr std::chrono::seconds kParting{5};

}  // namespace

SharedEndpoint::SharedEndpoint(std::unique_ptr<Endpoint> below, std::span<const Peer> on_node,
                               std::shared_ptr<SharedMemory> memory_for_bell, Offers offers,
                               std::function<void()> meanwhile)
    : below_(std::move(below)),
      offers_(offers),
      meanwhile_(std::move(meanwhile)),
      own_bell_(std::move(memory_for_bell)) {
  for (const Peer peer : on_node) {
    if (peer != self()) neighbours_[peer];
  }
}

SharedEndpoint::~SharedEndpoint() {
  try {
    const auto end = std::chrono::steady_clock::now() + kParting;
    while (!are_near_ones_sent() && std::chrono::steady_clock::now() < end) {
      while (receive()) {
      }
      rest(kShortestNap);
      if (meanwhile_) meanwhile_();
    }
  } catch (const std::exception& error) {
    log::warning(std::string("while the transport ended: ") + error.what());
  }
}

void SharedEndpoint::set_budget(Peer to, std::size_t bytes) {
  const auto found = neighbours_.find(to);
  if (found == neighbours_.end()) return below_->set_budget(to, bytes);
  Neighbour& neighbour = found->second;
  neighbour.budget_bytes = bytes;
  if (offers_ == Offers::when_budget_is_set) share_memory_with(to);
  if (neighbour.outgoing) neighbour.outgoing->budget().set(bytes);
  set_budget_below(to);
}

/// Envelopes are nothing that the model hands over.
void SharedEndpoint::set_budget_below(Peer to) {
  const Neighbour& neighbour = neighbours_.at(to);
  const std::size_t envelopes = neighbour.outgoing ? kMostUnreceived * kEnvelopeBytes : 0;
  below_->set_budget(to, std::min(neighbour.budget_bytes, SIZE_MAX - envelopes) + envelopes);
}

void SharedEndpoint::share_memory_with(Peer to) {
  const Neighbour* const neighbour = find(to);
  if (neighbour == nullptr || neighbour->outgoing || neighbour->was_answered) return;
  if (neighbour->budget_bytes <= kLargestBudget) offer(to);
}

/// Without memory to share the pair goes on with MPI.
void SharedEndpoint::offer(Peer to) {
  Neighbour& neighbour = neighbours_.at(to);
  try {
    neighbour.outgoing = std::make_shared<Outgoing>(neighbour.budget_bytes);
    neighbour.outgoing->budget().set(neighbour.budget_bytes);
    set_budget_below(to);
  } catch (const std::exception& error) {
    neighbour.was_answered = true;
    log::debug(std::string(error.what()) + "; messages to rank " + std::to_string(to) + " go by MPI");
    return;
  }
  send_word(to, Envelope::offer, neighbour.outgoing->address());
}

void SharedEndpoint::send_word(Peer to, std::uint32_t word, const MemoryAddress& segment,
                               std::uint64_t note) {
  std::unique_ptr<Slot> slot = below_->claim(to, kControl, kEnvelopeBytes);
  std::ranges::fill(slot->bytes(), std::byte{0});
  write(slot->bytes(), {.word = word, .note = note, .segment = segment, .bell = own_bell_.address()});
  below_->commit(std::move(slot));
}

void SharedEndpoint::take_offer(Peer from, const MemoryAddress& segment, const MemoryAddress& bell) {
  Neighbour& neighbour = neighbours_.at(from);
  try {
    const auto memory = std::make_shared<SharedMemory>(segment);
    auto incoming = Segment::join(memory);
    auto sender = std::make_shared<SharedMemory>(bell);
    memory->close();
    sender->close();
    neighbour.sender = std::make_shared<Bell>(std::move(sender));
    neighbour.incoming = std::move(incoming);
  } catch (const TransportError& error) {
    log::debug(std::string(error.what()) + "; messages of rank " + std::to_string(from) + " come by MPI");
    return send_word(from, Envelope::refusal);
  }
  if (std::ranges::find(senders_, from) == senders_.end()) senders_.push_back(from);
  log::debug("messages of rank " + std::to_string(from) + " come through shared memory");
  send_word(from, Envelope::acceptance);
}

/// May be called again for the same acceptance, where memory was short.
void SharedEndpoint::take_acceptance(Peer from, const MemoryAddress& bell) {
  Outgoing& outgoing = *neighbours_.at(from).outgoing;
  receivers_.reserve(receivers_.size() + 1);
  try {
    auto memory = std::make_shared<SharedMemory>(bell);
    memory->close();
    outgoing.set_receiver(std::make_unique<Bell>(std::move(memory)));
  } catch (const TransportError& error) {
    log::debug(std::string(error.what()) + "; rank " + std::to_string(from) +
               " looks for messages by itself");
  }
  if (!outgoing.is_joined()) outgoing.join();
  send_word(from, Envelope::switched, {}, outgoing.wakes_receiver() ? 1 : 0);
  outgoing.open();
  receivers_.push_back(from);
}

std::unique_ptr<Slot> SharedEndpoint::claim(Peer to, Channel channel, std::size_t bytes) {
  const Neighbour* const neighbour = find(to);
  if (neighbour == nullptr || (!neighbour->outgoing && channel != kUrgent)) {
    std::unique_ptr<Slot> below = below_->claim(to, channel, bytes);
    return below ? std::make_unique<SharedSlot>(to, nullptr, 0, std::move(below)) : nullptr;
  }
  const std::shared_ptr<Outgoing>& outgoing = neighbour->outgoing;
  // What passes others is told apart even if it is claimed before this one offers memory, and sent later.
  if (channel == kUrgent) return claim_below(to, channel, bytes, 0);
  outgoing->progress();
  if (!outgoing->budget().take(channel, bytes)) return nullptr;
  std::uint64_t offset = 0;
  try {
    if (outgoing->is_open()) offset = outgoing->take(channel, bytes).value_or(0);
    if (offset != 0) return std::make_unique<SharedSlot>(to, outgoing, offset, bytes);
    if (channel != kControl) offset = outgoing->take_note(channel, bytes).value_or(0);
    // Until the peer has the segment, which it may refuse, the endpoint below counts too.
    const Channel below = outgoing->is_open() ? kControl : channel;
    if (offset != 0) return claim_below(to, below, bytes, offset);
  } catch (const std::bad_alloc&) {
    offset != 0 ? outgoing->drop(offset) : outgoing->budget().drop(channel, bytes);
    throw;
  }
  outgoing->budget().drop(channel, bytes);  // which the endpoint below counts
  return claim_below(to, channel, bytes, 0);
}

/// `note`: of the release, 0 without one; it is dropped where nothing can be claimed.
std::unique_ptr<Slot> SharedEndpoint::claim_below(Peer to, Channel below, std::size_t bytes,
                                                  std::uint64_t note) {
  const std::shared_ptr<Outgoing>& outgoing = neighbours_.at(to).outgoing;
  std::unique_ptr<Slot> slot = below_->claim(to, below, kEnvelopeBytes + bytes);
  if (!slot) {
    if (note != 0) outgoing->drop(note);
    return nullptr;
  }
  auto enclosed = std::make_unique<SharedSlot>(to, outgoing, note, std::move(slot));
  enclosed->enclose(below == kUrgent);
  return enclosed;
}

void SharedEndpoint::commit(std::unique_ptr<Slot> slot) {
  auto& filled = static_cast<SharedSlot&>(*slot);
  const bool goes_below = filled.below() != nullptr;
  // A message that was claimed before the peer had the segment comes in its turn too.
  const bool has_queue = !filled.is_urgent() && shares_memory_with(filled.to());
  Outgoing* const queue = has_queue ? neighbours_.at(filled.to()).outgoing.get() : nullptr;
  if (queue != nullptr) queue->line_up({filled.offset(), goes_below});
  if (goes_below) {
    const auto word = filled.is_urgent() ? Envelope::urgent : Envelope::message;
    if (filled.is_enclosed())
      write(filled.below()->bytes(), {.word = word, .note = queue != nullptr ? 0 : filled.offset()});
    try {
      below_->commit(std::move(filled.below()));
    } catch (...) {
      if (queue != nullptr) queue->take_back();
      throw;
    }
  }
  if (filled.is_urgent() && shares_memory_with(filled.to())) filled.outgoing().wake_receiver();
  const std::uint64_t offset = filled.take_offset();
  if (queue != nullptr) {
    queue->send_waiting();
  } else if (offset != 0) {
    filled.outgoing().note_early(offset);
  }
}

std::shared_ptr<Message> SharedEndpoint::receive() {
  progress();
  if (next_) return std::exchange(next_, nullptr);
  is_belows_turn_ = !is_belows_turn_;
  std::shared_ptr<Message> message = is_belows_turn_ ? receive_below() : receive_near();
  if (!message) message = is_belows_turn_ ? receive_near() : receive_below();
  if (!message) message = receive_near();  // of which a part may have come below just now
  if (message) idle_since_ = std::chrono::steady_clock::now();
  return message;
}

/// One of each sender in turn.
std::shared_ptr<Message> SharedEndpoint::receive_near() {
  for (std::size_t i = 0; i < senders_.size(); ++i) {
    const Peer from = senders_[next_sender_ % senders_.size()];
    next_sender_ = (next_sender_ + 1) % senders_.size();
    if (std::shared_ptr<Message> message = receive_near(from)) return message;
  }
  return nullptr;
}

std::shared_ptr<Message> SharedEndpoint::receive_near(Peer from) {
  Neighbour& neighbour = neighbours_.at(from);
  if (!neighbour.has_switched) return nullptr;
  const std::optional<SegmentEntry> entry = neighbour.incoming->front();
  if (!entry || (entry->comes_another_way && neighbour.other_way.empty())) return nullptr;
  if (!entry->is_message()) throw TransportError("a process of this node has put no message in its place");
  std::shared_ptr<Message> below = entry->comes_another_way ? neighbour.other_way.front() : nullptr;
  auto message = std::make_shared<SharedMessage>(from, neighbour.incoming, neighbour.sender, entry->offset,
                                                 std::move(below));
  if (entry->comes_another_way) neighbour.other_way.pop_front();
  neighbour.incoming->pop();
  return message;
}

std::shared_ptr<Message> SharedEndpoint::receive_below() {
  for (;;) {
    if (!unsorted_) unsorted_ = below_->receive();
    if (!unsorted_) return nullptr;
    std::shared_ptr<Message> sorted =
        sort(unsorted_);  // which may fail for lack of memory, and is tried again
    unsorted_ = nullptr;
    if (sorted) return sorted;
  }
}

/// Takes words, and what the segment will name; gives on what is next.
std::shared_ptr<Message> SharedEndpoint::sort(const std::shared_ptr<Message>& message) {
  const Peer from = message->from();
  const auto found = neighbours_.find(from);
  if (found == neighbours_.end()) return message;
  Neighbour& neighbour = found->second;
  if (!is_enclosed(message->bytes())) return next_or_held(neighbour, message);
  Envelope envelope;
  std::memcpy(&envelope, message->bytes().data(), sizeof envelope);
  switch (envelope.word) {
    case Envelope::message: break;
    case Envelope::urgent: return std::make_shared<SharedMessage>(from, nullptr, nullptr, 0, message);
    case Envelope::offer: take_offer(from, envelope.segment, envelope.bell); return nullptr;
    case Envelope::acceptance:
      neighbour.was_answered = true;
      if (neighbour.outgoing) take_acceptance(from, envelope.bell);
      return nullptr;
    case Envelope::refusal:
      neighbour.was_answered = true;
      neighbour.outgoing = nullptr;
      set_budget_below(from);
      return nullptr;
    case Envelope::switched:
      neighbour.has_switched = neighbour.incoming != nullptr;
      neighbour.wakes_this_one = neighbour.has_switched && envelope.note != 0;
      if (neighbour.has_switched) take_begin(neighbour);
      return nullptr;
    default: throw TransportError("rank " + std::to_string(from) + " sent an envelope that nobody knows");
  }
  if (neighbour.has_switched) return next_or_held(neighbour, message);
  const std::uint64_t note =
      neighbour.incoming ? envelope.note : 0;  // whoever refused memory releases nothing
  if (note != 0 && !neighbour.incoming->has_block(note))
    throw TransportError("rank " + std::to_string(from) + " sent an envelope that nobody knows");
  return std::make_shared<SharedMessage>(from, neighbour.incoming, neighbour.sender, note, message);
}

/// The message, unless its turn is in the queue of the segment.
std::shared_ptr<Message> SharedEndpoint::next_or_held(Neighbour& neighbour,
                                                      const std::shared_ptr<Message>& message) {
  if (!neighbour.has_switched) return message;
  neighbour.other_way.push_back(message);
  return nullptr;
}

/// The entry that is no message. REQUIRES: the sender has begun to use the segment.
void SharedEndpoint::take_begin(Neighbour& neighbour) {
  const std::optional<SegmentEntry> entry = neighbour.incoming->front();
  if (!entry || entry->is_message()) throw TransportError("a process of this node did not begin as agreed");
  neighbour.incoming->pop();
}

bool SharedEndpoint::has_news() const {
  const auto has_room = [&](Peer to) { return neighbours_.at(to).outgoing->has_news(); };
  return has_messages() || std::ranges::any_of(receivers_, has_room);
}

bool SharedEndpoint::has_messages() const {
  return std::ranges::any_of(senders_, [&](Peer from) {
    const Neighbour& neighbour = neighbours_.at(from);
    if (!neighbour.has_switched) return false;
    const std::optional<SegmentEntry> entry = neighbour.incoming->front();
    return entry && (!entry->comes_another_way || !neighbour.other_way.empty());
  });
}

void SharedEndpoint::progress() noexcept {
  for (const Peer to : receivers_) neighbours_.at(to).outgoing->progress();
}

void SharedEndpoint::rest(std::chrono::microseconds limit) {
  progress();
  if (!next_) next_ = receive_below();
  const auto now = std::chrono::steady_clock::now();
  const bool has_something = next_ || has_messages();
  if (has_something || is_something_behind() || !below_->is_all_sent() || has_anything_under_way())
    idle_since_ = now;
  if (has_something) return;
  const auto idle = std::chrono::duration_cast<std::chrono::microseconds>(now - idle_since_);
  if (idle < kQuiet) {
    own_bell_.sleep(std::min(limit, nap_after(idle)), [this] { return has_news(); });
    return;
  }
  // Others, who are not near, wake nobody.
  const auto longest = is_woken_by_all() ? limit : std::min(limit, nap_after(idle));
  const bool was_rung = own_bell_.sleep(
      longest, [this] { return has_news() || is_something_behind(); }, Bell::deep);
  // What one is woken for may be on its way through the endpoint below.
  if (was_rung) idle_since_ = std::chrono::steady_clock::now();
}

/// Whether a neighbour has said that a message comes through the endpoint below, which is not there yet.
bool SharedEndpoint::is_something_behind() const {
  return std::ranges::any_of(senders_, [&](Peer from) {
    const Neighbour& neighbour = neighbours_.at(from);
    if (!neighbour.has_switched) return false;
    const std::optional<SegmentEntry> entry = neighbour.incoming->front();
    return entry && entry->comes_another_way && neighbour.other_way.empty();
  });
}

bool SharedEndpoint::is_woken_by_all() const {
  const auto others = static_cast<std::size_t>(size()) - 1;
  return static_cast<std::size_t>(std::ranges::count_if(
             senders_, [&](Peer from) { return neighbours_.at(from).wakes_this_one; })) == others;
}

bool SharedEndpoint::is_all_sent() {
  progress();
  return below_->is_all_sent() && are_near_ones_sent();
}

bool SharedEndpoint::are_near_ones_sent() const {
  return std::ranges::all_of(receivers_, [&](Peer to) { return neighbours_.at(to).outgoing->is_all_sent(); });
}

const SharedEndpoint::Neighbour* SharedEndpoint::find(Peer peer) const {
  const auto found = neighbours_.find(peer);
  return found != neighbours_.end() ? &found->second : nullptr;
}

bool SharedEndpoint::shares_memory_with(Peer to) const {
  const Neighbour* const neighbour = find(to);
  return neighbour != nullptr && neighbour->outgoing && neighbour->outgoing->is_open();
}

}  // namespace pileus
