#pragma once
// What operators have found that several rules take, while the rules of one place run on what has come of a
// step. It holds the arrays that it was found on, so that another array is never taken for one of them.

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/array.h"
#include "plan/shared_work.h"

namespace pileus {

class FoundWork {
 public:
  explicit FoundWork(const Plan& plan) : first_(shared_work(plan)) {}

  /// Whose work it is that the rule shares; nothing where it has none in common with others.
  std::optional<RuleId> first_of(RuleId rule) const { return first_[rule.index]; }

  /// What find() finds on these arrays for a part of the result, or found before.
  template <class Find>
  std::shared_ptr<const void> get(RuleId first, const Region& part, const std::vector<Array>& arrays,
                                  const Find& find) {
    for (const Found& known : found_[first])
      if (known.part == part && are_same(known.arrays, arrays)) return known.what;
    return found_[first].emplace_back(Found{part, arrays, find()}).what;
  }

  /// Lets go of everything: the arrays may be the model's own.
  void forget() { found_.clear(); }

 private:
  struct Found {
    Region part;
    std::vector<Array> arrays;
    std::shared_ptr<const void> what;
  };
  static bool are_same(const std::vector<Array>& some, const std::vector<Array>& others) {
    return std::ranges::equal(some, others,
                              [](const Array& one, const Array& other) { return one.bytes == other.bytes; });
  }

  std::vector<std::optional<RuleId>> first_;  ///< by rule
  std::map<RuleId, std::vector<Found>> found_;
};

}  // namespace pileus
