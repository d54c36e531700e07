#pragma once
// Ordinary blocking code that can be left in the middle and continued later, all in one thread. The
// simulation runs clients as fibers; nothing else in the house uses them.

#include <exception>
#include <functional>
#include <memory>

namespace pileus {

/// All calls come from one thread.
class Fiber {
 public:
  explicit Fiber(std::function<void()> body);
  /// A fiber that has begun and not ended is abandoned: its stack is kept as it is, nothing on it is
  /// destroyed.
  ~Fiber();

  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Runs the body until it calls yield() or ends.
  /// REQUIRES: called from outside of the fiber; it has not ended.
  /// Errors: what the body throws is thrown here, and the fiber has ended.
  void resume();
  /// Goes back to the one who called resume(). REQUIRES: called from inside the body.
  void yield();
  bool has_ended() const;

 private:
  struct Stack;
  std::unique_ptr<Stack> stack_;
};

}  // namespace pileus
