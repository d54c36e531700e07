#pragma once
// What model ranks register, on its way up the servers: what is the same on ranks once, and for each rank the
// few bytes that say where it lies (core/model_ranks.h). A server asks one rank for what is the same, however
// many of its ranks have it. Nobody reads it before server 0 has all.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/ids.h"
#include "core/model_ranks.h"
#include "messaging/frames.h"

namespace pileus {

class Registrations {
 public:
  /// `expected`: number of model ranks that register here, or with servers below this one.
  explicit Registrations(std::size_t expected) : expected_(expected) {}

  /// The bytes of a registration frame after its kind. True if the rank has to be asked for its description,
  /// as nobody has been before. Errors: TransportError if the versions differ.
  [[nodiscard]] bool add(ClientRank client, Decoder& in);
  /// Tells whether this rank was asked.
  bool expects_description(ClientRank client) const { return asked_.contains(client); }
  /// Its answer. REQUIRES: it was asked. Errors: TransportError if it is not what its hash was of.
  void add_description(ClientRank client, Decoder& in);
  /// A frame of the kind registrations or questions, after its kind. `may_speak_for`: whether its sender has
  /// this model rank below it. Errors: TransportError if it has not.
  void add_all(Decoder& in, const std::function<bool(ClientRank)>& may_speak_for);
  bool is_complete() const { return places_.size() == expected_ && asked_.empty(); }
  bool is_empty() const { return places_.empty(); }
  bool has(ClientRank client) const { return places_.contains(client); }
  /// For the server above. `kind`: registrations or questions. REQUIRES: it is complete.
  Bytes encode(ServerFrame kind) const;
  /// All ranks, in their order. Errors: TransportError if a rank sent what is no registration.
  /// REQUIRES: it is complete.
  ModelRanks model() const;
  /// What the first rank registers, without a look at the others. Errors and REQUIRES as for all.
  RankDescription of_first() const;

 private:
  struct Place {
    std::uint32_t kind = 0;
    Bytes spans;
  };
  std::uint32_t number_of(const std::string& hash);
  std::uint32_t add_kind(std::span<const std::byte> bytes);

  std::size_t expected_;
  std::map<std::string, std::uint32_t> by_hash_;
  std::vector<Bytes> kinds_;                 ///< by number; empty while it is not known
  std::map<ClientRank, std::string> asked_;  ///< who has not answered, with the hash
  std::map<ClientRank, Place> places_;
};

}  // namespace pileus
