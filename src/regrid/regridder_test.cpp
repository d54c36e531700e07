#include "regrid/regridder.h"

#include <gtest/gtest.h>

#include "regrid/testing/regrid_servers.h"
#include "regrid/testing/regrid_values.h"

namespace pileus {
namespace {

using testing::RegridModel;
using testing::RegridServers;
using testing::RegridValues;

constexpr std::int64_t kSteps = 4;

/// Some steps of a model: what is wanted, who hands it over, and until when.
class Run {
 public:
  Run(std::uint64_t seed, bool has_holes, bool lacks_some)
      : model_(RegridModel::random(seed, has_holes)),
        plan_(model_.plan()),
        servers_(model_, plan_, seed),
        random_(seed),
        last_steps_(model_.ranks, kSteps) {
    for (std::int64_t step = 1; step <= kSteps; ++step)
      for (std::size_t rule = 0; rule < model_.inputs.size(); ++rule) want(step, rule, seed, lacks_some);
    for (std::int64_t& last : last_steps_)
      if (lacks_some && random_.below(4) == 0) last = static_cast<std::int64_t>(random_.below(kSteps));
  }

  /// Ranks hand over their steps and the clock comes to these on each server, all at their own pace.
  void go() {
    servers_.start();
    std::vector<std::int64_t> of_rank(model_.ranks), of_server(model_.servers);
    for (bool goes_on = true; goes_on;) {
      const std::uint64_t any = random_.below(of_rank.size() + of_server.size());
      if (any < of_rank.size()) {
        const auto rank = static_cast<ClientRank>(any);
        if (++of_rank[rank] <= kSteps + 1) hand_over(rank, of_rank[rank]);
      } else {
        const auto server = static_cast<ServerRank>(any - of_rank.size());
        if (++of_server[server] <= kSteps) advance(server, of_server[server]);
      }
      servers_.run_some();
      goes_on = std::ranges::any_of(of_rank, [](std::int64_t step) { return step <= kSteps; }) ||
                std::ranges::any_of(of_server, [](std::int64_t step) { return step < kSteps; });
    }
    servers_.run_all();
  }

  void expect_all_right() {
    for (std::size_t group = 0; group < model_.groups.size(); ++group) {
      std::size_t results = 0;
      for (std::int64_t step = 1; step <= kSteps; ++step) {
        if (rules_of(group, step).empty()) continue;
        results += model_.ranks;
        for (ClientRank rank = 0; rank < model_.ranks; ++rank) expect_right(group, step, rank);
      }
      EXPECT_EQ(servers_.settled[group].size(), results);
    }
  }

  /// Results hold their step. Once nobody has them any more, nothing does.
  void expect_nothing_left(bool are_all_there) {
    for (const std::weak_ptr<const void>& hold : holds_) EXPECT_TRUE(!are_all_there || !hold.expired());
    for (ServerRank server = 0; server < model_.servers; ++server) {
      for (std::size_t group = 0; group < model_.groups.size(); ++group) {
        const Regridder* const regridder = servers_.regridder(server, group);
        EXPECT_TRUE(regridder == nullptr || regridder->open_texts().empty()) << "server " << server;
      }
    }
    for (auto& [group, settled] : servers_.settled) settled.clear();
    for (const std::weak_ptr<const void>& hold : holds_) EXPECT_TRUE(hold.expired());
  }

 private:
  void want(std::int64_t step, std::size_t rule, std::uint64_t seed, bool lacks_some) {
    if (random_.below(4) == 0) return;
    wanted_[step].emplace(
        rule, RegridValues(model_, rule, seed * 100 + rule * 10 + static_cast<std::uint64_t>(step)));
    for (ClientRank rank = 0; rank < model_.ranks; ++rank)
      if (lacks_some && random_.below(20) == 0) not_put_[{step, rule}].insert(rank);
  }
  std::vector<RuleId> rules_of(std::size_t group, std::int64_t step) {
    std::vector<RuleId> rules;
    for (const auto& [rule, values] : wanted_[step])
      if (model_.inputs[rule].group == group) rules.emplace_back(rule);
    return rules;
  }
  void hand_over(ClientRank rank, std::int64_t step) {
    for (std::size_t group = 0; group < model_.groups.size(); ++group) {
      Regridder& regridder = servers_.of_rank(rank, group);
      if (step == last_steps_[rank] + 1) regridder.end_client(rank, last_steps_[rank]);
      if (step > last_steps_[rank] || step > kSteps) continue;
      RegridSamples samples;
      for (const RuleId rule : rules_of(group, step)) {
        const bool is_other = model_.inputs[rule.index].spread == Spread::same && rank > 0;
        const bool is_there = !is_other && !not_put_[{step, rule.index}].contains(rank);
        samples.push_back({rule, Absent{}});
        if (is_there) samples.back().value = wanted_[step].at(rule.index).handed_over(rank);
      }
      if (!samples.empty()) regridder.add(rank, step, std::move(samples));
    }
  }
  void advance(ServerRank server, std::int64_t step) {
    for (std::size_t group = 0; group < model_.groups.size(); ++group) {
      Regridder* const regridder = servers_.regridder(server, group);
      if (regridder == nullptr || rules_of(group, step).empty()) continue;
      const auto hold = std::make_shared<int>(0);
      holds_.emplace_back(hold);
      regridder->advance(step, rules_of(group, step), hold);
    }
  }
  void expect_right(std::size_t group, std::int64_t step, ClientRank rank) {
    SCOPED_TRACE("step " + std::to_string(step) + " of rank " + std::to_string(rank));
    const std::vector<RuleId> rules = rules_of(group, step);
    const auto found = servers_.settled[group].find({step, rank});
    ASSERT_NE(found, servers_.settled[group].end());
    ASSERT_EQ(found->second.size(), rules.size());
    for (std::size_t i = 0; i < rules.size(); ++i) {
      const auto& [value, sample] = found->second[i];
      ASSERT_EQ(value, plan_[rules[i]].output);
      std::set<ClientRank> absent = not_put_[{step, rules[i].index}];
      for (ClientRank one = 0; one < model_.ranks; ++one)
        if (last_steps_[one] < step) absent.insert(one);
      const RegridValues& values = wanted_[step].at(rules[i].index);
      const bool is_there = values.is_there(rank, absent);
      EXPECT_EQ(is_absent(sample), !is_there) << "rule " << rules[i].index;
      if (is_there && !is_absent(sample)) values.expect(rank, sample);
    }
  }

  RegridModel model_;
  Plan plan_;
  RegridServers servers_;
  SeededRandom random_;
  std::vector<std::int64_t> last_steps_;                                ///< by rank
  std::map<std::int64_t, std::map<std::size_t, RegridValues>> wanted_;  ///< by step and rule
  std::map<std::pair<std::int64_t, std::size_t>, std::set<ClientRank>> not_put_;
  std::vector<std::weak_ptr<const void>> holds_;
};

void expect_right_results(std::uint64_t seeds, bool has_holes, bool lacks_some) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Run run(seed, has_holes, lacks_some);
    run.go();
    run.expect_all_right();
    run.expect_nothing_left(!lacks_some);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(Regridder, gives_each_stream_the_bits_of_a_slow_sum_in_any_order) {
  expect_right_results(80, false, false);
}

/// What a stream needs and does not get makes its result absent, and no other.
TEST(Regridder, leaves_out_what_is_made_of_what_a_rank_did_not_put_or_has_ended_before) {
  expect_right_results(80, false, true);
}

TEST(Regridder, takes_elements_that_no_rank_holds_for_missing) { expect_right_results(60, true, false); }

TEST(Regridder, knows_holes_from_what_was_not_put) { expect_right_results(50, true, true); }

/// Rank 0 on server 0, and 1 and 2 on server 1, have two of six points each. Points 0 and 1 of the result are
/// made of rank 0's and of rank 1's; nothing of rank 2's goes to server 0.
class RegridFrames : public ::testing::Test {
 protected:
  RegridFrames() {
    model_.ranks = 3;
    model_.servers = 2;
    model_.served_by = {0, 1, 1};
    testing::LinkedGrids grids;
    grids.source = grids.target = {6};
    grids.keeps_dimensions = true;
    grids.links = {{0, 2, 4, 5, 6, 7, 8}, {0, 2, 1, 3, 2, 3, 4, 5}, {}};
    model_.groups = {grids};
    testing::RegridInput input;
    input.extents = {6};
    input.axes = {0};
    input.held = {{{0}, {2}}, {{2}, {2}}, {{4}, {2}}};
    model_.inputs = {input};
    plan_ = model_.plan();
    servers_.emplace(model_, plan_, 3);
    servers_->start();
    at_0().advance(1, {RuleId(0)}, std::make_shared<int>(0));
    at_0().add(0, 1, {{RuleId(0), make_array({10, 20}, {2})}});
    servers_->run_all();
  }

  Regridder& at_0() { return servers_->of_rank(0, 0); }
  static Bytes head(std::int64_t step, const std::vector<std::uint32_t>& rules) {
    Bytes bytes;
    Encoder out(bytes);
    out.put(step);
    out.put(static_cast<std::uint64_t>(rules.size()));
    for (const std::uint32_t rule : rules) out.put(rule);
    return bytes;
  }
  static Bytes& add_rank(Bytes& bytes, ClientRank rank) {
    Encoder(bytes).put(rank);
    return bytes;
  }
  static Bytes& add_points(Bytes& bytes) {
    Encoder out(bytes);
    out.put(true);
    out.put(3.0);
    out.put(4.0);
    return bytes;
  }
  static Bytes right_frame(std::int64_t step) {
    Bytes bytes = head(step, {0});
    return add_points(add_rank(bytes, 1));
  }
  void arrive(const Bytes& bytes) {
    const auto shared = std::make_shared<const Bytes>(bytes);
    at_0().receive(1, Decoder(*shared), shared);
  }
  void expect_refused(const Bytes& bytes) {
    servers_.emplace(model_, plan_, 3);
    servers_->start();
    at_0().advance(1, {RuleId(0)}, std::make_shared<int>(0));
    at_0().add(0, 1, {{RuleId(0), make_array({10, 20}, {2})}});
    arrive(bytes);
    EXPECT_THROW(servers_->run_all(), TransportError);
  }

  RegridModel model_;
  Plan plan_;
  std::optional<RegridServers> servers_;
};

TEST_F(RegridFrames, hold_the_step_the_rules_and_what_each_rank_has) {
  arrive(right_frame(1));
  servers_->run_all();

  const BroadcastValues& values = servers_->settled[0].at({1, 0});
  const auto made = std::get<Array>(values.at(0).second).as<double>();
  EXPECT_EQ(std::vector(made.begin(), made.end()), (std::vector<double>{13, 24}));  // 10 + 3, 20 + 4
}

TEST_F(RegridFrames, are_sent_as_they_are_read) {
  Regridder& at_1 = servers_->of_rank(1, 0);
  at_1.add(1, 1, {{RuleId(0), make_array({3, 4}, {2})}});
  servers_->run_all();
  EXPECT_EQ(servers_->frames, 0U) << "rank 2 has not come";

  at_1.add(2, 1, {{RuleId(0), make_array({5, 6}, {2})}});
  servers_->run_all();

  EXPECT_EQ(servers_->frames, 1U) << "and nothing goes to server 1";
  EXPECT_EQ(servers_->last_frame, right_frame(1));
}

TEST_F(RegridFrames, make_a_result_absent_where_a_rank_has_nothing) {
  Bytes bytes = head(1, {0});
  Encoder(add_rank(bytes, 1)).put(false);
  arrive(bytes);
  servers_->run_all();
  EXPECT_TRUE(is_absent(servers_->settled[0].at({1, 0}).at(0).second));
}

TEST_F(RegridFrames, are_named_while_a_step_waits_for_them) {
  EXPECT_EQ(at_0().open_texts(),
            (std::vector<std::string>{"rule 0: step 1 (waits for 0 of 1 model ranks, 1 of 1 servers)"}));
  const auto waits = std::make_shared<Waits>();
  at_0().tell_waits(waits, {{0, 1}});
  servers_->run_all();
  const std::vector<Waits::Entry> entries = waits->take();
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].wait.text, "rule 0: step 1 waits for server 1");
}

TEST_F(RegridFrames, are_refused_wherever_they_are_torn) {
  const Bytes whole = right_frame(1);
  for (std::size_t size = 0; size < whole.size(); ++size)
    expect_refused(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
  Bytes longer = whole;
  longer.push_back(std::byte{0});
  expect_refused(longer);
}

/// What follows the rules is what would be right for the step's.
TEST_F(RegridFrames, are_refused_where_they_have_other_rules) {
  for (const std::vector<std::uint32_t>& rules :
       {std::vector<std::uint32_t>{}, {1}, {0, 0}, {0, UINT32_MAX}}) {
    Bytes bytes = head(1, rules);
    expect_refused(add_points(add_rank(bytes, 1)));
  }
}

TEST_F(RegridFrames, are_refused_where_they_have_other_ranks) {
  for (const ClientRank rank : {0U, 3U, UINT32_MAX}) {
    Bytes bytes = head(1, {0});
    expect_refused(add_points(add_rank(bytes, rank)));
  }
  Bytes twice = right_frame(1);
  expect_refused(add_points(add_rank(twice, 1)));
  Bytes with_another = right_frame(1);
  expect_refused(add_rank(with_another, 2));
  Bytes in_place_of_it = head(1, {0});
  expect_refused(add_rank(in_place_of_it, 2));
}

TEST_F(RegridFrames, are_refused_where_a_step_comes_twice_and_taken_in_any_order) {
  arrive(right_frame(2));
  arrive(right_frame(1));
  servers_->run_all();
  for (const std::int64_t step : {2, 1}) {
    arrive(right_frame(step));
    EXPECT_THROW(servers_->run_all(), TransportError) << "step " << step;
  }
}

TEST_F(RegridFrames, are_refused_from_servers_that_send_nothing) {
  const auto bytes = std::make_shared<const Bytes>(right_frame(1));
  EXPECT_THROW(at_0().receive(0, Decoder(*bytes), bytes), TransportError);
  EXPECT_THROW(at_0().receive(2, Decoder(*bytes), bytes), TransportError);
  EXPECT_THROW(servers_->of_rank(1, 0).receive(0, Decoder(*bytes), bytes), TransportError);
}

}  // namespace
}  // namespace pileus
