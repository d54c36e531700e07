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

}  // namespace

Simulation::Simulation(std::uint64_t seed, OnError on_error)
    : random_(seed), executor_(random_.next(), std::move(on_error)) {}

Simulation::~Simulation() = default;

void Simulation::add_actor(std::string name, std::function<bool()> poll, std::function<bool()> is_done) {
  actors_.push_back({std::move(name), std::move(poll), std::move(is_done)});
}

void Simulation::add_fiber(std::string name, std::function<void()> body) {
  fibers_.push_back(std::unique_ptr<NamedFiber>(new NamedFiber{std::move(name), Fiber(std::move(body))}));
}

bool Simulation::yield() {
  if (running_ == nullptr) return false;
  running_->fiber.yield();
  return true;
}

void Simulation::run() {
  is_stopped_ = false;
  std::size_t idle_picks = 0;
  while (!is_stopped_ && !is_over()) {
    idle_picks = pick_one() ? 0 : idle_picks + 1;
    if (idle_picks > kIdlePicksEach * (actors_.size() + fibers_.size())) {
      throw Error("the simulation stands still; waiting: " + waiting_names());
    }
  }
}

bool Simulation::is_over() const {
  return fibers_.empty() && executor_.is_idle() &&
         std::ranges::all_of(actors_, [](const Actor& actor) { return actor.is_done(); });
}

/// One turn of an actor, of a fiber or of the executor; true when it was progress.
bool Simulation::pick_one() {
  const bool has_task = executor_.waiting() > 0;
  std::size_t pick = random_.below(actors_.size() + fibers_.size() + (has_task ? 1 : 0));
  if (pick < actors_.size()) {
    Actor& actor = actors_[pick];
    return !actor.is_done() && actor.poll();
  }
  pick -= actors_.size();
  if (pick < fibers_.size()) return resume(*fibers_[pick]);
  return executor_.run_one();
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
