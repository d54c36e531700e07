#pragma once
// One group of regriddings on a server: what its model ranks have goes to the servers whose streams need it,
// what comes for its own streams is brought together point by point, and once all of a step is there the sums
// are made. One step is a key, which closes when all of it has come; nobody waits for it.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analytics/local_analysis.h"
#include "core/cost.h"
#include "exec/strand.h"
#include "messaging/messages.h"
#include "regrid/directory.h"
#include "watch/exchange_steps.h"

namespace pileus {

class Regridder {
 public:
  /// `clients`: the model ranks of this server, rising; at least one. REQUIRES: what is passed outlives it.
  Regridder(const Plan& plan, std::size_t group, ServerRank self, std::vector<ClientRank> clients,
            RegridDirectory& directory, Executor& workers, Messages& messages, SettledPoints& made);

  /// The calls that follow return at once and may come from any thread. What other regriddings give may hold
  /// an earlier step up, so steps come in any order.
  void add(ClientRank client, std::int64_t step, RegridSamples samples);
  /// The rank gives nothing after `last_step`. Order: after its last samples.
  void end_client(ClientRank client, std::int64_t last_step);
  /// The clock has come to a step, which wants these rules, and `hold` holds it.
  void advance(std::int64_t step, std::vector<RuleId> rules, std::shared_ptr<const void> hold);
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
  std::pair<std::string, Cost> cost() const;

 private:
  /// What is brought together of one rule's input, by own rank.
  struct Gathered {
    RuleId rule;
    std::vector<std::shared_ptr<double[]>> sources;  ///< point by point; null: nothing has come for it
    std::vector<bool> is_absent;                     ///< some of it was not there
    std::vector<bool> was_there;                     ///< what the rank itself has of the input
  };
  struct Key : ExchangeStep {
    std::vector<Gathered> rules;
    std::map<ServerRank, Bytes> frames;
  };
  /// What follows from a rule alone.
  struct Known {
    const Regridding* how = nullptr;
    ElementType type = ElementType::float64;  ///< of the input
    Extents extents;                          ///< of all of it
    Index others = 1;                         ///< elements of each point
    LinkedSums sums;
    std::size_t layout = 0;
    bool has_holes = false;  ///< no rank holds some of the input
    bool is_halo = false;    ///< sources lie as the result does, which they are
  };
  /// Where elements of points lie among a stream's sources.
  struct SourcePlaces {
    const PointOffsets* offsets = nullptr;  ///< null: point by point
    Index of_one = 1;                       ///< elements of each point
    const std::vector<Index>& others;
    Index of(Index point) const { return offsets ? offsets->of_point(point) : point * of_one; }
  };
  /// How one rank's part of a rule's input lies.
  struct PartLayout {
    PointOffsets offsets;
    std::vector<Index> places;  ///< of its elements of a point among all of them
  };
  /// How what an own rank's stream gets of a rule's result lies.
  struct ResultLayout {
    Extents extents;
    std::vector<Index> points, others;  ///< of PointPlaces
  };
  /// Sums are made for each own rank on a strand of its own.
  struct Making {
    Strand strand;
    Cost cost;
    std::map<RuleId, ResultLayout> layouts;  ///< of the rules that were made
  };

  std::string name() const;
  Key& key_of(std::int64_t step, const std::vector<RuleId>& rules);
  void contribute(std::int64_t step, Key& key, ClientRank client, const RegridSamples& samples);
  void contribute_nothing(std::int64_t step, Key& key, ClientRank client);
  Bytes& frame_for(ServerRank to, std::int64_t step, Key& key) const;
  void pack(ClientRank client, const RegridSamples& samples, ServerRank to, Bytes& frame);
  void put_own(Key& key, ClientRank client, const RegridSamples& samples);
  void compare_places(ClientRank client, const RegridSamples& samples);
  std::vector<Index> points_needed_of(std::size_t layout, ClientRank client) const;
  void take(ServerRank from, Decoder& in);
  void take_client(Key& key, ServerRank from, ClientRank client, Decoder& in);
  SourcePlaces source_places(RuleId rule, ClientRank from, ClientRank to);
  double* sources_of(Gathered& gathered, ClientRank to) const;
  bool sends_any(const Key& key, ClientRank client, ServerRank to) const;
  bool is_expected(const Key& key, ClientRank client) const;
  std::size_t clients_that_send(ServerRank from, const Key& key) const;
  void close_if_complete(std::int64_t step);
  void make(std::int64_t step, const std::shared_ptr<Key>& key, std::size_t own);
  Sample made_of(Gathered& gathered, const Key& key, std::size_t own);
  Sample haloed(const std::shared_ptr<double[]>& sources, RuleId rule, const Key& key, std::size_t own) const;
  ResultLayout result_layout(RuleId rule, const RegridStream& stream) const;
  const Known& known(RuleId rule) const { return known_.at(rule); }
  const PartLayout& part_layout(RuleId rule, ClientRank client);
  std::size_t place_of(ClientRank client) const;

  const Plan& plan_;
  std::size_t group_;
  ServerRank self_;
  ExchangeParts parts_;
  const RegridDirectory& directory_;
  Messages& messages_;
  SettledPoints& made_;
  std::map<RuleId, Known> known_;
  std::map<ServerRank, std::vector<ClientRank>> sending_;  ///< ranks of these that may send something
  std::deque<Making> making_;                              ///< by own rank
  Strand strand_;                                          ///< everything below belongs to it
  Cost cost_;
  std::map<std::pair<RuleId, ClientRank>, PartLayout> part_layouts_;
  std::map<std::pair<RuleId, ClientRank>, PointOffsets> halo_layouts_;  ///< by own rank
  std::map<std::pair<std::size_t, ClientRank>, PlacesOfBox> places_;    ///< to be compared, by layout
  ExchangeSteps<Key> open_;
  std::int64_t clock_step_ = INT64_MIN;  ///< the last that wants something here
};

}  // namespace pileus
