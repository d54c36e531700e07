// Fields that a model hands over part by part.

#include "client/put_parts.h"

#include <gtest/gtest.h>

#include <cstring>

#include "client/testing/fake_server.h"

namespace pileus {
namespace {

/// A field of three levels of two values, wanted as doubles and, every second step, as floats.
class ClientOfParts : public ::testing::Test {
 protected:
  ClientOfParts() {
    client.dimension({"x", 2, {}, ""});
    client.dimension({"z", 3, {}, ""});
    client.field({"q", ElementType::float64, {"x", "z"}, {{0, 0}, {2, 3}}});
    client.field({"dt", ElementType::float64, {}, {}});
    Demand demand = demand_for({{"q", ElementType::float64, false, true, {0}}});
    demand.needs.push_back({2, 0});
    demand.groups.push_back({"checkpoint", 2, {{"q", ElementType::float32, false, true, {1}}}});
    server.reply_demand(demand);
    client.commit();
  }
  void begin(std::int64_t step) { client.begin({step, static_cast<double>(step), 1}, false); }
  template <class T>
  std::vector<T> sent(std::size_t parcel) const {
    const SentMessage message = server.sent_of(FrameKind::parcel).at(parcel);
    std::vector<T> values(6);
    std::memcpy(values.data(), message.bytes.data() + message.entry(0).offset, 6 * sizeof(T));
    return values;
  }

  FakeServer server;
  Client client{server, 1, 0};
  const double levels[3][4] = {{1, -1, 2, -1}, {3, -1, 4, -1}, {5, -1, 6, -1}};
  const Index every_second[1] = {16};
};

TEST_F(ClientOfParts, hands_over_the_same_bytes_whatever_the_order_of_the_parts) {
  begin(2);
  for (const Index part : {2, 0, 1}) client.put_part(0, part, levels[part], every_second);
  EXPECT_TRUE(client.end().empty());

  EXPECT_EQ(sent<double>(0), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(sent<float>(1), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(server.sent_of(FrameKind::parcel).at(0).entry(0).held, Held::whole);
}

TEST_F(ClientOfParts, names_the_parts_that_lack_and_hands_nothing_of_the_field_over) {
  begin(1);
  client.put_part(0, 1, levels[1], every_second);
  EXPECT_EQ(client.end(), (std::vector<std::string>{"q, parts 1 and 3 of 3"}));
  EXPECT_EQ(server.sent_of(FrameKind::parcel).at(0).entry(0).held, Held::nothing);
  EXPECT_EQ(sent<double>(0), std::vector<double>(6, 0));

  begin(3);
  EXPECT_EQ(client.end(), (std::vector<std::string>{"q"}));
  begin(5);
  for (const Index part : {0, 1}) client.put_part(0, part, levels[part], every_second);
  EXPECT_EQ(client.end(), (std::vector<std::string>{"q, part 3 of 3"}));
}

TEST(ClientOfStaticParts, refuses_to_end_the_first_step_with_some_of_an_optional_field) {
  FakeServer server;
  Client client{server, 1, 0};
  client.dimension({"z", 2, {}, ""});
  client.field({"mask", ElementType::float64, {"z"}, {{0}, {2}}});
  server.reply_demand(demand_for({{"mask", ElementType::float64, true, true, {0}, true}}));
  client.commit();
  const double value = 1;
  client.begin({1, 1, 1}, false);
  client.put_part(0, 1, &value, nullptr);

  EXPECT_EQ(complaint([&] { client.end(); }),
            "pileus_end: the first step lacks the static field \"mask, part 1 of 2\", which no later step "
            "takes; put it, and end the step then");
  client.put_part(0, 0, &value, nullptr);
  EXPECT_TRUE(client.end().empty());
}

TEST_F(ClientOfParts, refuses_parts_that_are_none_or_came_already) {
  begin(1);
  EXPECT_EQ(complaint([&] { client.put_part(0, 3, levels[0], nullptr); }),
            "pileus_put_part: there is no part 4 (index 3 in C) of field \"q\": this rank holds 3 indices of "
            "its last dimension");
  EXPECT_NE(complaint([&] { client.put_part(0, -1, levels[0], nullptr); }), "");
  EXPECT_EQ(complaint([&] { client.put_part(1, 0, levels[0], nullptr); }),
            "pileus_put_part: field \"dt\" is a scalar, which has no parts");
  const std::vector<Index> three = {3};
  EXPECT_EQ(
      complaint([&] {
        client.put_part(0, 0, {reinterpret_cast<const std::byte*>(levels), ElementType::float64, three, {}});
      }),
      "pileus_put_part: a part of field \"q\" is double of 2, the array is double of 3");
  client.put_part(0, 0, levels[0], nullptr);
  EXPECT_EQ(complaint([&] { client.put_part(0, 0, levels[0], nullptr); }),
            "pileus_put_part: part 1 (index 0 in C) of field \"q\" was put already in step 1; put it once in "
            "a step");
  EXPECT_EQ(complaint([&] { client.put(0, levels, nullptr); }),
            "pileus_put: field \"q\" comes in parts in step 1; put its other parts with pileus_put_part");
  for (const Index part : {1, 2}) client.put_part(0, part, levels[part], nullptr);
  EXPECT_TRUE(client.end().empty());
}

}  // namespace
}  // namespace pileus
