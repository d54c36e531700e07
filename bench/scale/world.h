#pragma once
// A job in virtual time: the real code of servers and model ranks runs in one thread, its processor time is
// measured and put on a clock of each process, and messages take what a network of nodes takes. What comes of
// it is when things happen on a machine that has a core for each process.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "exec/executor.h"
#include "exec/fiber.h"
#include "transport/budget.h"
#include "transport/endpoint.h"

namespace pileus::scale {

/// Seconds, and bytes in a second. `overhead_s`: what a message costs the processors of both sides.
struct Network {
  double overhead_s = 1e-6;
  double latency_s = 2e-6;
  double link_bytes_s = 12.5e9;  ///< of a node, in each direction: all its processes share it
  double near_latency_s = 0.5e-6;
  double near_bytes_s = 5e9;  ///< within a node
  Peer processes_of_node = 36;
};

/// What one process did.
struct Account {
  double busy_s = 0;  ///< of its own thread
  double task_s = 0;  ///< of its workers
  double disk_s = 0;  ///< of the file library and of writing
  std::uint64_t sent = 0, sent_bytes = 0, received = 0, received_bytes = 0;
  std::int64_t memory_bytes = 0;  ///< that its turns and tasks took and did not give back
};

/// What was sent from one process to another, and when the network took it and had it there.
struct Sent {
  std::uint32_t from = 0, to = 0;
  std::uint64_t size_bytes = 0;
  double departs = 0, arrives = 0;
};

class World {
 public:
  World(Peer processes, const Network& network);
  ~World();

  /// A server's lane: called whenever something may have come, until it says that nothing was there.
  void add_actor(Peer process, std::function<bool()> poll);
  /// A model rank: ordinary code that rests where it waits.
  void add_fiber(Peer process, std::function<void()> body);
  std::unique_ptr<Endpoint> endpoint(Peer process);
  /// One thread of the process beside its own; what it takes goes to the account that is named.
  Executor& executor(Peer process, double Account::*account);

  /// The clock of what runs now.
  double now() const;
  /// Inside a fiber: it computes for so long.
  void compute(double seconds);
  const Account& account(Peer process) const;
  /// From now on, each letter is added there.
  void record(std::vector<Sent>& letters) { record_ = &letters; }

  /// Runs until nothing happens any more. Errors: what the code throws.
  void run();

 private:
  class VirtualEndpoint;
  class VirtualExecutor;
  class VirtualSlot;
  class VirtualMessage;
  struct Letter {
    Peer from = 0, to = 0;
    Channel channel = kControl;
    std::size_t size_bytes = 0;
    std::shared_ptr<std::byte[]> bytes;
    double departs = 0;
    bool has_left = false;  ///< the node of the sender
  };
  struct Process {
    std::function<bool()> poll;
    std::unique_ptr<Fiber> fiber;
    double clock = 0;
    double next_wake = -1;                                               ///< that is in the queue; -1: none
    std::map<std::pair<double, std::uint64_t>, Letter> urgent, arrived;  ///< by arrival
    std::map<Peer, Budget> budgets;                                      ///< by receiver
    std::map<Peer, double> last_arrival;  ///< by receiver, as messages keep their order
    Account account;
    bool is_over = false;
  };
  struct Event {
    double time;
    std::uint64_t number;
    Peer process;
    VirtualExecutor* executor;
    std::shared_ptr<Letter> letter;  ///< that comes to a link then
    bool operator>(const Event& other) const {
      return std::pair(time, number) > std::pair(other.time, other.number);
    }
  };

  void wake(Peer process, double time);
  void turn(Peer process, double time);
  /// Runs `what` as of the process from `start` on; returns when it has ended.
  double timed(Peer process, double start, double Account::*account, const std::function<void()>& what);
  void send(Letter letter);
  void on_link(double time, std::shared_ptr<Letter> letter);
  void deliver(double arrives, Letter letter);
  std::shared_ptr<Message> receive(Peer process);
  Peer node_of(Peer process) const { return process / network_.processes_of_node; }

  Network network_;
  std::vector<Process> processes_;
  std::vector<double> out_free_, in_free_;  ///< when the link of a node is free
  std::vector<std::unique_ptr<VirtualExecutor>> executors_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::vector<Sent>* record_ = nullptr;
  std::uint64_t numbers_ = 0;
  Peer current_ = 0;
  double began_ = 0, cpu_began_ = 0;  ///< of what runs
};

/// Bytes that operator new has given and not got back: this program counts them.
std::int64_t allocated_bytes();

}  // namespace pileus::scale
