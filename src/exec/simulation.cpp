#include "exec/simulation.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/error.h"

namespace pileus {
namespace {

/// So many picks in succession for each actor and fiber without any progress are a deadlock: what nobody
/// changes in so many turns does not change. A fiber that yields counts as no progress.
constexpr std::size_t kIdlePicksEach = 1000;

/// So many turns in vain of each that is not slow come before one of those that are.
constexpr std::size_t kIdlePicksOfUsual = 10;

}  // namespace

Simulation::Simulation(std::uint64_t seed, OnError on_error)
    : random_(seed), executor_(random_.next(), on_error), last_executor_(random_.next(), on_error) {}

Simulation::~Simulation() = default;

void Simulation::add_actor(std::string name, std::function<bool()> poll, std::function<bool()> is_done,
                           Pace pace) {
  actors_.push_back({std::move(name), std::move(poll), std::move(is_done), pace});
}

void Simulation::add_fiber(std::string name, std::function<void()> body, Pace pace) {
  fibers_.push_back(
      std::unique_ptr<NamedFiber>(new NamedFiber{std::move(name), Fiber(std::move(body)), pace}));
}

bool Simulation::yield() {
  if (running_ == nullptr) return false;
  running_->fiber.yield();
  return true;
}

void Simulation::run() {
  is_stopped_ = false;
  std::size_t idle_picks = 0, idle_picks_of_usual = 0;
  while (!is_stopped_ && !is_over()) {
    // What is slow moves only once everything else has had many turns in vain.
    const std::size_t usual = turns_of(Pace::usual);
    const bool is_turn_of_last = turns_of(Pace::last) > 0 && idle_picks_of_usual >= kIdlePicksOfUsual * usual;
    const bool is_progress = pick_one(is_turn_of_last ? Pace::last : Pace::usual);
    idle_picks = is_progress ? 0 : idle_picks + 1;
    // A turn of the slow in vain, an idle server's, gives way to the next of them.
    idle_picks_of_usual = is_progress ? 0 : idle_picks_of_usual + (is_turn_of_last ? 0 : 1);
    if (is_turn_of_last && random_.below(8) == 0) idle_picks_of_usual = 0;
    if (idle_picks > kIdlePicksEach * (actors_.size() + fibers_.size())) {
      throw Error("the simulation stands still; waiting: " + waiting_names());
    }
  }
  if (!is_stopped_) return;
  executor_.drop_all();
  last_executor_.drop_all();
}

bool Simulation::is_over() const {
  return fibers_.empty() && executor_.is_idle() && last_executor_.is_idle() &&
         std::ranges::all_of(actors_, [](const Actor& actor) { return actor.is_done(); });
}

std::size_t Simulation::turns_of(Pace pace) const {
  const auto of_pace = [pace](const auto& one) { return one.pace == pace; };
  const SeededExecutor& executor = pace == Pace::usual ? executor_ : last_executor_;
  return static_cast<std::size_t>(std::ranges::count_if(actors_, of_pace)) +
         static_cast<std::size_t>(
             std::ranges::count_if(fibers_, [pace](const auto& fiber) { return fiber->pace == pace; })) +
         (executor.waiting() > 0 ? 1 : 0);
}

/// One turn of an actor, of a fiber or of the executor of that pace; true when it was progress.
bool Simulation::pick_one(Pace pace) {
  const std::size_t turns = turns_of(pace);
  if (turns == 0) return false;
  std::size_t pick = random_.below(turns);
  for (Actor& actor : actors_) {
    if (actor.pace == pace && pick-- == 0) return !actor.is_done() && actor.poll();
  }
  for (const auto& fiber : fibers_) {
    if (fiber->pace == pace && pick-- == 0) return resume(*fiber);
  }
  return executor(pace).run_one();
}

bool Simulation::resume(NamedFiber& picked) {
  running_ = &picked;
  std::exception_ptr error;
  try {
    picked.fiber.resume();
  } catch (...) {
    error = std::current_exception();
  }
  running_ = nullptr;
  if (!picked.fiber.has_ended()) return false;
  std::erase_if(fibers_, [&picked](const auto& fiber) { return fiber.get() == &picked; });
  if (error) std::rethrow_exception(error);
  return true;
}

std::string Simulation::waiting_names() const {
  std::string names;
  const auto add = [&names](const std::string& name) { names += (names.empty() ? "" : ", ") + name; };
  for (const auto& fiber : fibers_) add(fiber->name);
  for (const auto& actor : actors_) {
    if (!actor.is_done()) add(actor.name);
  }
  return names;
}

}  // namespace pileus
