#pragma once
// The puts of a step on one model rank: which fields have come, how many puts are under way, and the time
// that they take. In a step whose fields several threads put, a field is claimed by one atomic exchange, so
// that no thread waits for another one's copy. In other steps nothing is atomic, and nothing more is done.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pileus {

class Puts {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Came : std::uint8_t { nothing, in_parts, whole };

  void set_fields(std::size_t count) { came_.assign(count, Came::nothing); }
  /// Begins a step, in which no field has come. REQUIRES: no put that may come is under way.
  void open(bool from_threads);
  /// Ends the step for puts: those that come later are refused. Returns how many are under way; if there are
  /// any, the step goes on. In a step of one thread it does nothing.
  std::uint32_t close();
  /// Undoes close().
  void reopen();
  /// Whether several threads may put the fields of the step that began last.
  bool is_from_threads() const { return (word_.load(std::memory_order_relaxed) & kThreads) != 0; }

  Came came(int field) const {
    // Another thread may claim the field now, and atomic_ref has no form for what is const.
    return std::atomic_ref(const_cast<Came&>(came_[static_cast<std::size_t>(field)]))
        .load(std::memory_order_relaxed);
  }
  /// Claims a field, or one that comes in parts for a further part. Returns what has come of it before; the
  /// claim is granted if that was nothing, or `as`. A field is claimed as a whole by note() in a step of one
  /// thread.
  Came claim(int field, Came as) {
    Came& came = came_[static_cast<std::size_t>(field)];
    if (is_from_threads()) return claim_among_threads(came, as);
    const Came before = came;
    if (as == Came::in_parts && before == Came::nothing) came = as;
    return before;
  }
  /// What was claimed as a whole has not come: it may be claimed again. REQUIRES: nothing of it is there.
  void give_back(int field) {
    std::atomic_ref(came_[static_cast<std::size_t>(field)]).store(Came::nothing, std::memory_order_release);
  }
  /// All of a claimed field is there.
  void note(int field) {
    std::atomic_ref(came_[static_cast<std::size_t>(field)]).store(Came::whole, std::memory_order_relaxed);
  }

  /// The time that puts took since the beginning; of several at once, the time in which any was under way.
  /// While others begin and end it may be wrong by what they take.
  Clock::duration time() const;

  /// A put from its beginning to its end. Errors: UsageError after the end of a step of several threads.
  class Turn {
   public:
    explicit Turn(Puts& puts) : puts_(puts.is_from_threads() ? &puts : nullptr) {
      if (puts_ != nullptr) puts_->enter();
    }
    ~Turn() {
      if (puts_ != nullptr) puts_->word_.fetch_sub(1, std::memory_order_release);
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    Puts* puts_;  ///< null in a step of one thread
  };

  /// Counts the time that it lives. REQUIRES: it lives within a turn.
  class Watch {
   public:
    explicit Watch(Puts& puts) : puts_(puts), is_one_of_several_(puts.is_from_threads()) {
      if (!is_one_of_several_) began_ = Clock::now();
      if (is_one_of_several_) puts_.note_copy_begins();
    }
    ~Watch() {
      if (!is_one_of_several_) puts_.of_one_thread_ += Clock::now() - began_;
      if (is_one_of_several_) puts_.note_copy_ends();
    }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    Puts& puts_;
    bool is_one_of_several_;
    Clock::time_point began_;
  };

 private:
  static constexpr std::uint32_t kClosed = 1U << 31, kThreads = 1U << 30, kUnderWay = kThreads - 1;

  void enter();
  static Came claim_among_threads(Came& came, Came as);
  void note_copy_begins();
  void note_copy_ends();

  std::atomic<std::uint32_t> word_{0};  ///< kClosed, kThreads, and how many puts are under way
  std::vector<Came> came_;              ///< by registered number
  Clock::duration of_one_thread_{0};
  std::atomic<std::uint32_t> copies_{0};   ///< under way, in a step of several threads
  std::atomic<Clock::rep> of_several_{0};  ///< ends less beginnings of the times in which any was under way
};

}  // namespace pileus
