#include "exec/fiber.h"

#include <cxxabi.h>
#include <ucontext.h>

#include <cassert>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

namespace pileus {
namespace {

constexpr std::size_t kStackBytes = std::size_t{1} << 20;

/// The runtime's list of exceptions being handled, which must follow the stack that they were thrown on.
/// Source: Itanium C++ ABI, 2.2.2 (__cxa_eh_globals).
struct HandledExceptions {
  void* caught = nullptr;
  unsigned int uncaught = 0;
};

void swap_handled_exceptions(HandledExceptions& other) {
  auto* mine = reinterpret_cast<HandledExceptions*>(abi::__cxa_get_globals());
  std::swap(mine->caught, other.caught);
  std::swap(mine->uncaught, other.uncaught);
}

}  // namespace

struct Fiber::Stack {
  explicit Stack(std::function<void()> code)
      : body(std::move(code)), bytes(std::make_unique_for_overwrite<std::byte[]>(kStackBytes)) {
    if (getcontext(&inside) != 0) throw std::system_error(errno, std::generic_category(), "getcontext");
    inside.uc_stack.ss_sp = bytes.get();
    inside.uc_stack.ss_size = kStackBytes;
    inside.uc_link = nullptr;
    const auto address = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&inside, reinterpret_cast<void (*)()>(&Stack::start), 2, static_cast<unsigned>(address >> 32),
                static_cast<unsigned>(address));
#ifdef __SANITIZE_THREAD__
    tsan_inside = __tsan_create_fiber(0);
#endif
  }
  ~Stack() {
#ifdef __SANITIZE_THREAD__
    __tsan_destroy_fiber(tsan_inside);
#endif
  }

  /// makecontext hands over int arguments only, so the address comes in two halves.
  static void start(unsigned high, unsigned low) {
    auto* stack = reinterpret_cast<Stack*>(static_cast<std::uintptr_t>(high) << 32 | low);
    stack->run();
  }

  void run() {
    arrive_inside();
    try {
      body();
    } catch (...) {
      error = std::current_exception();
    }
    body = nullptr;
    has_ended = true;
    leave();
  }

  void enter() {
    has_begun = true;
    swap_handled_exceptions(handled);
#ifdef __SANITIZE_ADDRESS__
    void* own_stack = nullptr;
    __sanitizer_start_switch_fiber(&own_stack, bytes.get(), kStackBytes);
#endif
#ifdef __SANITIZE_THREAD__
    tsan_outside = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(tsan_inside, 0);
#endif
    swapcontext(&outside, &inside);
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(own_stack, nullptr, nullptr);
#endif
    swap_handled_exceptions(handled);
  }

  void leave() {
#ifdef __SANITIZE_ADDRESS__
    // A null place to keep the stack tells the sanitizer that this one is never entered again.
    __sanitizer_start_switch_fiber(has_ended ? nullptr : &asan_inside, asan_outside, asan_outside_bytes);
#endif
#ifdef __SANITIZE_THREAD__
    __tsan_switch_to_fiber(tsan_outside, 0);
#endif
    swapcontext(&inside, &outside);
    arrive_inside();
  }

  void arrive_inside() {
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(asan_inside, &asan_outside, &asan_outside_bytes);
#endif
  }

  std::function<void()> body;
  std::unique_ptr<std::byte[]> bytes;
  ucontext_t inside{};
  ucontext_t outside{};
  HandledExceptions handled;
  std::exception_ptr error;
  bool has_begun = false;
  bool has_ended = false;
#ifdef __SANITIZE_ADDRESS__
  void* asan_inside = nullptr;
  const void* asan_outside = nullptr;
  std::size_t asan_outside_bytes = 0;
#endif
#ifdef __SANITIZE_THREAD__
  void* tsan_inside = nullptr;
  void* tsan_outside = nullptr;
#endif
};

Fiber::Fiber(std::function<void()> body) : stack_(std::make_unique<Stack>(std::move(body))) {}

Fiber::~Fiber() {
  if (!stack_->has_begun || stack_->has_ended) return;
  // Unwinding would run destructors that may wait again. What lies on the stack stays reachable instead,
  // which also tells the leak sanitizer that it is known.
  static auto* abandoned = new std::vector<Stack*>;
  abandoned->push_back(stack_.release());
}

void Fiber::resume() {
  assert(!stack_->has_ended);
  stack_->enter();
  if (stack_->error) std::rethrow_exception(std::exchange(stack_->error, nullptr));
}

void Fiber::yield() { stack_->leave(); }

bool Fiber::has_ended() const { return stack_->has_ended; }

}  // namespace pileus
