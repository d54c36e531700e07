#pragma once
// The fields on points of one group of the model, as servers deal them out: what each model rank of this
// server hands over goes to the servers whose streams have those points, and what comes for its own streams
// is put together. One step is a key, which closes when all of it has come; nobody waits for it. A strand of
// its own.

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analytics/local_analysis.h"
#include "core/cost.h"
#include "core/error_list.h"
#include "exec/strand.h"
#include "messaging/messages.h"
#include "points/directory.h"
#include "watch/exchange_steps.h"

namespace pileus {

class Dealing {
 public:
  /// `clients`: the model ranks of this server, rising; at least one. REQUIRES: what is passed outlives it.
  Dealing(const Plan& plan, GroupId group, ServerRank self, std::vector<ClientRank> clients,
          const PointDirectory& directory, Executor& workers, Messages& messages, ErrorList& errors,
          SettledPoints& dealt);

  /// The calls that follow return at once and may come from any thread.
  void add(ClientRank client, std::int64_t step, PointSamples samples);
  /// The rank hands over nothing after `last_step`. Order: after its last samples.
  void end_client(ClientRank client, std::int64_t last_step);
  /// The clock has come to a step, which wants these fields, and `hold` holds it.
  void advance(std::int64_t step, std::vector<FieldId> fields, std::shared_ptr<const void> hold);
  /// A frame of another server, behind the number of the group. Its bytes stay alive with `message`.
  /// Errors: TransportError where nothing is expected of the server. What cannot be in the frame is thrown on
  /// the strand, so that the run stops: the step could not be complete.
  void receive(ServerRank from, const Decoder& in, std::shared_ptr<const void> message);

  /// Its strand says what the first open step waits for. `sent_through` has the last step that each rank has
  /// handed over.
  void tell_waits(const std::shared_ptr<Waits>& waits, std::map<ClientRank, std::int64_t> sent_through);

  /// The calls that follow are to be made when nothing runs. The first names the steps that are not complete.
  std::vector<std::string> open_texts() const;
  /// What was spent, and the name that reports give it.
  std::pair<std::string, Cost> cost() const { return {name(), cost_}; }

 private:
  /// A field of one step.
  struct Field {
    FieldId id;
    std::vector<std::shared_ptr<std::byte>> arrays;  ///< by own rank; null: nothing has come for it
    std::vector<bool> is_absent;                     ///< by own rank: some of it was not handed over
    std::vector<bool> was_put;                       ///< by own rank: by itself
  };
  /// What a rank hands over of a point of which another's value counts.
  struct Copy {
    std::size_t field;  ///< of the key
    ClientRank from, to;
    Index place, count;  ///< in the stream's range
    Index behind;
    std::vector<std::byte> bytes;
  };
  struct Key : ExchangeStep {
    std::vector<Field> fields;
    std::map<ServerRank, Bytes> frames;
    std::vector<Copy> copies;  ///< where they are compared
  };

  std::string name() const { return "points of \"" + plan_[group_].name + "\""; }
  Key& key_of(std::int64_t step, const std::vector<FieldId>& fields);
  void contribute(std::int64_t step, Key& key, ClientRank client, const PointSamples& samples);
  void contribute_nothing(std::int64_t step, Key& key, ClientRank client);
  Bytes& frame_for(ServerRank to, std::int64_t step, Key& key) const;
  void pack(ClientRank client, const PointSamples& samples, ServerRank to, Bytes& frame) const;
  const std::vector<PointSlice>* slices(ClientRank client, FieldId field, ServerRank to) const;
  void put_own(Key& key, ClientRank client, const PointSamples& samples);
  void take(ServerRank from, Decoder& in);
  void take_client(Key& key, ServerRank from, ClientRank client, Decoder& in);
  void put(Key& key, std::size_t field, const PointsFor& points, const std::byte* from, Index first_point,
           Index points_there);
  void compare_copies(std::int64_t step, const Key& key);
  void close_if_complete(std::int64_t step);
  void settle(std::int64_t step, Key& key);
  Sample sample_of(Key& key, Field& field, std::size_t own);
  std::shared_ptr<std::byte> new_array(FieldId field, ClientRank client) const;
  std::size_t place_of(ClientRank client) const;
  std::size_t clients_that_send(ServerRank from, const Key& key) const;

  const Plan& plan_;
  GroupId group_;
  ServerRank self_;
  ExchangeParts parts_;
  const PointDirectory& directory_;
  Messages& messages_;
  ErrorList& errors_;
  SettledPoints& dealt_;
  std::vector<std::uint32_t> points_;  ///< those of the group
  std::map<ServerRank, std::map<std::uint32_t, std::set<ClientRank>>>
      sending_;  ///< ranks of these, by points
  bool compares_copies_;
  Strand strand_;  ///< everything below belongs to it
  Cost cost_;
  std::set<std::pair<FieldId, ClientRank>> told_;  ///< whose copies have differed
  ExchangeSteps<Key> open_;
  std::map<ServerRank, std::int64_t> last_from_;  ///< the step of a server's last frame
};

}  // namespace pileus
