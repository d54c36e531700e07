#include "exec/simulation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/error.h"

namespace pileus {
namespace {

/// Two clients send numbers to one server, which works them off in tasks; returns the order in which they
/// were worked off.
std::vector<int> order_of_work(std::uint64_t seed) {
  Simulation simulation(seed);
  std::deque<int> mail;
  std::vector<int> order;
  for (int client = 0; client < 2; ++client) {
    simulation.add_fiber("client", [&, client] {
      for (int i = 0; i < 3; ++i) {
        mail.push_back(10 * client + i);
        while (mail.size() > 1) simulation.yield();
      }
    });
  }
  const auto poll = [&] {
    if (mail.empty()) return false;
    simulation.executor().submit([&order, number = mail.front()] { order.push_back(number); });
    mail.pop_front();
    return true;
  };
  simulation.add_actor("server", poll, [&mail] { return mail.empty(); });
  simulation.run();
  return order;
}

TEST(Simulation, runs_clients_servers_and_tasks_to_their_ends_for_a_thousand_seeds) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const auto order = order_of_work(seed);

    EXPECT_EQ(std::multiset<int>(order.begin(), order.end()), (std::multiset<int>{0, 1, 2, 10, 11, 12}));
  }
}

TEST(Simulation, does_the_same_again_for_the_same_seed) {
  std::set<std::vector<int>> orders;

  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_EQ(order_of_work(seed), order_of_work(seed));
    orders.insert(order_of_work(seed));
  }

  EXPECT_GT(orders.size(), 10U);
}

TEST(Simulation, lets_what_is_slow_move_only_when_nothing_else_does) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Simulation simulation(seed);
    std::vector<std::string> order;
    int to_do = 5;
    const auto poll = [&] {
      if (to_do == 0) return false;
      --to_do;
      order.emplace_back("server");
      simulation.executor(Pace::last).submit([&order] { order.emplace_back("slow task"); });
      return true;
    };
    simulation.add_actor("server", poll, [&order] { return order.size() == 11; });
    simulation.add_fiber(
        "slow client", [&order] { order.emplace_back("slow client"); }, Pace::last);
    simulation.run();

    EXPECT_EQ(std::count(order.begin(), order.begin() + 5, "server"), 5) << seed;
    EXPECT_EQ(std::count(order.begin(), order.end(), "slow task"), 5) << seed;
  }
}

TEST(Simulation, names_those_who_wait_when_nothing_happens_any_more) {
  Simulation simulation(1);
  simulation.add_fiber("client 0", [&simulation] {
    while (true) simulation.yield();
  });
  simulation.add_fiber("client 1", [] {});
  simulation.add_actor(
      "server 0", [] { return false; }, [] { return false; });
  simulation.add_actor(
      "server 1", [] { return false; }, [] { return true; });

  try {
    simulation.run();
    FAIL() << "a deadlock was not found";
  } catch (const Error& e) {
    EXPECT_EQ(std::string(e.what()), "the simulation stands still; waiting: client 0, server 0");
  }
}

TEST(Simulation, throws_what_a_client_throws) {
  Simulation simulation(1);
  simulation.add_fiber("client", [&simulation] {
    simulation.yield();
    throw UsageError("put before begin");
  });

  EXPECT_THROW(simulation.run(), UsageError);
}

TEST(Simulation, throws_what_a_task_throws) {
  Simulation simulation(1);
  simulation.executor().submit([] { throw std::runtime_error("broken"); });

  EXPECT_THROW(simulation.run(), std::runtime_error);
}

TEST(Simulation, does_not_yield_outside_of_a_fiber) {
  Simulation simulation(1);
  bool has_yielded = true;
  simulation.executor().submit([&] { has_yielded = simulation.yield(); });

  simulation.run();

  EXPECT_FALSE(has_yielded);
  EXPECT_FALSE(simulation.yield());
}

TEST(Simulation, yields_from_a_task_that_a_client_runs_itself) {
  Simulation simulation(1);
  bool has_yielded = false;
  simulation.add_fiber("client that hosts its server", [&] {
    simulation.executor().submit([&] { has_yielded = simulation.yield(); });
    simulation.executor().run_until_idle();
    while (!simulation.executor().is_idle()) simulation.yield();
  });

  simulation.run();

  EXPECT_TRUE(simulation.executor().is_idle());
}

TEST(Simulation, stops_in_the_middle_as_if_it_were_killed) {
  Simulation simulation(1);
  int steps = 0;
  simulation.add_fiber("client", [&] {
    while (true) {
      if (++steps == 5) simulation.stop();
      simulation.yield();
    }
  });

  simulation.run();

  EXPECT_EQ(steps, 5);
}

TEST(Simulation, runs_an_actor_that_a_client_adds) {
  Simulation simulation(1);
  bool is_done = false;
  simulation.add_fiber("client", [&] {
    simulation.add_actor(
        "server", [&is_done] { return is_done = true; }, [&is_done] { return is_done; });
  });

  simulation.run();

  EXPECT_TRUE(is_done);
}

TEST(Simulation, ends_at_once_when_there_is_nothing_to_do) {
  Simulation simulation(1);

  simulation.run();

  EXPECT_TRUE(simulation.executor().is_idle());
}

}  // namespace
}  // namespace pileus
