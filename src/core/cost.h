#pragma once
// How often something ran and how long it took altogether, for the report at the end of a run. Each Cost
// belongs to one strand, and nothing in the results depends on it.

#include <chrono>
#include <cstdint>
#include <utility>

namespace pileus {

struct Cost {
  std::uint64_t runs = 0;
  std::chrono::steady_clock::duration time{0};

  Cost& operator+=(const Cost& other) {
    runs += other.runs;
    time += other.time;
    return *this;
  }
  double seconds() const { return std::chrono::duration<double>(time).count(); }
};

/// Counts one run and its time, from construction to destruction.
class CostOfRun {
 public:
  explicit CostOfRun(Cost& cost) : cost_(cost), began_(std::chrono::steady_clock::now()) {}
  ~CostOfRun() {
    ++cost_.runs;
    cost_.time += std::chrono::steady_clock::now() - began_;
  }
  CostOfRun(const CostOfRun&) = delete;
  CostOfRun& operator=(const CostOfRun&) = delete;

 private:
  Cost& cost_;
  std::chrono::steady_clock::time_point began_;
};

/// Counts runs that come one right after the other: for each of them the clock is read once and not twice.
class CostOfRuns {
 public:
  /// What has passed since the run before, or since this was made, was a run of `cost`.
  void add(Cost& cost) {
    const auto now = std::chrono::steady_clock::now();
    ++cost.runs;
    cost.time += now - std::exchange(last_, now);
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace pileus
