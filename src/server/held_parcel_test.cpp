// A step of which a parcel lies on the server's disk is not done, whatever the rest of it has come to.

#include "server/held_parcel.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "analytics/testing/handmade_plan.h"
#include "client/frames.h"
#include "core/encoder.h"
#include "disk/testing/memory_files.h"
#include "exec/seeded_executor.h"
#include "step/testing/facts_of_steps.h"
#include "streams/client_feed.h"

namespace pileus {
namespace {

using testing::FactsOfSteps;
using testing::HandmadePlan;

class TestMessage : public Message {
 public:
  explicit TestMessage(Bytes bytes) : bytes_(std::move(bytes)) {}
  Peer from() const override { return 0; }
  std::span<const std::byte> bytes() const override { return bytes_; }

 private:
  Bytes bytes_;
};

/// One model rank, which sends a parcel of f, which it did not put, and one of g in each step. There is
/// memory for one parcel that comes too early; the others go to the disk.
class HeldParcel : public ::testing::Test,
                   protected Contributions,
                   protected RecordSink,
                   protected StateSink {
 protected:
  static constexpr std::size_t kFirstField = 128, kParcelBytes = kFirstField + 4 * sizeof(double);

  HeldParcel() {
    const DimensionId x = hand_.dimension("x", 4);
    first_ = hand_.group("first");
    second_ = hand_.group("second");
    hand_.field(first_, "f", Spread::distributed, {x});
    hand_.field(second_, "g", Spread::distributed, {x});
    facts_.emplace(hand_.plan);
    feed_.emplace(hand_.plan, 0, workers_, errors_, static_cast<Contributions&>(*this),
                  static_cast<RecordSink&>(*this), static_cast<StateSink&>(*this), nullptr, statics_);
    feed_->lay_early_aside(spilling_);
  }

  void add(ClientRank, std::size_t, std::int64_t, std::unique_ptr<TreeValues>) override {}
  void deal(ClientRank, GroupId, std::int64_t, PointSamples) override {}
  void regrid(ClientRank, std::size_t, std::int64_t, RegridSamples) override {}
  void end(ClientRank, std::int64_t) override {}
  void add(Records, ClientRank) override {}
  void add_static(Record, ClientRank) override {}
  void end_client(ClientRank) override {}
  void keep(std::int64_t, std::vector<StateEntry>, std::string) override {}

  static Step at(std::int64_t step) { return {step, static_cast<double>(step), 1}; }

  void arrive(std::int64_t step) {
    send(first_, step, {0, Held::nothing, 0, 0});
    send(second_, step, {0, Held::whole, kFirstField, 4 * sizeof(double)});
  }
  void send(GroupId group, std::int64_t step, const FieldEntry& entry) {
    ParcelHeader header;
    header.group = group.index;
    header.step = at(step);
    header.field_count = 1;
    Bytes bytes(kParcelBytes);
    std::memcpy(bytes.data(), &header, sizeof header);
    std::memcpy(bytes.data() + sizeof header, &entry, sizeof entry);
    feed_->take(held_parcel(reader_, 0, std::make_shared<TestMessage>(std::move(bytes)), nullptr, in_memory_,
                            steps_));
  }
  void advance_clock(std::int64_t step) {
    feed_->advance(facts_->of(at(step), 0), steps_.open(step));
    workers_.run_until_idle();
  }
  void disk_works() {
    disk_.run_until_idle();
    spill_.poll();
  }

  HandmadePlan hand_{1};
  GroupId first_, second_;
  const std::vector<KeptStatic> statics_;
  std::optional<FactsOfSteps> facts_;
  SeededExecutor workers_{1}, disk_{1};
  ErrorList errors_;
  Gauge in_memory_;
  OpenSteps steps_;
  ParcelReader reader_{hand_.plan};
  testing::MemoryFiles files_;
  Spill spill_{files_.open_scratch("/scratch"), {1 << 20, 100}, disk_};
  Spilling spilling_{spill_, kParcelBytes,
                     [&](ClientRank client, std::shared_ptr<const Message> message, bool was_read) {
                       return parcel_again(reader_, client, std::move(message), was_read, in_memory_, steps_);
                     }};
  std::optional<ClientFeed> feed_;  ///< goes first
};

TEST_F(HeldParcel, keeps_its_step_from_being_done_while_it_lies_on_the_disk) {
  arrive(1);
  disk_works();
  ASSERT_EQ(in_memory_.held(), kParcelBytes) << "the second is on the disk alone";

  advance_clock(1);
  ASSERT_EQ(in_memory_.held(), 0) << "the first held nothing, and nothing else holds the step";
  EXPECT_EQ(steps_.done(), 0U);

  disk_works();
  feed_->go_on();
  EXPECT_EQ(in_memory_.held(), kParcelBytes);
  EXPECT_EQ(steps_.done(), 0U) << "it is read, and not analysed";
  workers_.run_until_idle();
  EXPECT_EQ(steps_.done(), 1U);
  EXPECT_EQ(in_memory_.held(), 0);
  EXPECT_EQ(errors_.all(), std::vector<std::string>());
}

TEST_F(HeldParcel, keeps_its_step_from_being_done_where_it_is_wanted_before_the_disk_has_taken_it) {
  arrive(1);

  feed_->advance(facts_->of(at(1), 0), steps_.open(1));
  EXPECT_EQ(steps_.done(), 0U);
  workers_.run_until_idle();
  EXPECT_EQ(steps_.done(), 0U) << "the disk writes it, which takes the memory until then";
  disk_works();
  EXPECT_EQ(steps_.done(), 1U);
  EXPECT_EQ(in_memory_.held(), 0);
}

TEST_F(HeldParcel, holds_the_steps_behind_its_own_too) {
  for (std::int64_t step = 1; step <= 3; ++step) arrive(step);
  disk_works();
  for (std::int64_t step = 1; step <= 3; ++step) advance_clock(step);
  EXPECT_EQ(steps_.done(), 0U);

  for (int turn = 0; turn < 6; ++turn) {
    disk_works();
    feed_->go_on();
    workers_.run_until_idle();
  }
  EXPECT_EQ(steps_.done(), 3U);
  EXPECT_EQ(spill_.waiting(), 0U);
  EXPECT_EQ(errors_.all(), std::vector<std::string>());
}

TEST_F(HeldParcel, lets_its_step_go_where_the_run_is_stopped) {
  arrive(1);
  disk_works();
  advance_clock(1);

  feed_->stop();
  workers_.run_until_idle();
  EXPECT_EQ(spill_.waiting(), 0U);
  EXPECT_EQ(steps_.done(), 1U);
}

}  // namespace
}  // namespace pileus
