#pragma once
// Steps of the clock of which this server still holds something: a parcel, sums that wait for others, a value
// on its way to a file. Whatever is held of a step has the step's hold; a step is done when nobody does.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>

namespace pileus {

/// May be dropped on any thread.
using StepHold = std::shared_ptr<const void>;

/// Belongs to the server's lane.
class OpenSteps {
 public:
  /// The clock has come to the step. Order: by increasing step.
  StepHold open(std::int64_t step) {
    early_.erase(early_.begin(), early_.lower_bound(step));
    const auto early = early_.extract(step);
    StepHold hold = early ? early.mapped().lock() : nullptr;
    if (!hold) hold = std::make_shared<char>();
    open_.push_back({step, hold});
    return hold;
  }

  /// The hold for a parcel of a step that the clock has come to or will come to; null where nobody counts the
  /// step.
  StepHold hold(std::int64_t step) {
    if (open_.empty() ? step <= last_done_ : step < open_.front().step) return nullptr;
    std::weak_ptr<const void>* place = nullptr;
    if (open_.empty() || step > open_.back().step) {
      place = &early_[step];
    } else {
      const auto found = std::ranges::lower_bound(open_, step, {}, &Open::step);
      if (found->step != step) return nullptr;
      place = &found->hold;
    }
    StepHold hold = place->lock();
    if (!hold) *place = hold = std::make_shared<char>();
    return hold;
  }

  /// How many steps of the clock are done, and all before them.
  std::uint64_t done() {
    for (; !open_.empty() && open_.front().hold.expired(); open_.pop_front(), ++done_)
      last_done_ = open_.front().step;
    return done_;
  }
  /// How many steps of the clock come up to this one. REQUIRES: none that is done is later.
  std::uint64_t up_to(std::int64_t step) const {
    return done_ +
           static_cast<std::uint64_t>(std::ranges::upper_bound(open_, step, {}, &Open::step) - open_.begin());
  }
  std::uint64_t opened() const { return done_ + open_.size(); }

 private:
  struct Open {
    std::int64_t step;
    std::weak_ptr<const void> hold;
  };
  std::deque<Open> open_;
  std::map<std::int64_t, std::weak_ptr<const void>> early_;  ///< ahead of the clock
  std::uint64_t done_ = 0;
  std::int64_t last_done_ = INT64_MIN;
};

}  // namespace pileus
