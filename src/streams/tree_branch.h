#pragma once
// One tree of reductions as this server sees it: what its model ranks and the servers below contribute is
// joined step by step, and goes up in batches or, at the root, on to the root's stream. A strand of its own.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/cost.h"
#include "core/error_list.h"
#include "exec/strand.h"
#include "messaging/active_reduction.h"
#include "messaging/messages.h"
#include "plan/plan.h"
#include "streams/open_steps.h"
#include "streams/root_stream.h"
#include "watch/waits.h"

namespace pileus {

class TreeBranch : private ReductionHost {
 public:
  /// `is_deferred`: what is complete here waits until it is due. REQUIRES: what is passed outlives it.
  TreeBranch(const Plan& plan, std::size_t tree, ServerRank self, bool is_deferred, Executor& workers,
             Messages& messages, ErrorList& errors, RootStream& root);

  /// The calls that follow return at once and may come from any thread.
  void contribute(ClientRank client, std::int64_t step, std::unique_ptr<TreeValues> values);
  void end_client(ClientRank client, std::int64_t last_step);
  /// A frame of another server, after the number of its tree. Its bytes stay alive with `message`.
  /// Errors: TransportError when the server is not below this one.
  void receive(ServerRank from, const Decoder& steps, std::shared_ptr<const void> message);
  /// The clock has come to the step. `is_wanted`: something of the tree is; `is_due`: what is complete up to
  /// it may not wait.
  void advance(std::int64_t step, bool is_wanted, bool is_due, const StepHold& hold);
  /// Complete steps leave now, and all up to `step` as soon as they are complete.
  void hurry(std::int64_t step);
  void end_clock();

  /// Its strand says what it waits for. `sent_through` has the last step that each rank has handed over.
  void tell_waits(const std::shared_ptr<Waits>& waits, std::map<ClientRank, std::int64_t> sent_through);

  /// The calls that follow are to be made when nothing runs.
  std::vector<std::string> open_texts() const;
  /// The cost of the tree, and the name that reports give it.
  std::pair<std::string, Cost> cost() const;

 private:
  std::unique_ptr<Contribution> decode(Decoder& in) override;
  std::unique_ptr<Contribution> absent() override;
  void send(ServerRank parent, std::int64_t step, const Contribution& values) override;
  void complete(std::int64_t step, std::unique_ptr<Contribution> values) override;
  void fail(std::int64_t step, const std::string& why) override;

  const Rule& first_rule() const { return plan_[plan_.trees[tree_].communications.front()]; }
  void add_to_batch(std::int64_t step, const Contribution& values);
  void send_batch();
  void send_batch_if_due();
  void tell_waits_now(Waits& waits, const std::map<ClientRank, std::int64_t>& sent_through) const;
  std::string lacking(std::int64_t step, const std::map<ClientRank, std::int64_t>& sent_through) const;

  const Plan& plan_;
  std::size_t tree_;
  Messages& messages_;
  ErrorList& errors_;
  RootStream& root_;
  TreeSeat seat_;
  bool is_deferred_;
  std::string fields_;  ///< of the model, behind what travels
  Strand strand_;       ///< everything below belongs to it
  Cost cost_;
  TreeProgress progress_;
  std::map<std::int64_t, StepHold> open_;  ///< steps that are not complete here
  Bytes batch_;                            ///< a frame of the steps that are complete here and have not left
  std::vector<StepHold> in_batch_;
  std::deque<std::int64_t> due_;  ///< the batch leaves when all steps up to the first of these are in it
  ActiveReduction reduction_;
};

}  // namespace pileus
