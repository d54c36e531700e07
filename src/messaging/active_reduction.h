#pragma once
// One tree of reductions on one server, matched by step and not by the order of issue (Brown et al. 2018,
// section IV). A step's key opens with the first that is known of it and closes when all local contributors
// and all children have contributed; nobody waits for it. All calls come from one strand.

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/encoder.h"
#include "messaging/tree_shape.h"

namespace pileus {

/// What travels up a tree for one step. Merging is commutative and exact, so the order does not matter.
class Contribution {
 public:
  virtual ~Contribution() = default;
  virtual void merge(const Contribution& other) = 0;
  virtual void encode(Encoder& out) const = 0;
};

/// What a reduction asks of the one that has it. All calls come from the reduction's strand.
class ReductionHost {
 public:
  virtual std::unique_ptr<Contribution> decode(Decoder& in) = 0;
  /// What a contributor that has ended stands for.
  virtual std::unique_ptr<Contribution> absent() = 0;
  /// The step is complete here and goes on to the parent.
  virtual void send(ServerRank parent, std::int64_t step, const Contribution& values) = 0;
  /// On the root alone: the step is complete.
  virtual void complete(std::int64_t step, std::unique_ptr<Contribution> values) = 0;
  /// A contribution could not be taken: the step closes as if it were absent.
  virtual void fail(std::int64_t step, const std::string& why) = 0;

  virtual ~ReductionHost() = default;
};

class ActiveReduction {
 public:
  /// REQUIRES: the host outlives it.
  ActiveReduction(TreeSeat seat, std::size_t local_contributors, ReductionHost& host);

  /// Says that there are values for `step`, even if no local contributor will come.
  /// Order: by increasing step, each step once.
  void open(std::int64_t step);
  /// One local contributor's values. Each contributes at most once to a step.
  void contribute(std::int64_t step, std::unique_ptr<Contribution> values);
  /// A child's values, as its host sent them.
  void receive(std::int64_t step, Decoder& values);
  /// A local contributor will contribute to no step after `last_step`.
  void end_contributor(std::int64_t last_step);

  bool has_open_keys() const { return !open_.empty(); }
  bool is_open(std::int64_t step) const { return open_.contains(step); }
  /// "step 12 (waits for 1 of 3 model ranks, 0 of 2 servers)", one for each open key.
  std::vector<std::string> open_keys() const;
  /// Rising.
  std::vector<std::int64_t> open_steps() const;
  std::optional<std::int64_t> first_open_step() const {
    return open_.empty() ? std::nullopt : std::optional(open_.begin()->first);
  }

 private:
  struct Key {
    std::size_t local = 0;
    std::size_t children = 0;
    std::unique_ptr<Contribution> values;
    bool is_spoilt = false;  ///< one that is counted is not in the values, or half
  };
  template <class Make>
  void add(std::int64_t step, Key& key, Make make);
  static void merge(Key& key, std::unique_ptr<Contribution> values);
  std::size_t ended_before(std::int64_t step) const;
  void close_if_complete(std::int64_t step);

  TreeSeat seat_;
  std::size_t local_contributors_;
  ReductionHost& host_;
  std::vector<std::int64_t> ended_;  ///< last steps of contributors that have ended
  std::map<std::int64_t, Key> open_;
  std::int64_t opened_through_ = INT64_MIN;  ///< the last step that open() was called for
  std::set<std::int64_t> closed_early_;      ///< steps that closed before open() was called for them
};

}  // namespace pileus
