#pragma once
// What an executor runs once: a callable that can be moved and not copied, so that it may own what it works
// on. Closures of usual size lie in the task itself; larger ones are allocated.

#include <cstddef>
#include <functional>
#include <new>
#include <type_traits>
#include <utility>

namespace pileus {

class Task {
 public:
  /// Closures up to this size need no allocation if moving them cannot throw.
  static constexpr std::size_t kInlineBytes = 112;

  Task() noexcept = default;
  template <class Callable>
  requires(!std::is_same_v<std::remove_cvref_t<Callable>, Task> &&
           std::is_invocable_v<std::decay_t<Callable>&>)
      // NOLINTNEXTLINE(google-explicit-constructor): a closure is a task
      Task(Callable&& callable) {
    using Held = std::decay_t<Callable>;
    if constexpr (is_inline<Held>) {
      ::new (static_cast<void*>(bytes_)) Held(std::forward<Callable>(callable));
    } else {
      ::new (static_cast<void*>(bytes_)) Held*(new Held(std::forward<Callable>(callable)));
    }
    kind_ = &kKind<Held>;
  }
  Task(Task&& other) noexcept { take(other); }
  Task& operator=(Task&& other) noexcept {
    if (this == &other) return *this;
    drop();
    take(other);
    return *this;
  }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task() { drop(); }

  explicit operator bool() const noexcept { return kind_ != nullptr; }
  /// Errors: what the callable throws. REQUIRES: it is not empty.
  void operator()() { kind_->run(bytes_); }

 private:
  /// What is done with a closure of one type, at the place of its bytes.
  struct Kind {
    void (*run)(void* bytes);
    void (*move)(void* from, void* to) noexcept;  ///< leaves nothing behind
    void (*drop)(void* bytes) noexcept;
  };
  template <class Held>
  static constexpr bool is_inline =
      sizeof(Held) <= kInlineBytes &&
      alignof(Held) <= alignof(std::max_align_t) && std::is_nothrow_move_constructible_v<Held>;
  template <class Held>
  static Held& held(void* bytes) noexcept {
    if constexpr (is_inline<Held>) {
      return *std::launder(static_cast<Held*>(bytes));
    } else {
      return **std::launder(static_cast<Held**>(bytes));
    }
  }
  template <class Held>
  static void run_held(void* bytes) {
    std::invoke(held<Held>(bytes));
  }
  template <class Held>
  static void move_held(void* from, void* to) noexcept {
    if constexpr (is_inline<Held>) {
      ::new (to) Held(std::move(held<Held>(from)));
      held<Held>(from).~Held();
    } else {
      ::new (to) Held*(&held<Held>(from));
    }
  }
  template <class Held>
  static void drop_held(void* bytes) noexcept {
    if constexpr (is_inline<Held>) {
      held<Held>(bytes).~Held();
    } else {
      delete &held<Held>(bytes);
    }
  }
  template <class Held>
  static constexpr Kind kKind{run_held<Held>, move_held<Held>, drop_held<Held>};

  void take(Task& other) noexcept {
    kind_ = std::exchange(other.kind_, nullptr);
    if (kind_ != nullptr) kind_->move(other.bytes_, bytes_);
  }
  void drop() noexcept {
    if (kind_ != nullptr) std::exchange(kind_, nullptr)->drop(bytes_);
  }

  const Kind* kind_ = nullptr;  ///< null: empty
  alignas(std::max_align_t) std::byte bytes_[kInlineBytes];
};

}  // namespace pileus
