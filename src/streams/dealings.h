#pragma once
// What model ranks of this server contribute: values for trees go to these, and fields on points are dealt
// out with other servers before they come back to the streams.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "points/dealing.h"
#include "streams/client_feed.h"
#include "streams/contributions.h"
#include "streams/open_steps.h"

namespace pileus {

class Dealings : public Contributions, private SettledPoints {
 public:
  /// REQUIRES: what is passed outlives it.
  Dealings(const Plan& plan, ServerRank self, Executor& workers, Messages& messages, ErrorList& errors,
           const ClientFeeds& feeds, Contributions& trees);

  /// Order: before the first step. `directory`: null where no field lies on points.
  void begin(std::shared_ptr<const PointDirectory> directory);

  void add(ClientRank client, std::size_t tree, std::int64_t step,
           std::unique_ptr<TreeValues> values) override {
    trees_.add(client, tree, step, std::move(values));
  }
  void deal(ClientRank client, GroupId group, std::int64_t step, PointSamples samples) override;
  void regrid(ClientRank, std::size_t, std::int64_t, RegridSamples) override {}
  void end(ClientRank client, std::int64_t last_step) override;

  /// The calls that follow come from the server's lane.
  void advance(const StepFacts& facts, const StepHold& hold);
  /// A frame of the kind points. Errors: TransportError when nothing of the group is expected.
  void take(ServerRank from, Decoder& in, std::shared_ptr<const void> message);

  /// `sent_through`: by rank, the last step that it has handed over.
  void tell_waits(const std::shared_ptr<Waits>& waits,
                  const std::map<ClientRank, std::int64_t>& sent_through) const;

  /// The calls that follow are to be made when nothing runs.
  std::vector<std::string> open_texts() const;
  std::vector<std::pair<std::string, Cost>> costs() const;

 private:
  void settle(ClientRank client, std::int64_t step, std::shared_ptr<const BroadcastValues> values) override;

  const Plan& plan_;
  ServerRank self_;
  Executor& workers_;
  Messages& messages_;
  ErrorList& errors_;
  const ClientFeeds& feeds_;
  Contributions& trees_;
  std::shared_ptr<const PointDirectory> directory_;
  std::map<GroupId, std::unique_ptr<Dealing>> groups_;  ///< those that have fields on points
};

}  // namespace pileus
