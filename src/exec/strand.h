#pragma once
// Tasks that run one at a time, in the order of posting, on the workers of an executor. Mutable state that
// belongs to one strand needs no lock. Different strands run in parallel.

#include <memory>

#include "exec/executor.h"

namespace pileus {

class Strand {
 public:
  /// REQUIRES: the executor outlives every task posted here.
  explicit Strand(Executor& executor);
  /// Tasks that still wait run nevertheless: they keep what they need alive.
  ~Strand();

  Strand(Strand&&) noexcept;
  Strand& operator=(Strand&&) noexcept;

  /// Thread-safe. A task that throws does not stop those after it; the executor is told of the exception, and
  /// the next task may begin before its hook for errors has returned.
  void post(Task task);
  /// True when no task of this strand runs and none is waiting. A snapshot: only the one who posts can rely
  /// on it.
  bool is_idle() const;

 private:
  struct Queue;
  std::shared_ptr<Queue> queue_;
};

}  // namespace pileus
