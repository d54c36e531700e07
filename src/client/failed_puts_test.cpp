// A put for which there is not enough memory tells it and leaves nothing of the field in the parcel: it may
// be tried again, and the steps that follow are as they would have been.

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "client/testing/fake_server.h"
#include "core/testing/scarce_memory.h"

namespace pileus {
namespace {

using testing::ScarceMemory;

/// Rank 1, whose second parcel has v between two fields that the servers want extracts of: of u, whose
/// integers are cast before sums are made of them, a box and Partials, and of w floats of fewer bits. The
/// first parcel has all of u.
class FailedPuts : public ::testing::TestWithParam<bool> {
 protected:
  static constexpr int kU = 0, kV = 1, kW = 2;

  FailedPuts() {
    std::iota(u.begin(), u.end(), 7);
    std::iota(w.begin(), w.end(), 0.1);
    commit_anew();
  }

  void commit_anew() {
    client.reset();
    server.emplace();
    client.emplace(*server, 1, 1);
    client->field({"u", ElementType::int32, {}, {{0, 0}, {3, 4}}});
    client->field({"v", ElementType::float64, {}, {{0}, {2}}});
    client->field({"w", ElementType::float64, {}, {{0, 0}, {3, 4}}});
    server->reply_demand(demand());
    client->commit();
  }
  static Demand demand() {
    const auto field = [](const char* name) {
      return FieldDemand{name, ElementType::float64, false, true, {0}};
    };
    FieldDemand of_u = field("u"), of_w = field("w");
    ExtractDemand box, sum, least, rounded;
    for (ExtractDemand* extract : {&box, &sum, &least, &rounded}) extract->needs = {0};
    box.first = {1, 2};
    box.count = box.extents = {2, 1};
    box.step = {1, 1};
    sum.is_reduced = least.is_reduced = true;
    sum.axes = {0};
    sum.extents = {6};
    sum.start = {1};
    least.axes = {0, 1};
    least.reduction = Reduction::min;
    rounded.type = ElementType::float32;
    rounded.significant_bits = 9;
    rounded.extents = {3, 4};
    of_u.extracts = {box, sum, least};
    of_w.extracts = {rounded};
    Demand demand = demand_for({of_u, field("v"), of_w});
    demand.groups.insert(demand.groups.begin(), {"whole", 1, {field("u")}});
    return demand;
  }

  void begin() {
    server->sent.clear();
    ++step;
    client->begin({step, static_cast<double>(step), 1}, false, GetParam());
  }
  void put(int field) {
    const void* const first = field == kU ? static_cast<const void*>(u.data()) : field == kV ? v : w.data();
    client->put(field, first, nullptr);
  }
  void put_part(int field, Index part) {
    const void* const first = field == kU ? static_cast<const void*>(&u[3 * static_cast<std::size_t>(part)])
                                          : &w[3 * static_cast<std::size_t>(part)];
    client->put_part(field, part, first, nullptr);
  }
  std::vector<std::string> end() {
    std::vector<std::string> missing = client->end();
    EXPECT_EQ(server->sent.size(), 2U);
    return missing;
  }
  /// What was sent, without the headers.
  std::vector<Bytes> sent() const {
    std::vector<Bytes> parcels;
    for (const SentMessage& parcel : server->sent)
      parcels.emplace_back(parcel.bytes.begin() + sizeof(ParcelHeader), parcel.bytes.end());
    return parcels;
  }
  std::vector<Bytes> of_whole_step() {
    begin();
    for (const int field : {kU, kV, kW}) put(field);
    EXPECT_EQ(end(), std::vector<std::string>());
    return sent();
  }
  /// Whether the parcels have nothing of the field, not a byte.
  bool have_nothing_of(std::size_t field) const {
    return is_empty(server->sent.at(1), field) && (field != kU || is_empty(server->sent.at(0), 0));
  }
  static bool is_empty(const SentMessage& parcel, std::size_t place) {
    const FieldEntry entry = parcel.entry(place);
    const auto bytes = std::span(parcel.bytes).subspan(entry.offset, entry.size_bytes);
    return entry.held == Held::nothing &&
           std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; });
  }

  std::optional<FakeServer> server;
  std::optional<Client> client;
  std::vector<std::int32_t> u = std::vector<std::int32_t>(12);
  std::vector<double> w = std::vector<double>(12);
  const double v[2] = {1, 2};
  std::int64_t step = 0;
};

/// Calls it with memory for 0, 1, 2 … requests until that is enough, and `failed` whenever it was not.
/// Returns how many were.
std::int64_t with_ever_more_memory(const std::function<void()>& call, const std::function<void()>& failed) {
  for (std::int64_t requests = 0;; ++requests) {
    try {
      const ScarceMemory scarce(requests);
      call();
      return requests;
    } catch (const std::bad_alloc&) {
    }
    failed();
  }
}

TEST_P(FailedPuts, leave_nothing_of_their_field_and_the_next_step_as_it_is) {
  const std::vector<Bytes> right = of_whole_step();
  for (const int field : {kU, kW}) {
    begin();
    put(kV);
    const auto end_and_begin_anew = [&] {
      EXPECT_EQ(end(), (std::vector<std::string>{"u", "w"}));
      EXPECT_TRUE(have_nothing_of(kU) && have_nothing_of(kW));
      EXPECT_EQ(server->sent.at(1).entry(kV).held, Held::whole);
      EXPECT_EQ(of_whole_step(), right);
      begin();
      put(kV);
    };
    const std::int64_t requests = with_ever_more_memory([&] { put(field); }, end_and_begin_anew);
    EXPECT_GE(requests, field == kU ? 5 : 1);
    put(field == kU ? kW : kU);
    EXPECT_EQ(end(), std::vector<std::string>());
    EXPECT_EQ(sent(), right);
  }
}

TEST_P(FailedPuts, may_be_tried_again_in_their_step) {
  const std::vector<Bytes> right = of_whole_step();
  begin();
  for (const int field : {kU, kV, kW}) with_ever_more_memory([&] { put(field); }, [] {});
  EXPECT_EQ(end(), std::vector<std::string>());
  EXPECT_EQ(sent(), right);
}

TEST_P(FailedPuts, of_parts_leave_nothing_of_their_field_if_a_part_lacks) {
  const std::vector<Bytes> right = of_whole_step();
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    commit_anew();
    begin();
    put(kV);
    put(kW);
    std::vector<Index> lacking;
    for (Index part = 0; part < 4; ++part) {
      const auto put_it = [&] { put_part(kU, part); };
      try {
        const ScarceMemory scarce(static_cast<std::int64_t>(random() % 3));
        put_it();
      } catch (const std::bad_alloc&) {
        lacking.push_back(part);
        if (random() % 2 == 0) {
          put_it();
          lacking.pop_back();
        }
      }
    }
    const std::vector<std::string> missing = end();
    EXPECT_EQ(missing.empty(), lacking.empty());
    if (lacking.empty()) {
      EXPECT_EQ(sent(), right);
    } else {
      EXPECT_TRUE(have_nothing_of(kU));
    }
  }
}

TEST_P(FailedPuts, of_parts_that_fail_at_the_end_of_the_step_let_that_be_tried_again) {
  const std::vector<Bytes> right = of_whole_step();
  begin();
  put(kV);
  const std::int64_t requests = with_ever_more_memory([&] { put(kU); }, [] {});
  put(kW);
  end();

  for (std::int64_t enough_for = 0; enough_for < requests; ++enough_for) {
    begin();
    put(kV);
    for (const Index part : {3, 1, 0, 2}) put_part(kU, part);
    {
      const ScarceMemory scarce(enough_for);
      EXPECT_THROW(client->end(), std::bad_alloc) << enough_for;
    }
    EXPECT_TRUE(server->sent.empty());
    put(kW);
    EXPECT_EQ(end(), std::vector<std::string>());
    EXPECT_EQ(sent(), right);
  }
}

TEST_P(FailedPuts, of_points_leave_nothing_of_their_field_and_may_be_tried_again) {
  FakeServer near;
  Client model(near, 1, 0);
  model.dimension({"x", 3, {}, ""});
  model.dimension({"z", 2, {}, ""});
  const Index indices[] = {2, 0, 1, -1};
  model.points({"cells", {"x"}}, {2, 2}, indices);
  model.field({"t", ElementType::float64, {"cells", "cells", "z"}, {{}, {2, 2, 2}}});
  near.reply_demand(demand_for({{"t", ElementType::float64, false, true, {0}}}));
  model.commit();
  const double t[2][6] = {{3, 1, -1, 2, -1, -1}, {6, 4, -1, 5, -1, -1}};
  const Index strides[] = {8, 24, 48};  // with a gap behind each row, so that memory is needed
  const auto values = [&] {
    std::vector<double> values(6);
    const SentMessage parcel = near.sent_of(FrameKind::parcel).back();
    EXPECT_EQ(parcel.entry(0).held, Held::whole);
    std::memcpy(values.data(), parcel.bytes.data() + parcel.entry(0).offset, 48);
    return values;
  };

  model.begin({1, 1, 1}, false, GetParam());
  EXPECT_GE(with_ever_more_memory([&] { model.put(0, t, strides); }, [] {}), 1);
  EXPECT_TRUE(model.end().empty());
  EXPECT_EQ(values(), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  model.begin({2, 2, 1}, false, GetParam());
  for (const Index part : {1, 0})
    EXPECT_GE(with_ever_more_memory([&] { model.put_part(0, part, t[part], strides); }, [] {}), 1);
  EXPECT_TRUE(model.end().empty());
  EXPECT_EQ(values(), (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

INSTANTIATE_TEST_SUITE_P(, FailedPuts, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "of_threads" : "of_one_thread"; });

}  // namespace
}  // namespace pileus

#endif
