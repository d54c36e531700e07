#pragma once
// What the communications of one tree carry for one step: the Contribution that analytics gives to messaging.

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "math/sample.h"
#include "messaging/active_reduction.h"
#include "plan/plan.h"

namespace pileus {

/// By communication of the tree: nothing said, a Sample, or known to be absent. For a reduction one absent
/// contribution makes the result absent; of a taken value rank 0's is the one that counts.
/// Sums and means lie side by side in one matrix, as far as they are sums of doubles without a factor: they
/// are merged and sent together. All others are Samples of their own.
class TreeValues : public Contribution {
 public:
  TreeValues(const Plan& plan, std::size_t tree);

  /// Elements that are columns; and asks for memory for so many.
  std::size_t elements() const { return sums_.size(); }
  void reserve(std::size_t elements) { sums_.reserve(elements); }
  /// One local value for the tree's communication `i`. REQUIRES: the first for this one.
  void set(std::size_t i, const Sample& local);
  /// All local values of a bundle. `values`: by ValueId. REQUIRES: the first for its communications.
  void set(const Bundle& bundle, const std::vector<Sample>& values);
  /// Errors: UsageError if model ranks hold different shapes; TransportError for Partials that do not go
  /// together.
  void merge(const Contribution& other) override;
  void encode(Encoder& out) const override;
  /// Errors: TransportError when the bytes are not those of encode for the same Plan and tree.
  static std::unique_ptr<TreeValues> decode(const Plan& plan, std::size_t tree, Decoder& in);
  /// Every communication's value is absent.
  static std::unique_ptr<TreeValues> all_absent(const Plan& plan, std::size_t tree);

  /// Of the tree's communication `i`; absent too where nobody said anything.
  Sample value(std::size_t i) const;
  struct Taken {
    std::vector<Sample> values;         ///< by communication; absent for those in bundles
    std::vector<BundleValues> bundles;  ///< by bundle of the tree
  };
  /// All of them, which lie here until they are changed and are absent here from then on.
  Taken take();

 private:
  enum class State : std::uint8_t { unsaid, apart, column };
  struct Entry {
    State state = State::unsaid;
    std::size_t first = 0;   ///< of its sums, where they are columns
    std::int64_t count = 0;  ///< of values in each of these
    Sample value = {};       ///< apart
  };
  const Rule& rule(std::size_t i) const { return plan_[plan_.trees[tree_].communications[i]]; }
  const Communicate& action(std::size_t i) const { return std::get<Communicate>(rule(i).action); }
  std::size_t size(std::size_t i) const;
  bool set_column(std::size_t i, const Sample& local);
  bool set_columns(const Bundle& bundle, const std::vector<Sample>& values);
  bool append(Entry& entry, const Sample& local, const Extents& shape, Reduction reduction);
  bool are_small_from(std::size_t begin);
  std::size_t sent_elements() const;
  class Taking;
  void part(std::size_t i);
  void merge_entry(std::size_t i, const TreeValues& other);
  void merge_apart(std::size_t i, const Sample& theirs);
  void merge_columns(const TreeValues& other, const std::vector<std::size_t>& together);
  bool lie_alike(const TreeValues& other, const std::vector<std::size_t>& together) const;
  void part_with(const std::vector<std::size_t>& together, const SumColumns::Unfit& unfit);
  void part_with(std::size_t i, std::size_t element, const ExactSum& sum);
  void decode_columns(Decoder& in, std::size_t elements);
  void check_decoded(std::size_t i) const;

  const Plan& plan_;
  std::size_t tree_;
  std::vector<Entry> entries_;
  SumColumns sums_{0};  ///< of the columns, one communication after the other; zero where one has left them
};

}  // namespace pileus
