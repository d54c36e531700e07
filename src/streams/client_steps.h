#pragma once
// The steps that one model rank hands over, held against those of model rank 0, which are the run's clock.
// All ranks are to go through the same steps: a rank that does not is found out before its values reach a
// file or a reduction.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/ids.h"
#include "core/step.h"
#include "step/step_facts.h"

namespace pileus {

class ClientSteps {
 public:
  explicit ClientSteps(ClientRank client) : client_(client) {}

  /// A step of the clock in which this rank has something to hand over, and what is held until it does.
  void expect(SharedFacts facts, std::shared_ptr<const void> held = nullptr) {
    expected_.push_back({std::move(facts), std::move(held)});
  }
  /// Tells whether the clock has come to a step of which this rank has handed over nothing.
  bool is_behind() const { return !expected_.empty() && expected_.back().index() > last_taken_; }
  /// The facts of the step that was taken last. REQUIRES: nothing was wrong with it.
  const SharedFacts& facts() const { return expected_.front().facts; }
  /// Nothing that comes from this rank counts any more.
  void clear() { expected_.clear(); }

  /// Says what is wrong when the rank hands over `step`, of which it may send several parcels; "" if nothing
  /// is.
  /// REQUIRES: the clock has come to it.
  std::string take(const Step& step) {
    if (std::string wrong = leave_out_before(step.index); !wrong.empty()) return wrong;
    if (expected_.empty() || expected_.front().index() != step.index) {
      return rank() + " handed over step " + std::to_string(step.index) +
             ", which model rank 0 did not: " + kFromThenOn;
    }
    expected_.front().held.reset();
    const Step& right = expected_.front().facts->step;
    const double tolerance = kBoundaryTolerance * right.length;
    if (std::abs(step.time - right.time) <= tolerance && std::abs(step.length - right.length) <= tolerance)
      return "";
    return rank() + " has step " + std::to_string(step.index) + " at " + text(step) + ", model rank 0 at " +
           text(right) + ": " + kFromThenOn;
  }

  /// Says what is wrong when the rank has handed over everything up to the end of `step`; "" if nothing is.
  std::string pass(std::int64_t step) {
    const std::int64_t last_taken = last_taken_;
    std::string wrong = leave_out_before(step + 1);
    last_taken_ = std::max(last_taken, step);
    return wrong;
  }

  /// Says what is wrong when the rank has gone on to `step`, to which the clock comes later; "" if nothing
  /// is.
  std::string go_ahead(std::int64_t step) {
    const std::int64_t last_taken = last_taken_;
    std::string wrong = leave_out_before(step);
    last_taken_ = last_taken;
    return wrong;
  }

  /// Steps that the clock has come to and of which nothing has come from this rank, at most so many; rising.
  std::vector<std::int64_t> missing(std::size_t most) const {
    std::vector<std::int64_t> steps;
    for (const Expected& step : expected_) {
      if (step.index() > last_taken_ && steps.size() < most) steps.push_back(step.index());
    }
    return steps;
  }

  /// The first of these.
  std::optional<std::int64_t> first_missing() const {
    const auto first = std::ranges::upper_bound(expected_, last_taken_, {}, &Expected::index);
    return first == expected_.end() ? std::nullopt : std::optional(first->index());
  }

  /// Says what is wrong when the rank has handed over its last step; "" if nothing is.
  std::string finish(std::int64_t last_step) { return leave_out_before(last_step + 1); }

 private:
  static constexpr const char* kFromThenOn = "what needs it is missing from then on";

  std::string rank() const { return "model rank " + std::to_string(client_); }
  static std::string text(const Step& step) {
    char out[64];
    std::snprintf(out, sizeof out, "%.10g s after %.10g s", step.time, step.length);
    return out;
  }

  std::string leave_out_before(std::int64_t step) {
    while (!expected_.empty() && expected_.front().index() < step) {
      const std::int64_t index = expected_.front().index();
      expected_.pop_front();
      if (index != last_taken_) {
        return rank() + " left out step " + std::to_string(index) +
               ", which model rank 0 handed over: " + kFromThenOn;
      }
    }
    last_taken_ = step;
    return "";
  }

  struct Expected {
    SharedFacts facts;
    std::shared_ptr<const void> held;
    std::int64_t index() const { return facts->step.index; }
  };
  ClientRank client_;
  std::deque<Expected> expected_;  ///< not yet passed by the rank
  std::int64_t last_taken_ = -1;
};

}  // namespace pileus
