#pragma once
// What the communications of one tree carry for one step: the Contribution that analytics gives to messaging.

#include <memory>
#include <utility>
#include <vector>

#include "math/sample.h"
#include "messaging/active_reduction.h"
#include "plan/plan.h"

namespace pileus {

/// By communication of the tree: nothing said, a Sample, or known to be absent. For a reduction one absent
/// contribution makes the result absent; of a taken value rank 0's is the one that counts.
class TreeValues : public Contribution {
 public:
  TreeValues(const Plan& plan, std::size_t tree);

  /// One local value for the tree's communication `i`.
  void set(std::size_t i, const Sample& local);
  /// Errors: UsageError if model ranks hold different shapes; TransportError for Partials that do not go
  /// together.
  void merge(const Contribution& other) override;
  void encode(Encoder& out) const override;
  /// Errors: TransportError when the bytes are not those of encode for the same Plan and tree.
  static std::unique_ptr<TreeValues> decode(const Plan& plan, std::size_t tree, Decoder& in);
  /// Every communication's value is absent.
  static std::unique_ptr<TreeValues> all_absent(const Plan& plan, std::size_t tree);

  /// Of the tree's communication `i`; absent too where nobody said anything.
  const Sample& value(std::size_t i) const { return entries_[i].value; }
  /// Likewise, and it is absent here from then on.
  Sample take_value(std::size_t i) { return std::exchange(entries_[i].value, Absent{}); }

 private:
  struct Entry {
    bool is_said = false;
    Sample value;
  };
  const Communicate& action(std::size_t i) const;
  void merge_entry(std::size_t i, const Entry& other);
  void check_decoded(std::size_t i) const;

  const Plan& plan_;
  std::size_t tree_;
  std::vector<Entry> entries_;
};

}  // namespace pileus
