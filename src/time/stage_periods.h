#pragma once
// The periods of the stages of a chain: each ends where a period of the stage before it ends. A schedule
// without a chain has one stage.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/step.h"
#include "plan/plan.h"

namespace pileus {

class StagePeriods {
 public:
  /// REQUIRES: the period of each stage goes a whole number of times into those of the next one.
  explicit StagePeriods(const Schedule& schedule);

  std::size_t count() const { return stages_.size(); }
  const Boundaries& first() const { return stages_.front(); }
  const Boundaries& last() const { return stages_.back(); }

  /// The last boundary of `stage` at or before boundary `k` of the first stage.
  std::int64_t passed(std::size_t stage, std::int64_t k) const;
  /// Its model time.
  double at(std::size_t stage, std::int64_t k) const { return stages_[stage].at(passed(stage, k)); }
  /// The same, as the first stage has it: their multiples may be rounded apart.
  double of_first_at(std::size_t stage, std::int64_t k) const {
    return ratios_[stage] > 0 ? first().at(passed(stage, k) * ratios_[stage]) : at(stage, k);
  }
  /// Whether a period of `stage` ends with boundary `k` of the first stage.
  bool ends(std::size_t stage, std::int64_t k) const { return passed(stage, k) != passed(stage, k - 1); }

 private:
  std::vector<Boundaries> stages_;
  std::vector<std::int64_t> ratios_;  ///< by stage: periods of the first one in it; 0: they differ
};

}  // namespace pileus
