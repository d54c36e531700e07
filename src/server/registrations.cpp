#include "server/registrations.h"

#include <optional>

#include "client/frames.h"
#include "core/error.h"
#include "plan/sha256.h"

namespace pileus {

namespace {

std::string digest_of(std::span<const std::byte> bytes) {
  return planning::sha256({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace

/// A description has at least its lengths, so that none is empty.
std::uint32_t Registrations::number_of(const std::string& hash) {
  const auto [known, is_new] = by_hash_.try_emplace(hash, static_cast<std::uint32_t>(kinds_.size()));
  if (is_new) kinds_.emplace_back();
  return known->second;
}

bool Registrations::add(ClientRank client, Decoder& in) {
  const auto version = in.get<std::uint32_t>();
  if (version != kWireVersion) {
    throw TransportError("model rank " + std::to_string(client) + " speaks version " +
                         std::to_string(version) + " of the wire, the servers speak version " +
                         std::to_string(kWireVersion) + ": link the model with the Pileus of the servers");
  }
  const auto component = in.get<std::uint32_t>();
  if (component != kOnlyComponent.index) {
    throw TransportError("model rank " + std::to_string(client) + " registers for component " +
                         std::to_string(component) + ", but the servers of a run serve one component, 0");
  }
  const std::string hash = in.get_text();
  const bool is_new = !by_hash_.contains(hash);
  places_[client] = {number_of(hash), Bytes(in.rest().begin(), in.rest().end())};
  if (is_new) asked_[client] = hash;
  return is_new;
}

void Registrations::add_description(ClientRank client, Decoder& in) {
  const std::string hash = asked_.extract(client).mapped();
  const auto bytes = in.rest();
  if (digest_of(bytes) != hash)
    throw TransportError("model rank " + std::to_string(client) + " describes what it did not register");
  kinds_[number_of(hash)] = Bytes(bytes.begin(), bytes.end());
}

std::uint32_t Registrations::add_kind(std::span<const std::byte> bytes) {
  const std::uint32_t number = number_of(digest_of(bytes));
  kinds_[number] = Bytes(bytes.begin(), bytes.end());
  return number;
}

void Registrations::add_all(Decoder& in, const std::function<bool(ClientRank)>& may_speak_for) {
  std::vector<std::uint32_t> kinds;
  for (std::size_t i = in.get_length(8); i > 0; --i) kinds.push_back(add_kind(in.get_raw(in.get_length(1))));
  for (std::size_t i = in.get_length(3); i > 0; --i) {
    const std::uint64_t client = get_number(in), kind = get_number(in), size = get_number(in);
    if (client > UINT32_MAX || !may_speak_for(static_cast<ClientRank>(client)))
      throw TransportError("a server speaks for a model rank that it does not serve");
    if (kind >= kinds.size()) throw TransportError("a message holds a model rank of no kind");
    const auto spans = in.get_raw(size);
    places_[static_cast<ClientRank>(client)] = {kinds[kind], Bytes(spans.begin(), spans.end())};
  }
}

Bytes Registrations::encode(ServerFrame kind) const {
  Bytes frame;
  Encoder out(frame);
  out.put(kind);
  out.put(static_cast<std::uint64_t>(kinds_.size()));
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    out.put(static_cast<std::uint64_t>(kinds_[k].size()));
    out.put_raw(kinds_[k]);
  }
  out.put(static_cast<std::uint64_t>(places_.size()));
  for (const auto& [client, place] : places_) {
    put_number(out, client);
    put_number(out, place.kind);
    put_number(out, place.spans.size());
    out.put_raw(place.spans);
  }
  return frame;
}

ModelRanks Registrations::model() const {
  ModelRanks model;
  std::vector<std::optional<std::uint32_t>> number(kinds_.size());
  for (const auto& [client, place] : places_) {
    std::optional<std::uint32_t>& kind = number[place.kind];
    if (!kind) kind = model.add_kind(kinds_[place.kind]);
    model.add(*kind, place.spans);
  }
  return model;
}

RankDescription Registrations::of_first() const {
  ModelRanks first;
  const Place& place = places_.begin()->second;
  first.add(first.add_kind(kinds_[place.kind]), place.spans);
  return first[0];
}

}  // namespace pileus
