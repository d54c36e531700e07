// Checks the bytes of a parcel against frames.h by hand.

#include <gtest/gtest.h>

#include "client/client.h"
#include "client/testing/fake_server.h"

namespace pileus {
namespace {

/// Two groups. "state" comes every step with the profile u (3 floats), the scalar p that only rank 0 sends,
/// and an optional q that no rank has. "slow" comes every second step with n (2 integers, sent as doubles).
Demand two_groups(bool is_rank_zero) {
  Demand demand;
  demand.needs = {{1, 0}, {2, 0}};
  demand.budget_bytes = 4096;
  demand.groups = {{"state",
                    1,
                    {{"p", ElementType::float64, false, is_rank_zero, {0}},
                     {"u", ElementType::float32, false, true, {0}},
                     {"q", ElementType::float64, true, true, {1}}}},
                   {"slow", 2, {{"n", ElementType::float64, false, true, {1}}}}};
  return demand;
}

class ParcelTest : public testing::Test {
 protected:
  void start(ClientRank rank, const Demand& demand) {
    client.emplace(server, 1, rank);
    client->field({"u", ElementType::float64, {}, {{}, {3}}});
    client->field({"n", ElementType::int32, {}, {{}, {2}}});
    client->field({"p", ElementType::float64, {}, {}});
    client->field({"unused", ElementType::float64, {}, {}});
    server.reply_demand(demand);
    client->commit();
    server.sent.clear();
  }
  void put_all() {
    client->put(0, u, nullptr);
    client->put(1, n, nullptr);
    client->put(2, &p, nullptr);
  }
  FakeServer server;
  std::optional<Client> client;
  const double u[3] = {1, 2, 3};
  const std::int32_t n[2] = {-7, 8};
  const double p = 1000;
};

TEST_F(ParcelTest, holds_header_entries_and_fields_where_they_belong) {
  start(0, two_groups(true));

  client->begin({3, 31.5, 1.5}, false);  // 3 is odd, so neither "slow" nor q is due
  put_all();
  client->end();

  ASSERT_EQ(server.sent.size(), 2U);  // the clock, then "state"
  const SentMessage& parcel = server.sent[1];
  EXPECT_EQ(parcel.channel, 1U);
  const ParcelHeader header = parcel.header();
  EXPECT_EQ(header.kind, FrameKind::parcel);
  EXPECT_EQ(header.group, 0U);
  EXPECT_EQ(header.step, (Step{3, 31.5, 1.5, 0, 0, 1}));
  EXPECT_EQ(header.start_time_s, 30);
  EXPECT_EQ(header.step.is_final, 0U);
  ASSERT_EQ(header.field_count, 2U);
  // 56 bytes of header and 2 × 24 of entries end at 104; p lies at 128, its 8 bytes end at 136; u lies at
  // 192.
  const FieldEntry first = parcel.entry(0), second = parcel.entry(1);
  EXPECT_EQ(first.field, 0U);
  EXPECT_EQ(first.held, Held::whole);
  EXPECT_EQ(first.offset, 128U);
  EXPECT_EQ(first.size_bytes, 8U);
  EXPECT_EQ(parcel.at<double>(128), 1000);
  EXPECT_EQ(second.field, 1U);
  EXPECT_EQ(second.held, Held::whole);
  EXPECT_EQ(second.offset, 192U);
  EXPECT_EQ(second.size_bytes, 12U);
  EXPECT_EQ(parcel.at<float>(200), 3.0F);
  EXPECT_EQ(parcel.bytes.size(), 204U);
}

TEST_F(ParcelTest, leaves_no_byte_of_the_room_as_it_was) {
  start(0, two_groups(true));
  const auto send_step = [&](std::byte stale) {
    FakeServer& endpoint = server;
    endpoint.stale = stale;
    client->begin({client->step().index + 2, client->step().time + 2, 1}, false);
    client->put(0, u, nullptr);  // p and n are not put
    client->end();
    auto parcels = endpoint.sent_of(FrameKind::parcel);
    endpoint.sent.clear();
    for (SentMessage& parcel : parcels) std::fill_n(parcel.bytes.begin(), sizeof(ParcelHeader), std::byte{});
    return parcels;
  };

  const auto some = send_step(std::byte{0x00});
  const auto other = send_step(std::byte{0xFF});

  ASSERT_EQ(some.size(), 2U);
  ASSERT_EQ(other.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(some[i].bytes, other[i].bytes);
}

TEST_F(ParcelTest, says_absent_for_what_was_not_put_and_names_it) {
  start(0, two_groups(true));

  client->begin({2, 2, 1}, false);
  client->put(0, u, nullptr);
  const std::vector<std::string> missing = client->end();

  EXPECT_EQ(missing, (std::vector<std::string>{"n", "p"}));  // q is optional
  const auto parcels = server.sent_of(FrameKind::parcel);
  ASSERT_EQ(parcels.size(), 2U);
  EXPECT_EQ(parcels[0].header().field_count, 3U);
  EXPECT_EQ(parcels[0].entry(0).held, Held::nothing);
  EXPECT_EQ(parcels[0].entry(1).held, Held::whole);
  EXPECT_EQ(parcels[0].entry(2).held, Held::nothing);
  EXPECT_EQ(parcels[0].entry(2).size_bytes, 0U);
  EXPECT_EQ(parcels[1].channel, 2U);
  EXPECT_EQ(parcels[1].entry(0).held, Held::nothing);
  EXPECT_EQ(parcels[1].at<double>(parcels[1].entry(0).offset), 0);
}

TEST_F(ParcelTest, holds_only_what_this_rank_sends_but_all_ranks_want_alike) {
  start(1, two_groups(false));

  client->begin({1, 1, 1}, false);
  EXPECT_TRUE(client->wanted(2));
  put_all();
  const std::vector<std::string> missing = client->end();

  EXPECT_TRUE(missing.empty());
  ASSERT_EQ(server.sent.size(), 1U);  // no clock from rank 1
  EXPECT_EQ(server.sent[0].header().field_count, 1U);
  EXPECT_EQ(server.sent[0].entry(0).field, 1U);
}

/// u comes every step. n, which never changes, is needed in every second step and travels in the first.
Demand with_static(bool is_sent, bool is_kept) {
  Need first;
  first.at_first = true;
  Demand demand;
  demand.needs = {{1, 0}, {2, 0}, first};
  demand.groups = {{"state", 1, {{"u", ElementType::float32, false, true, {0}}}},
                   {"grid", 1, {{"n", ElementType::float64, false, is_sent, {1, 2}, true, is_kept}}}};
  return demand;
}

TEST_F(ParcelTest, holds_what_never_changes_in_the_first_step_alone) {
  start(0, with_static(true, false));
  std::vector<std::uint64_t> fields;
  std::vector<bool> wanted;

  for (const Step& step : {Step{1, 10, 1}, Step{2, 11, 1}, Step{3, 13, 2}, Step{4, 14, 1}}) {
    client->begin(step, false);
    wanted.push_back(client->wanted(1));
    client->put(1, n, nullptr);
    EXPECT_EQ(client->end(), std::vector<std::string>{"u"});
  }

  EXPECT_EQ(wanted, (std::vector<bool>{true, false, false, false}));
  for (const SentMessage& parcel : server.sent_of(FrameKind::parcel))
    if (parcel.header().group == 1) fields.push_back(parcel.header().field_count);
  EXPECT_EQ(fields, (std::vector<std::uint64_t>{1, 0, 0}));  // steps 1, 2 and 4: the others need nothing
}

TEST_F(ParcelTest, of_the_first_step_waits_for_what_never_changes_also_where_others_send_it) {
  start(1, with_static(false, false));
  client->begin({1, 10, 1}, false);

  try {
    client->end();
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "pileus_end: the first step lacks the static field \"n\", which no later step takes; "
                 "put it, and end the step then");
  }
  EXPECT_TRUE(server.sent.empty());

  client->put(1, n, nullptr);
  client->end();
  EXPECT_EQ(client->state(), RunState::between_steps);
}

TEST_F(ParcelTest, of_a_run_that_continues_goes_without_what_the_checkpoint_has) {
  start(0, with_static(true, true));
  client->begin({1, 10, 1}, false);

  EXPECT_EQ(client->end(), std::vector<std::string>{"u"});

  const auto parcels = server.sent_of(FrameKind::parcel);
  ASSERT_EQ(parcels.size(), 2U);
  EXPECT_EQ(parcels[1].entry(0).held, Held::nothing);
}

TEST_F(ParcelTest, is_not_sent_when_nothing_of_its_group_is_wanted) {
  Demand demand;
  demand.needs = {{1, 100}};  // instantaneous, every 100 s
  demand.groups = {{"state", 1, {{"u", ElementType::float64, false, true, {0}}}}};
  start(0, demand);
  std::vector<bool> wanted;

  // After 0 s, 98.2 reaches no boundary, 101.3 is the first at or after 100, and 150 reaches none.
  for (const Step& step : {Step{1, 98.2, 98.2}, Step{2, 101.3, 3.1}, Step{3, 150, 48.7}}) {
    client->begin(step, false);
    wanted.push_back(client->wanted(0));
    put_all();
    client->end();
    EXPECT_FALSE(client->wanted(0));
  }

  EXPECT_EQ(wanted, (std::vector<bool>{false, true, false}));
  const auto parcels = server.sent_of(FrameKind::parcel);
  ASSERT_EQ(parcels.size(), 1U);
  EXPECT_EQ(parcels[0].header().step.index, 2);
  EXPECT_EQ(server.sent_of(FrameKind::clock).size(), 3U);
}

TEST(ParcelLayout, begins_long_fields_with_a_page) {
  FakeServer server;
  ParcelWriter parcel({8, kLongField, kLongField - 8, kLongField});
  const std::uint32_t fields[] = {0, 1, 2, 3};
  parcel.lay_out(fields);
  // 56 bytes of header and 4 × 24 of entries end at 152. From 192 on lie the loans of the three long fields,
  // and behind them, at 384, the short one.
  const std::size_t first = kLongFieldAlignment, second = first + kLongField, third = second + kLongField;
  EXPECT_EQ(parcel.size_bytes(), third + kLongField);

  parcel.set_slot(server.claim(Peer{0}, 1, parcel.size_bytes()));
  std::byte* const begin = parcel.place(0) - 384;

  EXPECT_EQ(parcel.place(1) - begin, first);
  EXPECT_EQ(parcel.place(2) - begin, second);
  EXPECT_EQ(parcel.place(3) - begin, third);
}

}  // namespace
}  // namespace pileus
