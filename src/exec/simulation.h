#pragma once
// Servers and clients of a whole run in one thread: who goes next is picked at random by a seed, so that
// every order of events can be tried, and had again by its seed. For tests; a deadlock becomes an error that
// names who waits.

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "exec/fiber.h"
#include "exec/seeded_executor.h"
#include "exec/seeded_random.h"

namespace pileus {

/// When something gets its turn.
enum class Pace : std::uint8_t {
  usual,
  last  ///< as slow as can be: only when nothing else moves, and then for one turn
};

/// All calls come from one thread.
class Simulation {
 public:
  /// Without `on_error` what a task throws is thrown by run().
  explicit Simulation(std::uint64_t seed, OnError on_error = {});
  /// Fibers that have not ended are abandoned: nothing on their stacks is destroyed.
  ~Simulation();

  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// A server's lane. `poll` does a bit of work and says whether it did anything; it is not called once
  /// `is_done`.
  void add_actor(std::string name, std::function<bool()> poll, std::function<bool()> is_done,
                 Pace pace = Pace::usual);
  /// A client: ordinary code that calls yield() wherever it waits.
  void add_fiber(std::string name, std::function<void()> body, Pace pace = Pace::usual);
  /// Where servers of this simulation run their tasks.
  SeededExecutor& executor(Pace pace = Pace::usual) {
    return pace == Pace::usual ? executor_ : last_executor_;
  }
  /// For further choices that belong to the seed, for example which message arrives first.
  SeededRandom& random() { return random_; }

  /// Inside a fiber: lets others go on, and comes back later with true. Elsewhere does nothing and returns
  /// false.
  bool yield();
  /// Lets run() return after what runs now, as if the whole job had been killed there: tasks that wait are
  /// let go of while what they belong to is still there.
  void stop() { is_stopped_ = true; }

  /// Runs until every fiber has ended, every actor is done and no task waits.
  /// Errors: what a fiber, an actor or a task throws; Error with the names of those that wait when nothing
  /// happens any more.
  void run();

 private:
  struct Actor {
    std::string name;
    std::function<bool()> poll;
    std::function<bool()> is_done;
    Pace pace;
  };
  struct NamedFiber {
    std::string name;
    Fiber fiber;
    Pace pace;
  };

  bool is_over() const;
  bool pick_one(Pace pace);
  std::size_t turns_of(Pace pace) const;
  bool resume(NamedFiber& picked);
  std::string waiting_names() const;

  SeededRandom random_;
  SeededExecutor executor_, last_executor_;
  std::deque<Actor> actors_;                         // stays in place when one adds another
  std::vector<std::unique_ptr<NamedFiber>> fibers_;  // those that have not ended
  NamedFiber* running_ = nullptr;
  bool is_stopped_ = false;
};

}  // namespace pileus
