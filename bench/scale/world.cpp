#include "world.h"

#include <malloc.h>
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include "exec/run_task.h"

namespace {

std::int64_t allocated = 0;

}  // namespace

// Not inlined, as the compiler would take malloc and delete for a mistake.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  void* const memory = std::malloc(bytes > 0 ? bytes : 1);
  if (memory == nullptr) throw std::bad_alloc();
  allocated += static_cast<std::int64_t>(malloc_usable_size(memory));
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  if (memory != nullptr) allocated -= static_cast<std::int64_t>(malloc_usable_size(memory));
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

namespace pileus::scale {
namespace {

double thread_cpu_s() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Not counted: it belongs to the network.
std::shared_ptr<std::byte[]> memory_of_message(std::size_t bytes) {
  auto* const memory = static_cast<std::byte*>(std::aligned_alloc(64, (bytes / 64 + 1) * 64));
  if (memory == nullptr) throw std::bad_alloc();
  return {memory, [](std::byte* first) { std::free(first); }};
}

}  // namespace

std::int64_t allocated_bytes() { return allocated; }

class World::VirtualExecutor : public Executor {
 public:
  VirtualExecutor(World& world, Peer process, double Account::*account)
      : world_(world), process_(process), account_(account) {}

  void submit(Task task) override {
    waiting_.push_back(std::move(task));
    if (waiting_.size() == 1) plan(std::max(clock_, world_.now()));
  }
  bool is_idle() const override { return waiting_.empty() && !is_running_; }

  void run_one(double time) {
    Task task = std::move(waiting_.front());
    is_running_ = true;
    clock_ = world_.timed(process_, std::max(time, clock_), account_, [&] {
      run_task(std::move(task), [](const std::exception_ptr& error) { std::rethrow_exception(error); });
    });
    is_running_ = false;
    waiting_.pop_front();
    if (!waiting_.empty()) plan(clock_);
    world_.wake(process_, clock_);
  }

 private:
  void plan(double time) { world_.events_.push({time, world_.numbers_++, process_, this, nullptr}); }

  World& world_;
  Peer process_;
  double Account::*account_;
  std::deque<Task> waiting_;  ///< with the one that runs
  bool is_running_ = false;
  double clock_ = 0;
};

class World::VirtualSlot : public Slot {
 public:
  VirtualSlot(World& world, Letter letter) : world_(&world), letter_(std::move(letter)) {}
  ~VirtualSlot() override {
    if (world_ != nullptr)
      world_->processes_[letter_.from].budgets[letter_.to].drop(letter_.channel, letter_.size_bytes);
  }
  std::span<std::byte> bytes() override { return {letter_.bytes.get(), letter_.size_bytes}; }
  void send() { std::exchange(world_, nullptr)->send(std::move(letter_)); }

 private:
  World* world_;
  Letter letter_;
};

class World::VirtualMessage : public Message {
 public:
  VirtualMessage(World& world, Letter letter) : world_(world), letter_(std::move(letter)) {}
  ~VirtualMessage() override {
    if (letter_.channel == kControl) return;
    world_.processes_[letter_.from].budgets[letter_.to].give_back(letter_.channel, 1, letter_.size_bytes);
    world_.wake(letter_.from, world_.now() + world_.network_.latency_s);
  }
  Peer from() const override { return letter_.from; }
  std::span<const std::byte> bytes() const override { return {letter_.bytes.get(), letter_.size_bytes}; }

 private:
  World& world_;
  Letter letter_;
};

class World::VirtualEndpoint : public Endpoint {
 public:
  VirtualEndpoint(World& world, Peer self) : world_(world), self_(self) {}

  Peer self() const override { return self_; }
  Peer size() const override { return static_cast<Peer>(world_.processes_.size()); }
  bool is_near(Peer peer) const override { return world_.node_of(peer) == world_.node_of(self_); }
  void set_budget(Peer to, std::size_t bytes) override { budget(to).set(bytes); }
  std::unique_ptr<Slot> claim(Peer to, Channel channel, std::size_t bytes) override {
    if (!budget(to).take(channel, bytes)) return nullptr;
    return std::make_unique<VirtualSlot>(world_, Letter{self_, to, channel, bytes, memory_of_message(bytes)});
  }
  void commit(std::unique_ptr<Slot> slot) override { static_cast<VirtualSlot&>(*slot).send(); }
  std::shared_ptr<Message> receive() override { return world_.receive(self_); }
  void rest(std::chrono::microseconds) override {
    if (Fiber* const fiber = world_.processes_[self_].fiber.get()) fiber->yield();
  }
  bool is_all_sent() override { return true; }

 private:
  Budget& budget(Peer to) { return world_.processes_[self_].budgets[to]; }
  World& world_;
  Peer self_;
};

World::World(Peer processes, const Network& network)
    : network_(network),
      processes_(processes),
      out_free_(processes / network.processes_of_node + 1),
      in_free_(out_free_.size()) {}
World::~World() = default;

void World::add_actor(Peer process, std::function<bool()> poll) {
  processes_[process].poll = std::move(poll);
  wake(process, 0);
}

void World::add_fiber(Peer process, std::function<void()> body) {
  processes_[process].fiber = std::make_unique<Fiber>(std::move(body));
  wake(process, 0);
}

std::unique_ptr<Endpoint> World::endpoint(Peer process) {
  return std::make_unique<VirtualEndpoint>(*this, process);
}

Executor& World::executor(Peer process, double Account::*account) {
  executors_.push_back(std::make_unique<VirtualExecutor>(*this, process, account));
  return *executors_.back();
}

double World::now() const { return began_ + (thread_cpu_s() - cpu_began_); }

void World::compute(double seconds) {
  Process& process = processes_[current_];
  const double until = now() + seconds;
  // What arrives meanwhile wakes it no earlier than that.
  began_ += seconds;
  wake(current_, until);
  process.fiber->yield();
}

const Account& World::account(Peer process) const { return processes_[process].account; }

void World::wake(Peer process, double time) {
  Process& woken = processes_[process];
  if (woken.is_over || (woken.next_wake >= 0 && woken.next_wake <= time)) return;
  woken.next_wake = time;
  events_.push({time, numbers_++, process, nullptr, nullptr});
}

double World::timed(Peer process, double start, double Account::*account, const std::function<void()>& what) {
  const std::int64_t memory = allocated;
  current_ = process;
  began_ = start;
  cpu_began_ = thread_cpu_s();
  what();
  const double took_s = thread_cpu_s() - cpu_began_;
  processes_[process].account.*account += took_s;
  processes_[process].account.memory_bytes += allocated - memory;
  return began_ + took_s;
}

void World::turn(Peer number, double time) {
  Process& process = processes_[number];
  if (process.fiber) {
    process.clock = timed(number, time, &Account::busy_s, [&] { process.fiber->resume(); });
    process.is_over = process.fiber->has_ended();
  } else {
    bool has_worked = false;
    process.clock = timed(number, time, &Account::busy_s, [&] { has_worked = process.poll(); });
    if (has_worked) wake(number, process.clock);
  }
  for (const auto* queue : {&process.urgent, &process.arrived}) {
    if (!queue->empty()) wake(number, std::max(process.clock, queue->begin()->first.first));
  }
}

void World::run() {
  while (!events_.empty()) {
    const Event event = events_.top();
    events_.pop();
    if (event.letter != nullptr) {
      on_link(event.time, event.letter);
      continue;
    }
    if (event.executor != nullptr) {
      event.executor->run_one(event.time);
      continue;
    }
    Process& process = processes_[event.process];
    if (process.is_over || process.next_wake != event.time) continue;
    process.next_wake = -1;
    if (event.time < process.clock) {
      wake(event.process, process.clock);  // something came while it was busy
    } else {
      turn(event.process, event.time);
    }
  }
}

void World::send(Letter letter) {
  Process& from = processes_[letter.from];
  ++from.account.sent;
  from.account.sent_bytes += letter.size_bytes;
  from.account.busy_s += network_.overhead_s;
  began_ += network_.overhead_s;
  letter.departs = now();
  if (node_of(letter.from) == node_of(letter.to)) {
    const double bytes = static_cast<double>(letter.size_bytes);
    const double arrives = letter.departs + network_.near_latency_s + bytes / network_.near_bytes_s;
    deliver(arrives, std::move(letter));
  } else {
    const double departs = letter.departs;
    events_.push({departs, numbers_++, 0, nullptr, std::make_shared<Letter>(std::move(letter))});
  }
}

// A link serves letters in the order in which they come to it. As a turn runs whole before others that begin
// within it, that is not the order in which they are sent here, so each waits for its time among the events.
void World::on_link(double time, std::shared_ptr<Letter> letter) {
  const double on_link_s = static_cast<double>(letter->size_bytes) / network_.link_bytes_s;
  double& free = letter->has_left ? in_free_[node_of(letter->to)] : out_free_[node_of(letter->from)];
  const double begins = std::max(free, time);
  free = begins + on_link_s;
  if (std::exchange(letter->has_left, true)) return deliver(free, std::move(*letter));
  events_.push({begins + network_.latency_s, numbers_++, 0, nullptr, std::move(letter)});
}

void World::deliver(double arrives, Letter letter) {
  if (letter.channel != kUrgent) {
    double& last = processes_[letter.from].last_arrival[letter.to];
    arrives = last = std::max(arrives, last);
  }
  if (record_ != nullptr)
    record_->push_back({letter.from, letter.to, letter.size_bytes, letter.departs, arrives});
  const Peer receiver = letter.to;
  Process& to = processes_[receiver];
  auto& queue = letter.channel == kUrgent ? to.urgent : to.arrived;
  queue.emplace(std::pair(arrives, numbers_++), std::move(letter));
  wake(receiver, arrives);
}

std::shared_ptr<Message> World::receive(Peer number) {
  Process& process = processes_[number];
  for (auto* queue : {&process.urgent, &process.arrived}) {
    if (queue->empty() || queue->begin()->first.first > now()) continue;
    Letter letter = std::move(queue->begin()->second);
    queue->erase(queue->begin());
    ++process.account.received;
    process.account.received_bytes += letter.size_bytes;
    process.account.busy_s += network_.overhead_s;
    began_ += network_.overhead_s;
    if (letter.channel != kControl) processes_[letter.from].budgets[number].note_received(1);
    return std::make_shared<VirtualMessage>(*this, std::move(letter));
  }
  return nullptr;
}

}  // namespace pileus::scale
