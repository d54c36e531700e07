// What a model rank asks its server for, and what it makes of the answers.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "client/testing/fake_server.h"
#include "core/error.h"
#include "plan/demand.h"

namespace pileus {
namespace {

class Inputs : public testing::Test {
 protected:
  static ModelInput profile(const std::string& name) {
    ModelInput input;
    input.name = name;
    input.dimensions = {"z"};
    input.region = {{1}, {2}};
    return input;
  }
  void commit(const BroughtInputs& brought) {
    Encoder out(server.replies.emplace_back());
    out.put(FrameKind::inputs_brought);
    encode_brought(brought, out);
    server.reply_demand({});
    client.commit();
  }
  static BroughtInput moving() {
    return {InputAxis({0, 10, 20, 30}, 30, true), 1, ElementType::float64, "f.nc: w"};
  }
  void reply_record(std::uint32_t input, std::int64_t record, std::vector<double> values) {
    Encoder out(server.replies.emplace_back());
    out.put(FrameKind::input_record);
    RecordHead{input, record}.encode(out);
    out.put_raw(std::as_bytes(std::span(values)));
  }
  std::vector<WantedRecords> wanted() const {
    std::vector<WantedRecords> all;
    for (const SentMessage& message : server.sent_of(FrameKind::records_wanted)) {
      Decoder in(message.bytes);
      in.get<FrameKind>();
      all.push_back(WantedRecords::decode(in));
    }
    return all;
  }
  std::string text_of_get(int input, double time_s) {
    try {
      get(input, time_s);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  void get(int input, double time_s) {
    client.get(input, time_s, reinterpret_cast<std::byte*>(values), nullptr);
  }

  FakeServer server;
  Client client{server, 1, 0};
  double values[2] = {};
};

TEST_F(Inputs, the_server_learns_of_them_before_the_registration) {
  client.dimension({"z", 4, {}, ""});
  client.input(profile("w"));
  commit({moving()});

  ASSERT_EQ(server.sent.at(0).kind(), FrameKind::inputs);
  Decoder in(server.sent[0].bytes);
  in.get<FrameKind>();
  const std::vector<ModelInput> sent = decode_inputs(in);
  EXPECT_EQ(sent.at(0).sizes, std::vector<Index>{4});
  EXPECT_EQ(server.sent.at(1).kind(), FrameKind::registration);
  EXPECT_TRUE(client.is_brought(0));
}

TEST_F(Inputs, a_value_needs_no_wait_where_the_server_was_ahead) {
  client.dimension({"z", 4, {}, ""});
  client.input(profile("w"));
  commit({moving()});
  reply_record(0, 0, {1, 5});
  reply_record(0, 1, {3, 5});
  reply_record(0, 2, {4, 6});
  server.rests = 0;

  get(0, 5);
  EXPECT_EQ(values[0], 2);
  EXPECT_EQ(values[1], 5);
  const int rests = server.rests;
  get(0, 15);
  EXPECT_EQ(values[0], 3.5);
  EXPECT_EQ(server.rests, rests);
  ASSERT_EQ(wanted().size(), 2U);
  EXPECT_EQ(wanted()[0].count, 3);
  EXPECT_EQ(wanted()[1].first, 3);
  EXPECT_EQ(client.times().waiting_s, 0);
}

TEST_F(Inputs, values_that_do_not_change_are_asked_for_at_commit) {
  client.dimension({"z", 4, {}, ""});
  client.input(profile("first"));
  commit({BroughtInput{InputAxis(), 0, ElementType::float64, "f.nc: first"}});

  ASSERT_EQ(wanted().size(), 1U);
  reply_record(0, 0, {7, 8});
  get(0, 1e9);
  EXPECT_EQ(values[1], 8);
}

TEST_F(Inputs, what_no_file_brings_is_told) {
  client.dimension({"z", 4, {}, ""});
  client.input(profile("w"));
  commit({std::nullopt});

  EXPECT_FALSE(client.is_brought(0));
  EXPECT_NE(text_of_get(0, 1).find("the configuration brings no input \"w\""), std::string::npos);
  EXPECT_NE(text_of_get(1, 1).find("there is no input 1; pileus_input gave the numbers 0 to 0"),
            std::string::npos);
}

TEST_F(Inputs, times_that_are_not_covered_or_gone_are_told_and_the_run_goes_on) {
  client.dimension({"z", 4, {}, ""});
  client.input(profile("w"));
  commit({moving()});

  EXPECT_EQ(text_of_get(0, 31),
            "pileus_get: input \"w\" (f.nc: w): the file covers model time 0 s to 30 s and not 31 s");
  reply_record(0, 2, {1, 2});
  get(0, 20);
  EXPECT_NE(text_of_get(0, 19).find("time 19 s is before 20 s"), std::string::npos);
  get(0, 20);
}

TEST_F(Inputs, a_run_that_is_stopped_ends_the_wait) {
  client.dimension({"z", 4, {}, ""});
  client.input(profile("w"));
  commit({moving()});
  server.reply_text(FrameKind::stopping, "an input cannot be read: f.nc: broken");

  EXPECT_THROW(get(0, 1), OutputError);
  EXPECT_THROW(client.begin({1, 1, 1}, false), OutputError);
}

TEST_F(Inputs, parts_lie_in_their_dimensions) {
  client.dimension({"z", 4, {}, ""});
  ModelInput outside = profile("w");
  outside.region = {{3}, {2}};
  EXPECT_THROW(client.input(outside), UsageError);
  ModelInput unknown = profile("w");
  unknown.dimensions = {"zz"};
  EXPECT_THROW(client.input(unknown), UsageError);
  EXPECT_EQ(client.input(profile("w")), 0);
  EXPECT_THROW(client.input(profile("w")), UsageError);
  ModelInput text = profile("t");
  text.type = ElementType::character;
  EXPECT_THROW(client.input(text), UsageError);
}

TEST_F(Inputs, an_answer_to_other_inputs_is_an_error) {
  client.dimension({"z", 4, {}, ""});
  client.input(profile("w"));

  EXPECT_THROW(commit({}), TransportError);
}

}  // namespace
}  // namespace pileus
