#pragma once
// What is to be done when a program calls MPI_Finalize while something of ours is still open: the last moment
// at which MPI may be used.

#include <functional>
#include <memory>

namespace pileus {

class FinalizeHook {
 public:
  /// `hook` runs at the beginning of MPI_Finalize, unless this object goes before. It must not throw.
  /// Errors: TransportError. REQUIRES: MPI is running.
  explicit FinalizeHook(std::function<void()> hook);
  ~FinalizeHook();
  FinalizeHook(const FinalizeHook&) = delete;
  FinalizeHook& operator=(const FinalizeHook&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pileus
