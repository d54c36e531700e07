#include "client/client.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <utility>

#include "client/testing/committed_client.h"
#include "core/model_ranks.h"
#include "plan/sha256.h"

namespace pileus {
namespace {

class ClientTest : public CommittedClient {};

TEST_F(ClientTest, registers_with_kind_version_and_description) {
  const SentMessage& registration = server.sent[0];
  Decoder in(registration.bytes);

  EXPECT_EQ(registration.channel, kControl);
  EXPECT_EQ(in.get<FrameKind>(), FrameKind::registration);
  EXPECT_EQ(in.get<std::uint32_t>(), kWireVersion);
  EXPECT_EQ(in.get<std::uint32_t>(), kOnlyComponent.index);
  const RankCode code = encode_rank(client.registration().description());
  EXPECT_EQ(in.get_text().size(), 64U);
  EXPECT_TRUE(std::ranges::equal(in.rest(), code.place));
}

TEST(ClientThatIsAsked, describes_what_its_hash_is_of) {
  FakeServer server;
  Client client(server, 1, 0);
  client.field({"u", ElementType::float64, {}, {{}, {2}}});
  Encoder(server.replies.emplace_back()).put(FrameKind::description_wanted);
  server.reply_demand(demand_for({}));

  client.commit();

  Decoder registered(server.sent.at(0).bytes), described(server.sent.at(1).bytes);
  registered.get<FrameKind>();
  registered.get<std::uint32_t>();  // the version
  registered.get<std::uint32_t>();  // the component
  const std::string hash = registered.get_text();
  EXPECT_EQ(described.get<FrameKind>(), FrameKind::description);
  const auto kind = described.rest();
  EXPECT_EQ(hash, planning::sha256({reinterpret_cast<const char*>(kind.data()), kind.size()}));
  ModelRanks model;
  model.add(model.add_kind(kind), registered.rest());
  EXPECT_EQ(model[0].fields, client.registration().description().fields);
}

TEST_F(ClientTest, takes_its_budget_from_the_servers) {
  EXPECT_EQ(server.budget_bytes, std::size_t{1} << 20);
}

TEST_F(ClientTest, sends_the_clock_before_the_parcels_of_the_step) {
  client.begin({5, 12.5, 2.5}, true);
  client.put(0, u, nullptr);
  client.end();

  const SentMessage& clock = server.sent[1];
  EXPECT_EQ(clock.channel, kStepChannel);
  EXPECT_EQ(clock.kind(), FrameKind::clock);
  const auto frame = clock.at<ClockFrame>(0);
  EXPECT_EQ(frame.step.is_final, 1U);
  EXPECT_EQ(frame.step, (Step{5, 12.5, 2.5, 1, 0, 1}));
  EXPECT_EQ(frame.start_time_s, 10);
  EXPECT_EQ(server.sent[2].kind(), FrameKind::parcel);
}

TEST(ClientEnd, asks_for_messages_only_where_the_step_sent_something) {
  const auto asked_in_end = [](ClientRank rank, Step step) {
    FakeServer server;
    Client client(server, 1, rank);
    const double u[2] = {1, 2};
    client.field({"u", ElementType::float64, {}, {{}, {2}}});
    Demand demand = demand_for({{"u", ElementType::float64, false, true, {0}}});
    demand.needs = {{2, 0}};
    server.reply_demand(demand);
    client.commit();
    client.begin(step, false);
    if (client.wanted(0)) client.put(0, u, nullptr);
    const int before = std::exchange(server.receives, 0);
    client.end();
    return before == 0 ? -1 : server.receives;
  };
  const Step unwanted{1, 1, 1}, wanted{2, 2, 1};
  Step kept = unwanted;
  kept.is_checkpoint = 1;

  EXPECT_EQ(asked_in_end(1, unwanted), 0);
  EXPECT_EQ(asked_in_end(1, wanted), 1);
  EXPECT_EQ(asked_in_end(1, kept), 1);
  EXPECT_EQ(asked_in_end(0, unwanted), 1);  // rank 0 sends the clock
}

class ClientOfLimits : public testing::Test {
 protected:
  ClientOfLimits() {
    client.field({"u", ElementType::float64, {}, {{}, {2}}});
    server.reply_demand(demand_for({{"u", ElementType::float64, false, true, {0}}}),
                        {{Frequency(10), true, {}, "u of \"a.nc\" (io.xml:3:1), averaged each 10 s"},
                         {Frequency(1e-6), false, {}, "\"a.nc\" (io.xml:3:1), a file every 1e-06 s"}});
    client.commit();
  }
  FakeServer server;
  Client client{server, 1, 1};
};

TEST_F(ClientOfLimits, refuses_a_step_that_is_too_long_with_nothing_sent_and_takes_another) {
  const std::size_t sent = server.sent.size();

  const std::string said = complaint([&] { client.begin({1, 1e6, 1e6}, false); });

  EXPECT_EQ(said,
            "pileus_begin: step 1 covers 1e+06 s and would end 100000 records or more: u of \"a.nc\" "
            "(io.xml:3:1), averaged each 10 s; make the steps shorter, or the frequency larger");
  EXPECT_EQ(server.sent.size(), sent);
  client.begin({1, 999'999, 999'999}, false);
  client.end();
  // The time since the sample before counts, whatever the length says.
  EXPECT_NE(complaint([&] { client.begin({2, 2.1e6, 1}, false); }), "");
  client.begin({2, 1.9e6, 1}, false);
  client.end();
}

TEST_F(ClientOfLimits, refuses_times_with_more_multiples_of_a_frequency_than_can_be_counted) {
  const std::string said = complaint([&] { client.begin({1, 1e11, 1}, false); });

  EXPECT_EQ(said,
            "pileus_begin: step 1 is 100000000001 s from the model's time 0, more multiples of a frequency "
            "than can be counted: \"a.nc\" (io.xml:3:1), a file every 1e-06 s; make the steps shorter, or "
            "the frequency larger");
  EXPECT_EQ(complaint([&] { client.begin({1, 8e9, 1}, false); }), "");
}

TEST_F(ClientTest, refuses_steps_that_do_not_increase_and_names_both) {
  client.begin({4, 10, 2}, false);
  client.end();

  EXPECT_EQ(complaint([&] {
              client.begin({4, 12, 2}, false);
            }),
            "pileus_begin: step 4 comes after step 4 at 10 s; the index must increase");
  EXPECT_EQ(complaint([&] {
              client.begin({5, 10, 2}, false);
            }),
            "pileus_begin: step 5 at 10 s comes after step 4 at 10 s; the time must increase");
  EXPECT_EQ(client.state(), RunState::between_steps);
  EXPECT_EQ(client.step().index, 4);
}

/// The largest number is kept free for the end of the run.
TEST_F(ClientTest, refuses_steps_behind_which_nothing_could_be_counted) {
  EXPECT_NE(complaint([&] {
              client.begin({INT64_MAX, 1, 1}, false);
            }).find("at most 2^62"),
            std::string::npos);
  EXPECT_EQ(complaint([&] { client.begin({std::int64_t{1} << 62, 1, 1}, false); }), "");
}

TEST_F(ClientTest, refuses_times_that_are_no_numbers_and_lengths_that_are_negative) {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinity = std::numeric_limits<double>::infinity();

  EXPECT_NE(complaint([&] { client.begin({1, nan, 1}, false); }), "");
  EXPECT_NE(complaint([&] { client.begin({1, infinity, 1}, false); }), "");
  EXPECT_EQ(complaint([&] {
              client.begin({1, 1e300, 1}, false);
            }),
            "pileus_begin: step 1 is at 1e+300 s; give seconds of model time, finite and at most 1e15");
  EXPECT_NE(complaint([&] { client.begin({1, 1, 1e300}, false); }), "");
  EXPECT_NE(complaint([&] { client.begin({1, 1, nan}, false); }), "");
  EXPECT_NE(complaint([&] { client.begin({1, 1, infinity}, false); }), "");
  EXPECT_EQ(complaint([&] {
              client.begin({1, 1, -1}, false);
            }),
            "pileus_begin: step 1 has a length of -1 s; it must be positive and finite");
  EXPECT_NE(complaint([&] { client.begin({-1, 1, 1}, false); }), "");
  EXPECT_EQ(client.state(), RunState::ready);
}

TEST_F(ClientTest, takes_the_state_at_the_start_and_no_later_step_without_a_length) {
  client.begin({0, 0, 0}, false);
  client.end();
  client.begin({1, 2, 2}, false);
  client.end();

  EXPECT_EQ(
      complaint([&] {
        client.begin({2, 3, 0}, false);
      }),
      "pileus_begin: step 2 has a length of 0 s, which the first step of a run alone may have: it is the "
      "state at the start");
  EXPECT_EQ(client.state(), RunState::between_steps);
}

TEST_F(ClientTest, refuses_unknown_numbers_null_arrays_and_a_second_put) {
  client.begin({7, 7, 1}, false);

  EXPECT_EQ(complaint([&] { client.put(1, u, nullptr); }),
            "pileus_put: there is no field 1; pileus_field gave the numbers 0 to 0");
  EXPECT_NE(complaint([&] { client.put(-1, u, nullptr); }), "");
  EXPECT_EQ(complaint([&] { client.put(0, nullptr, nullptr); }),
            "pileus_put: the array of field \"u\" is NULL");
  client.put(0, u, nullptr);
  EXPECT_EQ(complaint([&] { client.put(0, u, nullptr); }),
            "pileus_put: field \"u\" was put already in step 7; put it once in a step");
  EXPECT_FALSE(client.wanted(-1));
  EXPECT_FALSE(client.wanted(1));
}

TEST_F(ClientTest, checks_type_and_extents_of_an_array_that_knows_them) {
  const auto* first = reinterpret_cast<const std::byte*>(u);
  const std::vector<Index> two = {2}, three = {3}, square = {1, 2}, backwards = {-8};
  client.begin({1, 1, 1}, false);

  EXPECT_EQ(complaint([&] {
              client.put(0, {first, ElementType::float32, two, {}});
            }),
            "pileus_put: field \"u\" was registered as double of 2, the array is float of 2");
  EXPECT_EQ(complaint([&] {
              client.put(0, {first, ElementType::float64, three, {}});
            }),
            "pileus_put: field \"u\" was registered as double of 2, the array is double of 3");
  EXPECT_EQ(complaint([&] {
              client.put(0, {first, ElementType::float64, square, {}});
            }),
            "pileus_put: field \"u\" was registered as double of 2, the array is double of 1 x 2");
  EXPECT_EQ(complaint([&] {
              client.put(0, {first, ElementType::float64, {}, {}});
            }),
            "pileus_put: field \"u\" was registered as double of 2, the array is a single double");
  client.put(0, {first + 8, ElementType::float64, two, backwards});
  client.end();

  const SentMessage& parcel = server.sent.back();
  EXPECT_EQ(parcel.at<double>(parcel.entry(0).offset), 2);
  EXPECT_EQ(parcel.at<double>(parcel.entry(0).offset + 8), 1);
}

TEST_F(ClientTest, finishes_with_what_it_did_and_waits_for_the_farewell) {
  hand_over(3);
  server.reply_farewell(0, "");

  client.finish();

  const auto frame = server.sent.back().at<FinishFrame>(0);
  EXPECT_EQ(frame.kind, FrameKind::finish);
  EXPECT_EQ(frame.is_broken_off, 0U);
  EXPECT_EQ(frame.last_step, 3);
  EXPECT_EQ(frame.bytes, server.sent[2].bytes.size());
  EXPECT_GE(frame.wall_s, frame.inside_s);
}

TEST_F(ClientTest, finish_tells_what_went_wrong_over_there) {
  server.reply_farewell(4, "profiles.nc: no space left on device");

  try {
    client.finish();
    FAIL() << "no error";
  } catch (const OutputError& error) {
    EXPECT_STREQ(error.what(), "profiles.nc: no space left on device");
  }
  EXPECT_EQ(client.state(), RunState::finished);
}

TEST_F(ClientTest, tells_at_the_next_step_that_the_servers_stop_the_run_and_finishes_then) {
  hand_over(3);
  server.reply_text(FrameKind::stopping, "w.nc: no space left on device");

  try {
    client.begin({4, 4, 1}, false);
    FAIL() << "no error";
  } catch (const OutputError& error) {
    EXPECT_NE(std::string(error.what()).find("w.nc: no space left on device; call pileus_finish"),
              std::string::npos);
  }
  server.reply_farewell(0, "");
  client.finish();
  EXPECT_EQ(server.sent.back().at<FinishFrame>(0).last_step, 3);
}

TEST_F(ClientTest, may_finish_in_a_step_only_if_the_servers_stop_the_run) {
  hand_over(3);
  client.begin({4, 4, 1}, false);
  client.put(0, u, nullptr);

  EXPECT_NE(complaint([&] { client.finish(); }), "");
  server.reply_text(FrameKind::stopping, "w.nc: no space left on device");
  server.reply_farewell(0, "");
  client.finish();

  EXPECT_EQ(server.sent.back().at<FinishFrame>(0).last_step, 3);
  EXPECT_EQ(client.state(), RunState::finished);
}

TEST_F(ClientTest, refuses_messages_that_it_does_not_know) {
  server.reply_text(static_cast<FrameKind>(77), "");
  EXPECT_THROW(client.begin({1, 1, 1}, false), TransportError);
}

TEST(ClientLetGo, tells_the_server_that_the_run_is_broken_off) {
  FakeServer server;
  {
    Client client(server, 1, 0);
    client.field({"u", ElementType::float64, {}, {{}, {2}}});
    server.reply_demand(demand_for({{"u", ElementType::float64, false, true, {0}}}));
    client.commit();
    const double u[2] = {1, 2};
    client.begin({1, 1, 1}, false);
    client.put(0, u, nullptr);
    EXPECT_EQ(server.open_slots, 1);
  }

  const auto frame = server.sent.back().at<FinishFrame>(0);
  EXPECT_EQ(frame.kind, FrameKind::finish);
  EXPECT_EQ(frame.is_broken_off, 1U);
  EXPECT_EQ(frame.last_step, -1);  // the step was not ended
  EXPECT_EQ(server.open_slots, 0);
}

TEST(ClientBeforeCommit, refuses_what_is_said_of_a_field_that_is_not_there) {
  FakeServer server;
  Client client(server, 1, 0);
  const auto describe = [&](int field) {
    return complaint([&] { client.field_metadata(field, {"m", "", ""}); });
  };

  EXPECT_EQ(describe(0), "pileus_field_metadata: there is no field 0; pileus_field gave no number");
  client.field({"u", ElementType::float64, {}, {}});
  EXPECT_EQ(describe(-1),
            "pileus_field_metadata: there is no field -1; pileus_field gave the numbers 0 to 0");
  EXPECT_EQ(complaint([&] { client.static_field(1); }),
            "pileus_static: there is no field 1; pileus_field gave the numbers 0 to 0");
  EXPECT_EQ(describe(0), "");
}

TEST(ClientCommit, passes_the_refusal_on_word_for_word_and_then_says_nothing_more) {
  FakeServer server;
  const std::string text = "io.xml:3:5: error: no field \"w\"\nio.xml:9:1: error: no field \"v\"";
  server.reply_text(FrameKind::refusal, text);
  {
    Client client(server, 1, 0);
    try {
      client.commit();
      FAIL() << "no error";
    } catch (const ConfigError& error) {
      EXPECT_EQ(error.what(), text);
    }
  }

  EXPECT_EQ(server.sent.size(), 1U);
}

TEST(ClientCommit, refuses_a_demand_that_cannot_be_met) {
  const auto commit = [](const Demand& demand) {
    FakeServer server;
    Client client(server, 1, 0);
    client.field({"n", ElementType::int64, {}, {}});
    server.reply_demand(demand);
    client.commit();
  };

  EXPECT_NO_THROW(commit(demand_for({{"n", ElementType::float64, false, true, {0}}})));
  EXPECT_NO_THROW(commit(demand_for({{"other", ElementType::float64, true, true, {0}}})));
  EXPECT_THROW(commit(demand_for({{"other", ElementType::float64, false, true, {0}}})), TransportError);
  EXPECT_THROW(commit(demand_for({{"n", ElementType::float64, false, true, {1}}})), TransportError);
  EXPECT_THROW(commit(demand_for({{"n", ElementType::float64, false, true, {0}},
                                  {"n", ElementType::float64, false, true, {0}}})),
               TransportError);
  EXPECT_THROW(commit(demand_for({{"n", ElementType::int32, false, true, {0}}})), ConfigError);
}

TEST(ClientThatContinues, says_so_in_its_registration_and_refuses_what_the_checkpoint_holds) {
  FakeServer server;
  Client client(server, 1, 0);
  client.continue_after(7);
  server.reply_demand(demand_for({}));
  client.commit();

  Decoder in(server.sent[0].bytes);
  in.get<FrameKind>();
  in.get<std::uint32_t>();  // the version
  in.get<std::uint32_t>();  // the component
  RankDescription goes_on;
  goes_on.continue_after = 7;
  const Bytes kind = encode_rank(goes_on).kind;
  EXPECT_EQ(in.get_text(), planning::sha256({reinterpret_cast<const char*>(kind.data()), kind.size()}));
  EXPECT_EQ(complaint([&] {
              client.begin({7, 7, 1}, false);
            }),
            "pileus_begin: step 7 is in the checkpoint of step 7, after which this run continues "
            "(pileus_continue); begin with a later one");
  EXPECT_EQ(client.state(), RunState::ready);
  EXPECT_NO_THROW(client.begin({8, 8, 1}, false));
}

/// A client of a run that goes on after step 120 at 240 s, with frequencies of 50 steps and 20.
class ClientThatCountsAnew : public testing::Test {
 protected:
  ClientThatCountsAnew() {
    Demand demand = demand_for({});
    demand.needs = {{20, 0}};
    demand.common_steps = 100;
    demand.checkpoints.steps = 20;
    demand.continued = {{120, 240, 2}, {0}};
    client.field({"u", ElementType::float64, {}, {}});
    demand.groups[0].fields = {{"u", ElementType::float64, false, true, {0}}};
    client.continue_after(120);
    server.reply_demand(demand);
  }
  std::int64_t index_of_first(std::int64_t models) {
    client.begin({models, 242, 2}, false);
    return client.step().index;
  }
  FakeServer server;
  Client client{server, 1, 0};
};

TEST_F(ClientThatCountsAnew, has_indices_as_far_from_each_multiple_as_the_models_are) {
  client.count_anew();
  client.commit();

  EXPECT_EQ(client.checkpoint_due({1, 242, 2}), Due::no);
  EXPECT_EQ(index_of_first(1), 201);
  EXPECT_FALSE(client.wanted(0));
  client.end();
  client.begin({20, 280, 2}, false);
  EXPECT_EQ(client.step().index, 220);
  EXPECT_TRUE(client.wanted(0));
  client.end();
  EXPECT_EQ(client.checkpoint_due({21, 282, 2}), Due::yes);  // since step 20
  EXPECT_EQ(complaint([&] {
              client.begin({20, 290, 2}, false);
            }),
            "pileus_begin: step 220 comes after step 220 at 280 s; the index must increase");
}

TEST_F(ClientThatCountsAnew, goes_on_by_itself_where_its_indices_are_later) {
  client.count_anew();
  client.commit();

  EXPECT_EQ(index_of_first(121), 121);
}

TEST_F(ClientThatCountsAnew, finds_the_indices_of_the_run_before_again) {
  client.count_anew();
  client.commit();

  EXPECT_EQ(index_of_first(21), 121);  // that run was 100 ahead of its model
}

TEST_F(ClientThatCountsAnew, refuses_times_that_do_not_go_on_and_indices_that_are_not_said_to_begin_anew) {
  client.commit();

  EXPECT_NE(complaint([&] {
              client.begin({1, 242, 2}, false);
            }).find("is in the checkpoint of step 120"),
            std::string::npos);
}

TEST(ClientOfSeveralGroups, hands_one_field_over_to_each_that_wants_it) {
  FakeServer server;
  Client client(server, 1, 0);
  client.field({"u", ElementType::float64, {}, {}});
  Demand demand = demand_for({{"u", ElementType::float64, false, true, {0}}});
  demand.needs.push_back({2, 0});
  demand.groups.push_back({"checkpoint", 2, {{"u", ElementType::float32, false, true, {1}}}});
  server.reply_demand(demand);
  client.commit();
  const double u = 3.5;

  for (std::int64_t step = 1; step <= 2; ++step) {
    client.begin({step, static_cast<double>(step), 1}, false);
    client.put(0, &u, nullptr);
    EXPECT_TRUE(client.end().empty());
  }

  const std::vector<SentMessage> parcels = server.sent_of(FrameKind::parcel);
  ASSERT_EQ(parcels.size(), 3U);
  EXPECT_EQ(parcels[0].channel, Channel{1});
  EXPECT_EQ(parcels[1].channel, Channel{1});
  EXPECT_EQ(parcels[2].channel, Channel{2});
  float sent = 0;
  std::memcpy(&sent, parcels[2].bytes.data() + parcels[2].bytes.size() - sizeof sent, sizeof sent);
  EXPECT_EQ(sent, 3.5F);
}

}  // namespace
}  // namespace pileus
