#include "streams/client_stream.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analytics/testing/handmade_plan.h"
#include "exec/seeded_executor.h"
#include "step/testing/facts_of_steps.h"
#include "streams/lent_array.h"

namespace pileus {
namespace {

using testing::FactsOfSteps;
using testing::HandmadePlan;

class FakeMessage : public Message {
 public:
  Peer from() const override { return 0; }
  std::span<const std::byte> bytes() const override { return std::as_bytes(std::span(place)); }
  double place[4] = {};
};

/// The stream of the one model rank of a run. In each step that hands over f, a lent array of four numbers,
/// and then g. Both are summed up.
class ClientStreamTest : public ::testing::Test,
                         protected Contributions,
                         protected RecordSink,
                         protected StateSink {
 protected:
  ClientStreamTest() {
    const DimensionId x = hand_.dimension("x", 4);
    first_ = hand_.group("first");
    second_ = hand_.group("second");
    f_ = hand_.field(first_, "f", Spread::distributed, {x});
    g_ = hand_.field(second_, "g", Spread::distributed, {x});
    for (ValueId field : {f_, g_}) hand_.hold(0, field, {{0}, {4}});
    std::vector<ValueId> roots;
    for (ValueId field : {f_, g_})
      roots.push_back(hand_.reduced_to(0, hand_.reduced(field, Reduction::sum, {0}), Reduction::sum));
    hand_.tree(0, roots);
    facts_.emplace(hand_.plan);
    stream_.emplace(hand_.plan, 0, executor_, errors_, static_cast<Contributions&>(*this),
                    static_cast<RecordSink&>(*this), static_cast<StateSink&>(*this));
  }

  void add(ClientRank, std::size_t, std::int64_t step, std::unique_ptr<TreeValues>) override {
    contributed_.push_back(step);
  }
  void deal(ClientRank, GroupId, std::int64_t, PointSamples) override {}
  void regrid(ClientRank, std::size_t, std::int64_t, RegridSamples) override {}
  void end(ClientRank, std::int64_t last_step) override { ended_after_ = last_step; }
  void add(Records, ClientRank) override {}
  void add_static(Record, ClientRank) override {}
  void end_client(ClientRank) override {}
  void keep(std::int64_t, std::vector<StateEntry>, std::string) override {}

  Parcel parcel(GroupId group, std::int64_t step) {
    Parcel parcel{group, {step, static_cast<double>(step), 1}, 0, {}};
    parcel.facts = facts_->of(parcel.step, 0);
    return parcel;
  }
  Parcel lending(Loan& loan, std::int64_t step) {
    Parcel lending = parcel(first_, step);
    const LentBytes here{reinterpret_cast<const std::byte*>(numbers_.data())};
    Array array;
    array.extents = {4};
    lending.fields.emplace_back(hand_.field_of(f_), array);
    lending.lent.emplace_back(
        0, std::make_shared<LentArray>(message_, loan, here,
                                       std::as_writable_bytes(std::span(message_->place))));
    return lending;
  }
  Parcel rest(std::int64_t step) {
    Parcel rest = parcel(second_, step);
    rest.fields.emplace_back(hand_.field_of(g_), make_array({1.0, 1, 1, 1}, {4}));
    return rest;
  }

  HandmadePlan hand_{1};
  GroupId first_, second_;
  ValueId f_, g_;
  std::optional<FactsOfSteps> facts_;
  SeededExecutor executor_{1};
  ErrorList errors_;
  std::vector<double> numbers_ = {1, 2, 3, 4};
  std::shared_ptr<FakeMessage> message_ = std::make_shared<FakeMessage>();
  std::vector<std::int64_t> contributed_;
  std::int64_t ended_after_ = -2;
  std::optional<ClientStream> stream_;  ///< goes first
};

TEST_F(ClientStreamTest, gives_a_lent_array_back_when_the_step_is_analysed) {
  Loan loan{Loan::offered};
  stream_->take(lending(loan, 1));
  executor_.run_until_idle();
  EXPECT_EQ(loan.state, Loan::read) << "the step lacks a parcel";

  stream_->take(rest(1));
  executor_.run_until_idle();

  EXPECT_TRUE(loan.is_settled());
  EXPECT_EQ(contributed_, std::vector<std::int64_t>{1});
}

/// The field on points comes back from other servers, or does not.
TEST_F(ClientStreamTest, gives_it_back_when_the_run_stops_before_points_have_come_back) {
  hand_.plan.fields[hand_.field_of(g_).index].points = 0;
  facts_.emplace(hand_.plan);
  Loan loan{Loan::offered};
  stream_->take(lending(loan, 1));
  stream_->take(rest(1));
  executor_.run_until_idle();
  EXPECT_TRUE(contributed_.empty());

  stream_->abandon();
  executor_.run_until_idle();

  EXPECT_TRUE(loan.is_settled());
  EXPECT_EQ(contributed_, std::vector<std::int64_t>{1});
}

/// The clock may come to a step, and others' points with it, before it is known that the rank has left.
TEST_F(ClientStreamTest, lets_values_go_that_come_for_steps_after_the_last_one_of_its_rank) {
  stream_->finish(5);
  auto held = std::make_shared<std::vector<double>>(4);
  const std::weak_ptr<const std::vector<double>> hold = held;
  Array array;
  array.extents = {4};
  array.bytes = std::shared_ptr<const std::byte>(held, reinterpret_cast<const std::byte*>(held->data()));
  auto values = std::make_shared<BroadcastValues>();
  values->emplace_back(g_, std::move(array));
  held.reset();
  stream_->settle(6, std::move(values));
  executor_.run_until_idle();

  EXPECT_TRUE(hold.expired());
}

TEST_F(ClientStreamTest, gives_it_back_when_the_rest_of_the_step_does_not_come) {
  Loan loan{Loan::offered};
  stream_->take(lending(loan, 1));
  executor_.run_until_idle();

  stream_->abandon();
  executor_.run_until_idle();

  EXPECT_TRUE(loan.is_settled());
  EXPECT_TRUE(errors_.all().empty());
}

TEST_F(ClientStreamTest, gives_it_back_when_the_rank_has_failed) {
  Loan loan{Loan::offered}, later{Loan::offered};
  stream_->take(lending(loan, 1));
  stream_->take(lending(later, 2));
  executor_.run_until_idle();

  EXPECT_TRUE(loan.is_settled());
  EXPECT_TRUE(later.is_settled() || later.state == Loan::offered);
  EXPECT_EQ(ended_after_, 1);
  EXPECT_EQ(errors_.all().size(), 1U);
}

TEST_F(ClientStreamTest, does_not_claim_what_comes_after_a_failure) {
  Loan loan{Loan::offered};
  stream_->fail("gone");
  stream_->take(lending(loan, 1));
  executor_.run_until_idle();

  EXPECT_TRUE(loan.begin_taking_back()) << "the model rank copies it into the message";
}

}  // namespace
}  // namespace pileus
