#pragma once
// All trees of reductions as one server sees them. Each has a strand of its own, so nothing here waits.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "streams/contributions.h"
#include "streams/deferral.h"
#include "streams/tree_branch.h"

namespace pileus {

class Trees : public Contributions {
 public:
  /// `defers`: what is reduced between servers travels when a record needs it; otherwise at every step.
  /// REQUIRES: what is passed outlives it.
  Trees(const Plan& plan, ServerRank self, bool defers, Executor& workers, Messages& messages,
        ErrorList& errors, RootStream& root);

  void add(ClientRank client, std::size_t tree, std::int64_t step,
           std::unique_ptr<TreeValues> values) override;
  void deal(ClientRank, GroupId, std::int64_t, PointSamples) override {}
  void regrid(ClientRank, std::size_t, std::int64_t, RegridSamples) override {}
  void end(ClientRank client, std::int64_t last_step) override;

  /// The calls that follow come from the server's lane.
  void advance(const StepFacts& facts, const StepHold& hold);
  void hurry(std::int64_t step);
  void end_clock();
  /// A frame of the kind reduction. Errors: TransportError when there is no such tree.
  void take(ServerRank from, Decoder& in, std::shared_ptr<const void> message);
  /// `sent_through`: by rank, the last step that it has handed over.
  void tell_waits(const std::shared_ptr<Waits>& waits,
                  const std::map<ClientRank, std::int64_t>& sent_through) const;

  /// The calls that follow are to be made when nothing runs.
  std::vector<std::string> open_texts() const;
  std::vector<std::pair<std::string, Cost>> costs() const;

 private:
  const Plan& plan_;
  Deferral deferral_;
  std::vector<std::unique_ptr<TreeBranch>> branches_;  ///< by tree
};

}  // namespace pileus
