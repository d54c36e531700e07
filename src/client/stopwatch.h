#pragma once
// How long the calls of a model take, summed up.

#include <chrono>

namespace pileus {

inline double seconds_of(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

/// Adds the time that it lives to a total.
class Stopwatch {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Stopwatch(Clock::duration& total) : total_(total), began_(Clock::now()) {}
  ~Stopwatch() { total_ += Clock::now() - began_; }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  Clock::duration& total_;
  Clock::time_point began_;
};

}  // namespace pileus
