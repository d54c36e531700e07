#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "messaging/active_reduction.h"
#include "messaging/termination.h"
#include "messaging/tree_shape.h"

namespace pileus {
namespace {

constexpr std::int64_t kUnbearable = 666;

/// A sum of integers, and whether a contributor was missing.
struct Sum : Contribution {
  std::int64_t sum = 0;
  bool is_absent = false;
  explicit Sum(std::int64_t s, bool absent = false) : sum(s), is_absent(absent) {}
  void merge(const Contribution& other) override {
    if (static_cast<const Sum&>(other).sum == kUnbearable) throw 7;
    sum += static_cast<const Sum&>(other).sum;
    is_absent = is_absent || static_cast<const Sum&>(other).is_absent;
  }
  void encode(Encoder& out) const override {
    out.put(sum);
    out.put(static_cast<std::uint8_t>(is_absent));
  }
};

std::vector<ServerRank> servers(ServerRank count) {
  std::vector<ServerRank> all(count);
  for (ServerRank s = 0; s < count; ++s) all[s] = s;
  return all;
}

TEST(TreeShape, every_member_but_the_root_is_the_child_of_its_parent) {
  for (ServerRank count : {1u, 2u, 3u, 5u, 6u, 22u, 100u}) {
    for (ServerRank root : {ServerRank{0}, count / 2, count - 1}) {
      std::vector<int> parents(count, 0);
      for (ServerRank self = 0; self < count; ++self) {
        const TreeSeat seat = tree_seat(servers(count), root, self);
        EXPECT_EQ(seat.parent.has_value(), self != root);
        EXPECT_LE(seat.children.size(), kTreeArity);
        for (ServerRank child : seat.children) {
          ++parents[child];
          EXPECT_EQ(tree_seat(servers(count), root, child).parent, self);
        }
      }
      for (ServerRank self = 0; self < count; ++self) EXPECT_EQ(parents[self], self == root ? 0 : 1);
    }
  }
}

TEST(TreeShape, counts_the_servers_at_or_below_one) {
  for (ServerRank servers = 1; servers < 100; ++servers) {
    for (ServerRank above = 0; above < servers; ++above) {
      std::size_t below = 0;
      for (ServerRank server = 0; server < servers; ++server) below += is_at_or_below(server, above);
      ASSERT_EQ(servers_at_or_below(servers, above), below) << above << " of " << servers;
    }
  }
}

TEST(TreeShape, a_server_that_is_no_member_has_no_seat) {
  EXPECT_FALSE(tree_seat({0, 2}, 2, 1).is_member);
  EXPECT_TRUE(tree_seat({0, 2}, 2, 0).is_member);
}

/// All servers of one tree in one thread; what is sent waits in `wire` until it is delivered.
class Net {
 public:
  Net(ServerRank count, ServerRank root, std::size_t contributors) {
    for (ServerRank self = 0; self < count; ++self) {
      hosts.push_back(std::make_unique<Host>(*this));
      nodes.push_back(std::make_unique<ActiveReduction>(tree_seat(servers(count), root, self), contributors,
                                                        *hosts.back()));
    }
  }
  void deliver(std::size_t i) {
    const auto [to, step, bytes] = wire[i];
    wire.erase(wire.begin() + static_cast<std::ptrdiff_t>(i));
    Decoder in(bytes);
    nodes[to]->receive(step, in);
  }

  struct Frame {
    ServerRank to;
    std::int64_t step;
    Bytes bytes;
  };
  /// One server's side of the tree.
  class Host : public ReductionHost {
   public:
    explicit Host(Net& net) : net_(net) {}
    std::unique_ptr<Contribution> decode(Decoder& in) override {
      const auto sum = in.get<std::int64_t>();
      return std::make_unique<Sum>(sum, in.get<std::uint8_t>() != 0);
    }
    std::unique_ptr<Contribution> absent() override { return std::make_unique<Sum>(0, true); }
    void send(ServerRank parent, std::int64_t step, const Contribution& values) override {
      Bytes bytes;
      Encoder out(bytes);
      values.encode(out);
      net_.wire.push_back({parent, step, std::move(bytes)});
    }
    void complete(std::int64_t step, std::unique_ptr<Contribution> values) override {
      net_.completed.push_back({step, static_cast<Sum&>(*values)});
    }
    void fail(std::int64_t step, const std::string& why) override {
      net_.failures.push_back(std::to_string(step) + ": " + why);
    }

   private:
    Net& net_;
  };
  std::vector<std::unique_ptr<Host>> hosts;
  std::vector<std::unique_ptr<ActiveReduction>> nodes;
  std::vector<Frame> wire;
  std::vector<std::pair<std::int64_t, Sum>> completed;
  std::vector<std::string> failures;
};

TEST(ActiveReduction, completes_every_step_once_in_any_order_of_arrival) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const ServerRank count = 1 + random() % 7;
    Net net(count, random() % count, 2);
    std::vector<std::pair<ServerRank, std::int64_t>> todo;
    for (ServerRank s = 0; s < count; ++s) {
      for (std::int64_t step = 1; step <= 5; ++step) todo.insert(todo.end(), 2, {s, step});
    }

    while (!todo.empty() || !net.wire.empty()) {
      if (!todo.empty() && (net.wire.empty() || random() % 2 == 0)) {
        std::swap(todo[random() % todo.size()], todo.back());
        net.nodes[todo.back().first]->contribute(todo.back().second,
                                                 std::make_unique<Sum>(todo.back().second));
        todo.pop_back();
      } else {
        net.deliver(random() % net.wire.size());
      }
    }

    ASSERT_EQ(net.completed.size(), 5u);
    for (const auto& [step, sum] : net.completed)
      EXPECT_EQ(sum.sum, step * 2 * count);  // 2 contributors a server
    for (const auto& node : net.nodes) EXPECT_FALSE(node->has_open_keys());
  }
}

TEST(ActiveReduction, a_contributor_that_ended_early_is_absent_and_not_waited_for) {
  Net net(2, 0, 1);
  net.nodes[0]->contribute(1, std::make_unique<Sum>(1));
  net.nodes[1]->contribute(1, std::make_unique<Sum>(1));
  net.deliver(0);

  net.nodes[1]->end_contributor(1);
  net.nodes[0]->contribute(2, std::make_unique<Sum>(1));
  EXPECT_TRUE(net.nodes[0]->has_open_keys());
  net.nodes[1]->open(2);
  net.deliver(0);

  ASSERT_EQ(net.completed.size(), 2u);
  EXPECT_FALSE(net.completed[0].second.is_absent);
  EXPECT_TRUE(net.completed[1].second.is_absent);
}

TEST(ActiveReduction, the_clock_may_open_a_step_that_has_already_closed) {
  Net net(1, 0, 1);

  net.nodes[0]->contribute(3, std::make_unique<Sum>(1));
  net.nodes[0]->open(3);

  EXPECT_EQ(net.completed.size(), 1u);
  EXPECT_FALSE(net.nodes[0]->has_open_keys());
}

/// 1 + 1 of the other two is no sum of three.
TEST(ActiveReduction, a_contribution_that_cannot_be_read_leaves_its_step_without_a_value) {
  Net net(3, 0, 1);
  for (ServerRank server = 0; server < 3; ++server) {
    net.nodes[server]->contribute(1, std::make_unique<Sum>(1));
    net.nodes[server]->contribute(2, std::make_unique<Sum>(1));
  }
  net.wire[0].bytes.resize(3);
  const std::int64_t damaged = net.wire[0].step;

  while (!net.wire.empty()) net.deliver(0);

  ASSERT_EQ(net.completed.size(), 2u);
  for (const auto& [step, sum] : net.completed) {
    EXPECT_EQ(sum.is_absent, step == damaged);
    if (step != damaged) {
      EXPECT_EQ(sum.sum, 3);
    }
  }
  EXPECT_EQ(net.failures.size(), 1u);
}

TEST(ActiveReduction, a_merge_that_throws_whatever_type_leaves_its_step_without_a_value) {
  Net net(1, 0, 3);

  net.nodes[0]->contribute(1, std::make_unique<Sum>(1));
  net.nodes[0]->contribute(1, std::make_unique<Sum>(kUnbearable));
  EXPECT_TRUE(net.completed.empty());
  net.nodes[0]->contribute(1, std::make_unique<Sum>(1));

  ASSERT_EQ(net.completed.size(), 1u);
  EXPECT_TRUE(net.completed[0].second.is_absent);
  EXPECT_EQ(net.completed[0].second.sum, 0);
  EXPECT_EQ(net.failures, std::vector<std::string>{"1: an exception that is no std::exception"});
}

TEST(ActiveReduction, names_what_it_waits_for) {
  Net net(2, 0, 3);

  net.nodes[0]->contribute(7, std::make_unique<Sum>(1));

  EXPECT_EQ(net.nodes[0]->open_keys(),
            std::vector<std::string>{"step 7 (waits for 2 of 3 model ranks and 1 of 1 servers)"});
}

TEST(Termination, is_over_after_two_equal_waves_with_all_messages_received) {
  Termination termination(2);

  EXPECT_FALSE(termination.answer(0, {5, 3}));
  EXPECT_TRUE(termination.answer(1, {3, 5}));
  EXPECT_FALSE(termination.is_over());
  termination.answer(1, {3, 5});
  termination.answer(0, {5, 3});

  EXPECT_TRUE(termination.is_over());
}

TEST(Termination, is_not_over_while_a_message_is_under_way_or_counts_still_change) {
  Termination termination(2);

  termination.answer(0, {5, 3});
  termination.answer(1, {3, 4});  // 8 sent, 7 received
  EXPECT_FALSE(termination.is_over());
  termination.answer(0, {5, 3});
  termination.answer(1, {3, 5});  // all received, but the last wave was another
  EXPECT_FALSE(termination.is_over());
  termination.answer(0, {6, 3});
  termination.answer(1, {3, 6});
  EXPECT_FALSE(termination.is_over());
  termination.answer(0, {6, 3});
  termination.answer(1, {3, 6});
  EXPECT_TRUE(termination.is_over());
}

}  // namespace
}  // namespace pileus
