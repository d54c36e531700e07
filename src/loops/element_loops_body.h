// No "#pragma once": the loops of ElementLoops for the instruction set that the including file is compiled
// for. Nothing here may call an inline function of another header: the linker might take its copy, compiled
// for this instruction set, for the whole program. It must never be compiled with fast-math or contraction.

#include <utility>

#include "loops/element_loops.h"

namespace pileus::detail {
namespace {

constexpr std::size_t kStrip = kElementStrip;
constexpr double kNan = __builtin_nan("");

/// The smaller of two numbers; of zeros -0, by their signs.
inline double smaller_of(double x, double y) {
  const double smaller = x < y ? x : y;
  const double of_zeros = -(-x - y);  // -0 unless both are +0
  const double number = x == y && x == 0 ? of_zeros : smaller;
  return x != x || y != y ? kNan : number;
}

inline double larger_of(double x, double y) {
  const double larger = x > y ? x : y;
  const double of_zeros = x + y;  // +0 unless both are -0
  const double number = x == y && x == 0 ? of_zeros : larger;
  return x != x || y != y ? kNan : number;
}

template <ElementOperation kOperation>
inline __attribute__((always_inline)) double result_of(double a, double b, double c) {
  if constexpr (kOperation == ElementOperation::negate) return -a;
  if constexpr (kOperation == ElementOperation::absolute) return __builtin_fabs(a);
  if constexpr (kOperation == ElementOperation::square_root) return a >= 0 ? __builtin_sqrt(a) : kNan;
  if constexpr (kOperation == ElementOperation::add) return a + b;
  if constexpr (kOperation == ElementOperation::subtract) return a - b;
  if constexpr (kOperation == ElementOperation::multiply) return a * b;
  if constexpr (kOperation == ElementOperation::divide) return a / b;
  if constexpr (kOperation == ElementOperation::less) return a < b ? 1.0 : 0.0;
  if constexpr (kOperation == ElementOperation::less_equal) return a <= b ? 1.0 : 0.0;
  if constexpr (kOperation == ElementOperation::equal) return a == b ? 1.0 : 0.0;
  if constexpr (kOperation == ElementOperation::not_equal) return a != b ? 1.0 : 0.0;
  if constexpr (kOperation == ElementOperation::minimum) return smaller_of(a, b);
  if constexpr (kOperation == ElementOperation::maximum) return larger_of(a, b);
  if constexpr (kOperation == ElementOperation::select) return c != 0 ? a : b;
  if constexpr (kOperation == ElementOperation::one_nan) return a != a ? kNan : a;
}

template <ElementFollow kFollow>
inline __attribute__((always_inline)) double followed(double r, double c, double d) {
  if constexpr (kFollow == ElementFollow::nothing) return r;
  if constexpr (kFollow == ElementFollow::absolute) return __builtin_fabs(r);
  if constexpr (kFollow == ElementFollow::square_root) return r >= 0 ? __builtin_sqrt(r) : kNan;
  if constexpr (kFollow == ElementFollow::add) return r + c;
  if constexpr (kFollow == ElementFollow::subtract) return r - c;
  if constexpr (kFollow == ElementFollow::multiply) return r * c;
  if constexpr (kFollow == ElementFollow::divide) return r / c;
  if constexpr (kFollow == ElementFollow::added) return c + r;
  if constexpr (kFollow == ElementFollow::subtracted_from) return c - r;
  if constexpr (kFollow == ElementFollow::multiplied) return c * r;
  if constexpr (kFollow == ElementFollow::divided_by) return c / r;
  if constexpr (kFollow == ElementFollow::selects) return r != 0 ? c : d;
}

/// `count` is known where this is inlined for whole strips.
template <ElementOperation kOperation, ElementFollow kFollow>
inline __attribute__((always_inline)) void run_strip(const ElementStep& step, std::size_t first,
                                                     std::size_t count) {
  const double* const a = step.a + (step.repeats_a ? 0 : first);
  const double* const b = step.b + (step.repeats_b ? 0 : first);
  const double* const c = step.c + (step.repeats_c ? 0 : first);
  const double* const d = step.d + (step.repeats_d ? 0 : first);
  double* const out = step.out + (step.repeats_out ? 0 : first);
#ifndef __clang__
#pragma GCC ivdep
#endif
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = followed<kFollow>(result_of<kOperation>(a[i], b[i], c[i]), c[i], d[i]);
  }
}

template <ElementOperation kOperation, ElementFollow kFollow>
void run_whole(const ElementStep& step, std::size_t first, std::size_t) {
  run_strip<kOperation, kFollow>(step, first, kStrip);
}
template <ElementOperation kOperation, ElementFollow kFollow>
void run_part(const ElementStep& step, std::size_t first, std::size_t count) {
  run_strip<kOperation, kFollow>(step, first, count);
}

using Run = void (*)(const ElementStep& step, std::size_t first, std::size_t count);
struct Runs {
  Run whole = nullptr, part = nullptr;
};

template <int kCode>
constexpr Runs runs_of() {
  constexpr auto kOperation = static_cast<ElementOperation>(kCode / kElementFollows);
  constexpr auto kFollow = static_cast<ElementFollow>(kCode % kElementFollows);
  if constexpr (can_follow(kOperation, kFollow)) {
    return {run_whole<kOperation, kFollow>, run_part<kOperation, kFollow>};
  } else {
    return {};
  }
}

template <class Codes>
struct Table;
template <int... kCodes>
struct Table<std::integer_sequence<int, kCodes...>> {
  static constexpr Runs kRuns[] = {runs_of<kCodes>()...};
};
using AllRuns = Table<std::make_integer_sequence<int, kElementOperations * kElementFollows>>;

inline const Runs& runs_for(const ElementStep& step) {
  return AllRuns::kRuns[static_cast<int>(step.operation) * kElementFollows + static_cast<int>(step.follow)];
}

// How far ahead memory is asked for, where it is not a block that stays in the first cache: strips of several
// arrays in turn are more than the processor's own guess follows.
constexpr std::size_t kAhead = 4 * kStrip;
constexpr std::size_t kLine = 8;  // numbers
constexpr std::size_t kLongestBlock = 1024;

/// The arrays that the steps read, each once. Lines that are written are better left alone: read ahead, they
/// are fetched twice.
class Streams {
 public:
  inline Streams(const ElementStep* steps, std::size_t step_count) {
    for (std::size_t s = 0; s < step_count; ++s) {
      const ElementStep& step = steps[s];
      add(step.a, step.repeats_a);
      add(step.b, step.repeats_b);
      add(step.c, step.repeats_c);
      add(step.d, step.repeats_d);
    }
  }

  inline void fetch(std::size_t first) const {
    for (std::size_t k = 0; k < count_; ++k) {
      for (std::size_t i = 0; i < kStrip; i += kLine) __builtin_prefetch(arrays_[k] + first + i);
    }
  }

 private:
  static constexpr std::size_t kMost = 16;  // more are a waste: a strip of each fills half the first cache

  inline void add(const double* array, bool repeats) {
    if (repeats || count_ == kMost) return;
    for (std::size_t k = 0; k < count_; ++k) {
      if (arrays_[k] == array) return;
    }
    arrays_[count_++] = array;
  }

  const double* arrays_[kMost];
  std::size_t count_ = 0;
};

inline void run_strips(const ElementStep* steps, std::size_t step_count, std::size_t first) {
  for (std::size_t s = 0; s < step_count; ++s) runs_for(steps[s]).whole(steps[s], first, kStrip);
}

void run(const ElementStep* steps, std::size_t step_count, std::size_t count) {
  std::size_t first = 0;
  if (count > kLongestBlock) {
    const Streams streams(steps, step_count);
    for (; first + kStrip <= count; first += kStrip) {
      streams.fetch(first + kAhead);
      run_strips(steps, step_count, first);
    }
  }
  for (; first + kStrip <= count; first += kStrip) run_strips(steps, step_count, first);
  if (first == count) return;
  for (std::size_t s = 0; s < step_count; ++s) runs_for(steps[s]).part(steps[s], first, count - first);
}

}  // namespace
}  // namespace pileus::detail

#define PILEUS_DEFINE_ELEMENT_LOOPS(variable, name)    \
  namespace pileus::detail {                           \
  extern constinit const ElementLoops variable;        \
  constinit const ElementLoops variable = {name, run}; \
  }
