#pragma once
// What model ranks of this server give to regriddings, which come back to the streams once servers have
// brought together what they are made of. All else goes on to where it belongs.

#include <memory>
#include <string>
#include <vector>

#include "regrid/regridder.h"
#include "streams/client_feed.h"
#include "streams/contributions.h"
#include "streams/open_steps.h"

namespace pileus {

class Regrids : public Contributions, private SettledPoints {
 public:
  /// REQUIRES: what is passed outlives it.
  Regrids(const Plan& plan, ServerRank self, Executor& workers, Messages& messages, const ClientFeeds& feeds,
          Contributions& others);

  /// Order: before the first step. `directory`: null where nothing is regridded.
  void begin(std::shared_ptr<RegridDirectory> directory);

  void add(ClientRank client, std::size_t tree, std::int64_t step,
           std::unique_ptr<TreeValues> values) override {
    others_.add(client, tree, step, std::move(values));
  }
  void deal(ClientRank client, GroupId group, std::int64_t step, PointSamples samples) override {
    others_.deal(client, group, step, std::move(samples));
  }
  void regrid(ClientRank client, std::size_t group, std::int64_t step, RegridSamples samples) override;
  void end(ClientRank client, std::int64_t last_step) override;

  /// The calls that follow come from the server's lane.
  void advance(const StepFacts& facts, const StepHold& hold);
  /// A frame of the kind regrid. Errors: TransportError when nothing of the group is expected.
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
  const ClientFeeds& feeds_;
  Contributions& others_;
  std::shared_ptr<RegridDirectory> directory_;
  std::vector<std::unique_ptr<Regridder>> groups_;  ///< of the plan; none on a server without model ranks
};

}  // namespace pileus
