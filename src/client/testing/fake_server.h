#pragma once
// For tests: an endpoint whose other side is a script. What the client sends is kept byte for byte; what it
// receives and when it finds memory is written down beforehand.

#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "client/client.h"
#include "client/frames.h"
#include "core/encoder.h"

namespace pileus {

struct SentMessage {
  Channel channel = 0;
  Bytes bytes;

  template <class T>
  T at(std::size_t offset) const {
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
  }
  FrameKind kind() const { return at<FrameKind>(0); }
  ParcelHeader header() const { return at<ParcelHeader>(0); }
  FieldEntry entry(std::size_t i) const {
    return at<FieldEntry>(sizeof(ParcelHeader) + i * sizeof(FieldEntry));
  }
};

class FakeServer : public Endpoint {
 public:
  std::vector<SentMessage> sent;
  std::deque<Bytes> replies;
  std::size_t budget_bytes = 0;
  int claims_to_refuse = 0;  ///< of metered channels
  bool is_control_broken = false;
  int rests = 0, rests_until_sent = 0;
  int receives = 0;  ///< calls that ask for a message
  int open_slots = 0;
  bool is_far = false;    ///< on another node
  std::byte stale{0xEE};  ///< what memory holds before it is written

  void reply_demand(const Demand& demand, const std::vector<StepLimit>& limits = {}) {
    Encoder out(replies.emplace_back());
    out.put(FrameKind::demand);
    demand.encode(out);
    encode(limits, out);
  }
  void reply_wants(const Wants& wants) {
    Encoder out(replies.emplace_back());
    out.put(FrameKind::wants);
    out.put(true);
    wants.encode(out);
  }
  void reply_text(FrameKind kind, std::string_view text) {
    Encoder out(replies.emplace_back());
    out.put(kind);
    out.put(text);
  }
  void reply_farewell(std::uint32_t status, std::string_view text) {
    Encoder out(replies.emplace_back());
    out.put(FrameKind::farewell);
    out.put(status);
    out.put(text);
  }
  std::vector<SentMessage> sent_of(FrameKind kind) const {
    std::vector<SentMessage> found;
    for (const SentMessage& message : sent)
      if (message.kind() == kind) found.push_back(message);
    return found;
  }

  Peer self() const override { return 0; }
  Peer size() const override { return 2; }
  bool is_near(Peer) const override { return !is_far; }
  void set_budget(Peer, std::size_t bytes) override { budget_bytes = bytes; }
  std::unique_ptr<Slot> claim(Peer, Channel channel, std::size_t bytes) override {
    if (channel == kControl && is_control_broken) throw std::bad_alloc();
    if (channel != kControl && claims_to_refuse > 0) {
      --claims_to_refuse;
      return nullptr;
    }
    return std::make_unique<FakeSlot>(*this, channel, bytes);
  }
  void commit(std::unique_ptr<Slot> slot) override {
    const auto& fake = static_cast<FakeSlot&>(*slot);
    sent.push_back({fake.channel, {fake.buffer.get(), fake.buffer.get() + fake.size}});
  }
  std::shared_ptr<Message> receive() override {
    ++receives;
    if (replies.empty()) return nullptr;
    auto message = std::make_unique<FakeMessage>(std::move(replies.front()));
    replies.pop_front();
    return message;
  }
  void rest(std::chrono::microseconds) override { ++rests; }
  bool is_all_sent() override { return true; }
  bool has_anything_under_way() const override { return rests < rests_until_sent; }

 private:
  struct FakeSlot : Slot {
    FakeSlot(FakeServer& owner, Channel c, std::size_t n)
        : server(owner), channel(c), size(n), buffer(new std::byte[n]) {
      std::fill_n(buffer.get(), n, owner.stale);
      ++server.open_slots;
    }
    ~FakeSlot() override { --server.open_slots; }
    std::span<std::byte> bytes() override { return {buffer.get(), size}; }
    FakeServer& server;
    Channel channel;
    std::size_t size;
    std::unique_ptr<std::byte[]> buffer;
  };
  struct FakeMessage : Message {
    explicit FakeMessage(Bytes b) : content(std::move(b)) {}
    Peer from() const override { return 1; }
    std::span<const std::byte> bytes() const override { return content; }
    Bytes content;
  };
};

/// A demand for one group, of which every step wants the fields.
inline Demand demand_for(std::vector<FieldDemand> fields) {
  Demand demand;
  demand.needs = {{1, 0}};
  demand.budget_bytes = 1 << 20;
  demand.groups = {{"state", 1, std::move(fields)}};
  return demand;
}

/// The text of the UsageError that the call throws; "" if it throws none.
inline std::string complaint(const std::function<void()>& call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

}  // namespace pileus
