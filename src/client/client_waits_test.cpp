// What a client waits for, and what ends its waits.

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <string>

#include "client/testing/committed_client.h"

namespace pileus {
namespace {

class ClientWaits : public CommittedClient {};

TEST_F(ClientWaits, waits_for_room_and_counts_the_wait) {
  EXPECT_EQ(client.times().waiting_s, 0);

  client.begin({1, 1, 1}, false);
  server.claims_to_refuse = 3;
  client.put(0, u, nullptr);
  client.end();

  EXPECT_EQ(server.rests, 2);  // each retry but the first comes after a rest
  EXPECT_GT(client.times().waiting_s, 0);
  EXPECT_GE(client.times().inside_s, client.times().waiting_s);
  EXPECT_GE(client.times().wall_s, client.times().inside_s);
}

TEST_F(ClientWaits, does_not_wait_for_ever_when_the_servers_end_the_run) {
  client.begin({1, 1, 1}, false);
  server.claims_to_refuse = std::numeric_limits<int>::max();
  server.reply_farewell(4, "disk full");

  EXPECT_THROW(client.put(0, u, nullptr), OutputError);
}

TEST_F(ClientWaits, does_not_wait_for_room_when_the_servers_stop_the_run) {
  hand_over(1);
  client.begin({2, 2, 1}, false);
  server.claims_to_refuse = 1'000'000;
  server.reply_text(FrameKind::stopping, "not enough memory");

  EXPECT_THROW(client.put(0, u, nullptr), OutputError);

  server.reply_farewell(0, "");
  EXPECT_NO_THROW(client.finish());
}

TEST_F(ClientWaits, waits_in_a_flush_until_everything_has_left) {
  hand_over(1);
  server.rests_until_sent = 3;

  client.flush();

  EXPECT_EQ(server.rests, 3);
  client.flush();
  EXPECT_EQ(server.rests, 3);
  EXPECT_EQ(client.times().waiting_s, 0);  // which is for memory
}

TEST_F(ClientWaits, does_not_flush_for_ever_when_the_servers_stop_the_run) {
  hand_over(1);
  server.rests_until_sent = 1'000'000;
  server.reply_text(FrameKind::stopping, "not enough memory");

  EXPECT_THROW(client.flush(), OutputError);

  server.reply_farewell(0, "");
  EXPECT_NO_THROW(client.finish());
}

TEST_F(ClientWaits, looks_at_its_messages_once_for_each_progress_and_does_not_wait) {
  hand_over(1);
  const int before = server.receives;
  server.rests_until_sent = 1'000'000;

  client.progress();
  client.begin({2, 2, 1}, false);
  const int in_step = server.receives;
  client.progress();

  EXPECT_EQ(server.receives - in_step, 1);
  EXPECT_GT(in_step, before);
  EXPECT_EQ(server.rests, 0);
  server.rests_until_sent = 0;
}

/// Where the environment gives a server up after so short a time that the first look finds it over.
class ClientThatGivesUp : public CommittedClient {
 protected:
  ClientThatGivesUp() { setenv("PILEUS_GIVE_UP", "1e-9", 1); }
  ~ClientThatGivesUp() override { unsetenv("PILEUS_GIVE_UP"); }
};

TEST_F(ClientThatGivesUp, ends_its_wait_for_room_with_an_error_and_waits_no_more) {
  client.begin({1, 1, 1}, false);
  server.claims_to_refuse = 1'000'000;

  try {
    client.put(0, u, nullptr);
    FAIL() << "it does not give up";
  } catch (const OutputError& error) {
    EXPECT_EQ(
        std::string(error.what()).find("model rank 0 has waited 1e-09 s (PILEUS_GIVE_UP) for its server"), 0U)
        << error.what();
  }

  server.claims_to_refuse = 0;
  setenv("PILEUS_GIVE_UP", "1e9", 1);
  EXPECT_THROW(client.finish(), OutputError);
  EXPECT_EQ(server.rests, 0);
}

TEST_F(ClientThatGivesUp, finishes_where_the_server_answers_in_time) {
  hand_over(1);
  server.reply_farewell(0, "");

  EXPECT_NO_THROW(client.finish());
}

}  // namespace
}  // namespace pileus
