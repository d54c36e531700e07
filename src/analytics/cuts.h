#pragma once
// Places in the order of the steps at which something is to be done: after all steps up to one are closed,
// and before a later one is. Steps close in order, whatever they wait for.

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <utility>

namespace pileus {

class Cuts {
 public:
  /// After `step`. Order: by increasing step.
  void add(std::int64_t step, std::function<void()> at_cut) { cuts_.emplace_back(step, std::move(at_cut)); }
  /// `first_open`: of the steps that are not closed; nullopt where all are.
  void reach(std::optional<std::int64_t> first_open) {
    while (!cuts_.empty() && (!first_open || cuts_.front().first < *first_open)) {
      const std::function<void()> at_cut = std::move(cuts_.front().second);
      cuts_.pop_front();
      at_cut();
    }
  }
  void drop_all() { cuts_.clear(); }

 private:
  std::deque<std::pair<std::int64_t, std::function<void()>>> cuts_;
};

}  // namespace pileus
