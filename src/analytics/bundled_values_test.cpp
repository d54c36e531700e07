// What a tree gives of a bundle is what it gives of the same communications one by one.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "analytics/testing/handmade_plan.h"
#include "analytics/tree_values.h"

namespace pileus {
namespace {

using testing::HandmadePlan;
using Values = std::vector<double>;

constexpr std::size_t kBundled = 3;

/// A tree of three reductions, which may be a bundle, and of an extremum.
Plan plan_of_four(Reduction reduction, bool bundled) {
  HandmadePlan hand(4);
  const DimensionId z = hand.dimension("z", 3);
  const GroupId group = hand.group("group");
  std::vector<ValueId> results;
  for (const char* name : {"a", "b", "c"}) {
    const std::vector<DimensionId> dimensions = *name == 'b' ? std::vector<DimensionId>{} : std::vector{z};
    results.push_back(hand.reduced_to(0, hand.field(group, name, Spread::own, dimensions), reduction));
  }
  const ValueId peak = hand.field(group, "peak", Spread::own);
  hand.tree(0, {results[0], results[1], results[2], hand.reduced_to(0, peak, Reduction::max)});
  if (!bundled) return hand.plan;
  Bundle& bundle = hand.plan.bundles.emplace_back();
  bundle.reduction = reduction;
  for (const ValueId result : results)
    bundle.members.push_back({hand.rule_of(result), hand.plan[hand.rule_of(result)].inputs[0], result,
                              hand.plan.extents(result), result == results[1] ? 1U : 3U});
  hand.plan.trees[0].bundles = {0};
  return hand.plan;
}

/// Without the count of a sum, which says nothing.
void encode(const Partial& partial, Bytes& bytes) {
  const std::size_t count = bytes.size() + 1;
  partial.encode(bytes);
  if (partial.reduction() == Reduction::sum)
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(count), sizeof(std::int64_t), std::byte{0});
}

Bytes bytes_of(const Sample& sample) {
  if (is_absent(sample)) return {};
  Bytes bytes;
  for (const Partial& partial : std::get<PartialArray>(sample).values->each()) encode(partial, bytes);
  return bytes;
}

/// By communication.
std::vector<Bytes> bytes_of(const TreeValues::Taken& taken, Reduction reduction, bool& together) {
  std::vector<Bytes> bytes;
  for (const Sample& value : taken.values) bytes.push_back(bytes_of(value));
  if (taken.bundles.empty()) return bytes;
  const BundleValues& bundle = taken.bundles[0];
  together = bundle.together.has_value();
  std::size_t first = 0;
  for (std::size_t m = 0; m < kBundled; ++m) {
    EXPECT_TRUE(bytes[m].empty()) << "it is in the bundle alone";
    const std::size_t size = m == 1 ? 1 : 3;
    if (together) {
      EXPECT_EQ(bundle.together->reduction(), reduction);
      for (std::size_t i = 0; i < size; ++i) encode((*bundle.together)[first + i], bytes[m]);
    } else if (!bundle.apart.empty()) {
      bytes[m] = bytes_of(bundle.apart[m]);
    }
    first += size;
  }
  return bytes;
}

class BundledValues : public ::testing::TestWithParam<Reduction> {
 protected:
  /// `is_odd`: some values are none, or too large or too far apart for columns.
  Sample sample(std::size_t size, const Extents& extents, bool is_odd) {
    if (is_odd && random_() % 30 == 0) return Absent{};
    if (is_odd || GetParam() == Reduction::sum) count_ = 1 + random_() % 3;
    if (count_ == 1) return array(size, extents, is_odd);
    // Partials of some values each, which may take several parts, or be means of which a sum is asked.
    const bool is_mean = GetParam() == Reduction::mean || (is_odd && random_() % 20 == 0);
    std::vector<Partial> partials(size, Partial(is_mean ? Reduction::mean : Reduction::sum));
    for (Partial& partial : partials) {
      for (unsigned n = 0; n < count_; ++n) partial.add(number(is_odd) * (random_() % 4 == 0 ? 0x1p-70 : 1));
    }
    const Reduction reduction = partials.front().reduction();
    return PartialArray{extents, std::make_shared<Partials>(reduction, std::span<const Partial>(partials))};
  }
  Sample array(std::size_t size, const Extents& extents, bool is_odd) {
    Values values(size);
    for (double& value : values) value = number(is_odd);
    return make_array(values, extents);
  }
  double number(bool is_odd) {
    if (is_odd && random_() % 25 == 0) return random_() % 2 == 0 ? HUGE_VAL : std::nan("");
    if (is_odd && random_() % 25 == 0) return 0x1p1005;
    return std::ldexp(double(std::int32_t(random_())), int(random_() % 60) - 30);
  }

  std::mt19937 random_;
  std::uint64_t count_ = 1;  ///< of values in each element
};

TEST_P(BundledValues, are_those_of_the_communications_one_by_one) {
  const Plan single = plan_of_four(GetParam(), false), bundle = plan_of_four(GetParam(), true);
  int times_together = 0, times_apart = 0;
  for (unsigned seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    random_.seed(seed);
    const bool is_odd = seed % 2 == 1;
    std::unique_ptr<TreeValues> of_single, of_bundle;
    for (int rank = 0; rank < 3; ++rank) {
      auto one = std::make_unique<TreeValues>(single, 0), other = std::make_unique<TreeValues>(bundle, 0);
      std::vector<Sample> values(bundle.values.size());
      count_ = 1 + random_() % 3;
      for (const Bundle::Member& member : bundle.bundles[0].members)
        values[member.input.index] = sample(member.size, member.extents, is_odd);
      const Sample peak = array(1, {}, false);
      for (std::size_t i = 0; i < kBundled; ++i)
        one->set(i, values[bundle.bundles[0].members[i].input.index]);
      other->set(bundle.bundles[0], values);
      one->set(kBundled, peak);
      other->set(kBundled, peak);
      if (!of_single) {
        of_single = std::move(one);
        of_bundle = std::move(other);
      } else {
        of_single->merge(*one);
        of_bundle->merge(*other);
      }
    }

    bool together = false, none = false;
    const std::vector<Bytes> expected = bytes_of(of_single->take(), GetParam(), none);
    ASSERT_EQ(bytes_of(of_bundle->take(), GetParam(), together), expected);
    ++(together ? times_together : times_apart);
  }
  EXPECT_GT(times_together, 100);
  EXPECT_GT(times_apart, 100);
}

INSTANTIATE_TEST_SUITE_P(Reductions, BundledValues, ::testing::Values(Reduction::sum, Reduction::mean));

}  // namespace
}  // namespace pileus
