#pragma once
// The windows of the values of a bundle, as one: their samples are added, and their records rounded, all
// together. Where a sample is not like the others, each goes on in a window of its own until the record.
// Used by WindowSet.

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "math/exact_factor.h"
#include "math/weighted_means.h"
#include "plan/plan.h"
#include "time/manipulations/exact_window.h"

namespace pileus {

class WindowBundle {
 public:
  /// `windows`: by member, each by itself, of what the bundle gives with its constants.
  /// REQUIRES: bundle and windows outlive it.
  WindowBundle(const Bundle& bundle, std::vector<ExactWindow*> windows);

  std::size_t size() const { return windows_.size(); }
  /// Whether the members go on each in its own window, until come_together().
  bool is_apart() const { return is_apart_; }
  bool is_empty() const { return !has_sample_; }

  /// One more sample of all members. REQUIRES: not apart.
  void add(const Partials& values, double weight_s);
  /// Each goes on in its own window.
  void part();
  /// REQUIRES: the members' own windows are empty.
  void come_together();
  /// That of member `m` by itself, as its own window takes it.
  Sample sample(const BundleValues& values, std::size_t m) const;

  /// The records of all members; they are empty afterwards. None: no sample came. REQUIRES: not apart.
  std::vector<Array> take_records();
  /// REQUIRES: not apart, and not empty.
  WindowState state(std::size_t m) const;
  /// Besides the members' own windows.
  std::size_t most_bytes() const { return most_bytes_; }

 private:
  WeightedMeans slice(std::size_t m) const { return sums_.slice(firsts_[m], bundle_.members[m].size); }

  const Bundle& bundle_;
  ExactFactor factor_;
  std::vector<ExactWindow*> windows_;  ///< by member
  std::vector<std::size_t> firsts_;    ///< by member, among all elements
  WeightedMeans sums_{0};
  bool has_sample_ = false;
  bool is_apart_ = false;
  std::size_t most_bytes_ = 0;
};

}  // namespace pileus
