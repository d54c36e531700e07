// Fields on points from registration to the parcel: what a rank says of its points, what it hands over, and
// the puts that it refuses.

#include <gtest/gtest.h>

#include <algorithm>

#include "client/testing/fake_server.h"

namespace pileus {
namespace {

/// A domain of 6 x 2 points and two levels, of which this rank holds 5 points in two blocks of 3. The field t
/// has the shape (point, level, block), q (level, point, block) and m (point, block, level).
class ClientOnPoints : public testing::Test {
 protected:
  ClientOnPoints() {
    client.dimension({"x", 6, {}, ""});
    client.dimension({"y", 2, {}, ""});
    client.dimension({"level", 2, {}, ""});
    const Index indices[] = {10, 3, 4, 0, 5, -1};
    client.points({"cells", {"x", "y"}}, {3, 2}, indices);
    client.points({"columns", {"x"}}, {0}, nullptr);
    client.field({"t", ElementType::float64, {"cells", "level", "cells"}, {{}, {3, 2, 2}}});
    client.field({"q", ElementType::float64, {"level", "cells", "cells"}, {{}, {2, 3, 2}}});
    client.field({"m", ElementType::float64, {"cells", "cells", "level"}, {{}, {3, 2, 2}}});
    client.field({"none", ElementType::float64, {"columns", "level"}, {{}, {0, 2}}});
  }
  void commit(std::vector<FieldDemand> fields) {
    server.reply_demand(demand_for(std::move(fields)));
    client.commit();
    server.sent.clear();
  }
  static FieldDemand wanted(const char* name, ElementType type = ElementType::float64) {
    return {name, type, false, true, {0}};
  }
  void begin(bool from_threads = false) {
    ++step;
    client.begin({step, static_cast<double>(step), 1}, false, from_threads);
  }
  template <class T>
  std::vector<T> sent(std::size_t field) const {
    const SentMessage parcel = server.sent_of(FrameKind::parcel).back();
    EXPECT_EQ(parcel.entry(field).held, Held::whole);
    std::vector<T> values(parcel.entry(field).size_bytes / sizeof(T));
    const auto sent = parcel.bytes.begin() + static_cast<std::ptrdiff_t>(parcel.entry(field).offset);
    std::copy_n(sent, parcel.entry(field).size_bytes, reinterpret_cast<std::byte*>(values.data()));
    return values;
  }

  FakeServer server;
  Client client{server, 1, 0};
  std::int64_t step = 0;
  // A value is its point's index with its level behind the point.
  const double t[2][2][3] = {{{10.0, 3.0, 4.0}, {10.1, 3.1, 4.1}}, {{0.0, 5.0, -9}, {0.1, 5.1, -9}}};
  const double q[2][3][2] = {{{10.0, 10.1}, {3.0, 3.1}, {4.0, 4.1}}, {{0.0, 0.1}, {5.0, 5.1}, {-9, -9}}};
  const double m[2][2][3] = {{{10.0, 3.0, 4.0}, {0.0, 5.0, -9}}, {{10.1, 3.1, 4.1}, {0.1, 5.1, -9}}};
  const std::vector<double> by_level = {0.0, 3.0, 4.0, 5.0, 10.0, 0.1, 3.1, 4.1, 5.1, 10.1};
  const std::vector<double> by_point = {0.0, 0.1, 3.0, 3.1, 4.0, 4.1, 5.0, 5.1, 10.0, 10.1};
};

TEST_F(ClientOnPoints, says_before_its_registration_which_points_it_holds) {
  server.reply_demand(demand_for({}));
  client.commit();

  ASSERT_EQ(server.sent.size(), 3U);
  EXPECT_EQ(server.sent[0].kind(), FrameKind::points);
  EXPECT_EQ(server.sent[0].channel, kControl);
  Decoder cells(std::span(server.sent[0].bytes).subspan(sizeof(FrameKind)));
  EXPECT_EQ(cells.get<std::uint32_t>(), 0U);
  EXPECT_EQ(decode_ranges(cells, 12), (IndexRanges{{0, 1}, {3, 3}, {10, 1}}));
  EXPECT_TRUE(cells.is_at_end());
  EXPECT_EQ(server.sent[1].kind(), FrameKind::points);
  Decoder columns(std::span(server.sent[1].bytes).subspan(sizeof(FrameKind)));
  EXPECT_EQ(columns.get<std::uint32_t>(), 1U);
  EXPECT_EQ(decode_ranges(columns, 6), IndexRanges());
  EXPECT_EQ(server.sent[2].kind(), FrameKind::registration);
}

TEST_F(ClientOnPoints, says_nothing_of_them_when_it_asks_what_is_wanted) {
  server.reply_wants({});
  client.wants();

  ASSERT_EQ(server.sent.size(), 1U);
  EXPECT_EQ(server.sent[0].kind(), FrameKind::question);
}

TEST_F(ClientOnPoints, hands_points_over_by_their_rising_index) {
  commit({wanted("t"), wanted("q"), wanted("m", ElementType::float32), wanted("none")});
  begin();
  client.put(0, t, nullptr);
  client.put(1, q, nullptr);
  client.put(2, m, nullptr);
  client.put(3, nullptr, nullptr);
  EXPECT_TRUE(client.end().empty());

  EXPECT_EQ(sent<double>(0), by_level);
  EXPECT_EQ(sent<double>(1), by_point);
  EXPECT_EQ(sent<float>(2), std::vector<float>(by_level.begin(), by_level.end()));
  EXPECT_EQ(sent<double>(3), std::vector<double>());
}

TEST_F(ClientOnPoints, takes_any_strides_and_checks_the_array_as_the_model_has_it) {
  commit({wanted("t")});
  const Index counts[] = {3, 2, 2}, strides[] = {8, 48, 24};  // t as m lies: (point, block, level)
  begin();
  client.put(0, {reinterpret_cast<const std::byte*>(m), ElementType::float64, counts, strides});
  client.end();

  EXPECT_EQ(sent<double>(0), by_level);
  begin();
  const Index handed_over[] = {5, 1, 2};
  EXPECT_EQ(
      complaint([&] {
        client.put(0, {reinterpret_cast<const std::byte*>(t), ElementType::float64, handed_over, {}});
      }),
      "pileus_put: field \"t\" was registered as double of 3 x 2 x 2, the array is double of 5 x 1 x 2");
  EXPECT_EQ(complaint([&] { client.put(0, nullptr, nullptr); }),
            "pileus_put: the array of field \"t\" is NULL");
  EXPECT_EQ(complaint([&] { client.put_texts(0, {}); }).substr(0, 29), "pileus_put: field \"t\" was not");
}

TEST_F(ClientOnPoints, copies_a_stable_array_at_once) {
  client.lend_from(1);
  commit({wanted("t")});
  begin();
  client.put(0, t, nullptr, Client::Lasting::until_next_step);
  client.end();

  EXPECT_EQ(sent<double>(0), by_level);
}

TEST_F(ClientOnPoints, takes_levels_one_by_one_where_they_are_the_last_dimension) {
  commit({wanted("m"), wanted("t"), wanted("q")});
  for (const bool from_threads : {false, true}) {
    begin(from_threads);
    client.put_part(2, 1, m[1], nullptr);
    client.put_part(2, 0, m[0], nullptr);
    EXPECT_EQ(client.end(), (std::vector<std::string>{"t", "q"}));

    EXPECT_EQ(sent<double>(0), by_level);
  }
  begin();
  for (const int field : {0, 1}) {
    for (const Index part : {0, 1, 9})
      EXPECT_EQ(complaint([&] { client.put_part(field, part, t, nullptr); }),
                "pileus_put_part: the last dimension of field \"" + std::string(field == 0 ? "t" : "q") +
                    "\" is that of its points, which have no parts; put the field at once");
  }
}

TEST_F(ClientOnPoints, makes_extracts_of_the_points_by_their_rising_index) {
  FieldDemand demand = wanted("t");
  ExtractDemand sum, some;
  sum.needs = some.needs = {0};
  sum.is_reduced = true;
  sum.axes = {0, 1};
  sum.extents = {2};
  sum.start = {0};
  some.first = {1, 0, 1};
  some.count = some.extents = {2, 1, 1};
  some.step = {2, 1, 1};
  demand.extracts = {sum, some};
  FieldDemand of_m = demand;
  of_m.name = "m";
  commit({demand, of_m});
  begin();
  client.put(0, t, nullptr);
  for (const Index part : {0, 1}) client.put_part(2, part, m[part], nullptr);
  EXPECT_TRUE(client.end().empty());

  const SentMessage parcel = server.sent_of(FrameKind::parcel).back();
  for (const std::size_t field : {0U, 1U}) {
    EXPECT_EQ(parcel.entry(field).held, Held::extracts);
    const auto extract = parcel.at<ExtractEntry>(parcel.entry(field).offset + sizeof(ExtractEntry));
    EXPECT_EQ(extract.size_bytes, 16U);
    // Of the points 0, 3, 4, 5 and 10 the second and fourth, at the second level.
    EXPECT_EQ(parcel.at<double>(parcel.entry(field).offset + extract.offset), 3.1);
    EXPECT_EQ(parcel.at<double>(parcel.entry(field).offset + extract.offset + 8), 5.1);
  }
}

TEST_F(ClientOnPoints, refuses_points_after_commit) {
  commit({});
  EXPECT_EQ(complaint([&] {
              client.points({"late", {"x"}}, {0}, nullptr);
            }),
            "pileus_points was called after pileus_commit; everything is registered between pileus_start and "
            "pileus_commit");
}

}  // namespace
}  // namespace pileus
