// Fields of a step that several threads put at once. The endpoint here is for one thread, so that the thread
// sanitizer finds a put of another one that uses it.

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "client/client.h"
#include "client/testing/fake_server.h"

namespace pileus {
namespace {

constexpr Index kLength = 700;

/// A committed rank 0 with fields of kLength doubles in three groups, and one of 5 x 3 texts.
class ManyFields {
 public:
  static constexpr int kFields = 24, kParts = 4, kGroups = 3;
  static constexpr int kInParts = kFields - 1;  ///< of kLength x kParts

  explicit ManyFields(const std::function<void(Demand&)>& change = [](Demand&) {}) {
    Demand demand = demand_for({});
    demand.groups.assign(kGroups, {"group", 1, {}});
    for (int i = 0; i < kFields; ++i) {
      const std::string name = "f" + std::to_string(i);
      std::vector<Index> count = {kLength};
      if (i == kInParts) count.push_back(kParts);
      client.field({name, ElementType::float64, {}, {std::vector<Index>(count.size(), 0), count}});
      demand.groups[i % kGroups].fields.push_back({name, ElementType::float64, false, true, {0}});
    }
    change(demand);
    server.reply_demand(demand);
    client.commit();
    for (int i = 0; i < kFields * kParts; ++i) {
      values.emplace_back(kLength);
      std::iota(values.back().begin(), values.back().end(), 1000.0 * i);
    }
  }
  void begin(std::int64_t step, bool from_threads) {
    client.begin({step, static_cast<double>(step), 1}, false, from_threads);
  }
  void put(int field) {
    if (field < kInParts) return client.put(field, values[field].data(), nullptr);
    client.put_part(kInParts, field - kInParts, values[field].data(), nullptr);
  }
  FakeServer server;
  Client client{server, 1, 0};
  std::vector<std::vector<double>> values;  ///< by field; of kInParts and beyond, by part
};

constexpr int kPieces = ManyFields::kFields - 1 + ManyFields::kParts;

/// Lets as many threads run `body`, which begin at once, and waits for them.
void in_threads(int threads, const std::function<void(int)>& body) {
  std::barrier begin(threads);
  std::vector<std::jthread> running;
  for (int i = 0; i < threads; ++i) running.emplace_back([&, i] { begin.arrive_and_wait(), body(i); });
}

bool are_equal(const std::vector<SentMessage>& one, const std::vector<SentMessage>& other) {
  return std::ranges::equal(one, other, [](const SentMessage& a, const SentMessage& b) {
    return a.channel == b.channel && a.bytes == b.bytes;
  });
}

TEST(PutsOfThreads, send_the_bytes_that_one_thread_sends_in_any_order_and_number) {
  constexpr int kSteps = 12;
  ManyFields of_one, of_several;
  std::mt19937 random(7);

  for (int step = 1; step <= kSteps; ++step) {
    of_one.begin(step, false);
    for (int piece = 0; piece < kPieces; ++piece) of_one.put(piece);
    EXPECT_TRUE(of_one.client.end().empty());

    std::vector<int> order(kPieces);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::shuffle(order, random);
    std::atomic<int> next = 0;
    of_several.begin(step, true);
    in_threads(1 + static_cast<int>(random() % 6), [&](int) {
      for (int i = next++; i < kPieces; i = next++) of_several.put(order[static_cast<std::size_t>(i)]);
    });
    EXPECT_TRUE(of_several.client.end().empty());
  }

  EXPECT_EQ(of_several.server.sent.size(), 1 + kSteps * (1 + ManyFields::kGroups));
  EXPECT_TRUE(are_equal(of_one.server.sent, of_several.server.sent));
}

TEST(PutsOfThreads, claim_their_memory_in_begin_and_wait_there) {
  ManyFields model;
  model.server.claims_to_refuse = 5;

  model.begin(1, true);

  EXPECT_EQ(model.server.claims_to_refuse, 0);
  EXPECT_EQ(model.server.open_slots, ManyFields::kGroups);
  EXPECT_GT(model.client.times().waiting_s, 0);
}

TEST(PutsOfThreads, a_step_of_one_thread_claims_with_its_puts) {
  ManyFields model;

  model.begin(1, false);
  EXPECT_EQ(model.server.open_slots, 0);
  model.put(0);
  EXPECT_EQ(model.server.open_slots, 1);
}

TEST(PutsOfThreads, of_one_field_are_refused_all_but_one_at_the_call_of_each_thread) {
  constexpr int kThreads = 6;
  ManyFields model;
  for (int step = 1; step <= 20; ++step) {
    std::vector<std::string> said(kThreads);
    model.begin(step, true);
    in_threads(kThreads, [&](int i) { said[i] = complaint([&] { model.put(3); }); });

    const std::string expected = "pileus_put: field \"f3\" was put already in step " + std::to_string(step) +
                                 ", or another thread puts it now; put it once in a step";
    EXPECT_EQ(std::ranges::count(said, ""), 1);
    EXPECT_EQ(std::ranges::count(said, expected), kThreads - 1) << said[0] << '\n' << said[1];
    EXPECT_EQ(model.client.end().size(), ManyFields::kFields - 1U);
  }
}

TEST(PutsOfThreads, whole_and_in_parts_exclude_each_other) {
  constexpr int kThreads = 4, kField = ManyFields::kInParts;
  const std::vector<double> whole(kLength * ManyFields::kParts, 1);
  ManyFields model;
  for (int step = 1; step <= 30; ++step) {
    std::vector<std::string> said(kThreads);
    model.begin(step, true);
    in_threads(kThreads, [&](int i) {
      said[i] = complaint([&] {
        if (i == 0) return model.client.put(kField, whole.data(), nullptr);
        model.client.put_part(kField, i, model.values[i].data(), nullptr);
      });
    });

    const bool was_whole = said[0].empty();
    if (!was_whole) {
      EXPECT_NE(said[0].find("comes in parts in step"), std::string::npos) << said[0];
    }
    for (int i = 1; i < kThreads; ++i) EXPECT_EQ(said[i].empty(), !was_whole) << said[i];
    model.client.end();
  }
}

TEST(PutsOfThreads, after_the_end_are_refused_until_the_next_begin) {
  ManyFields model;
  model.begin(1, true);
  model.client.end();

  EXPECT_EQ(complaint([&] { model.put(0); }),
            "pileus_put was called after pileus_end, before the next pileus_begin; fields are put between "
            "pileus_begin and pileus_end");
  model.begin(2, true);
  model.put(0);
  EXPECT_EQ(model.client.end().size(), ManyFields::kFields - 1U);
}

TEST(PutsOfThreads, are_all_in_the_parcel_or_refused_when_the_end_comes_too_early) {
  ManyFields model;
  for (int step = 1; step <= 200; ++step) {
    std::atomic<int> has_put = 0;
    std::size_t missing = 0;
    std::string said;
    model.begin(step, true);
    in_threads(3, [&](int i) {
      if (i > 0) {
        for (int field = i - 1; field < ManyFields::kInParts; field += 2)
          if (complaint([&] { model.put(field); }).empty()) ++has_put;
        return;
      }
      while (!(said = complaint([&] { missing = model.client.end().size(); })).empty())
        EXPECT_EQ(said.find("pileus_end was called while "), 0U) << said;
    });

    EXPECT_EQ(missing, static_cast<std::size_t>(ManyFields::kFields - has_put)) << "step " << step;
  }
}

TEST(PutsOfThreads, go_on_after_an_end_that_lacked_a_static_field) {
  ManyFields model([](Demand& demand) { demand.groups[0].fields[0].is_static = true; });
  model.begin(1, true);
  in_threads(2, [&](int i) { model.put(1 + i); });
  EXPECT_NE(complaint([&] { model.client.end(); }).find("lacks the static field \"f0\""), std::string::npos);

  in_threads(1, [&](int) { model.put(0); });

  EXPECT_EQ(model.client.end().size(), ManyFields::kFields - 3U);
}

TEST(PutsOfThreads, may_come_in_the_closing_step_as_in_the_last_one) {
  ManyFields model;
  model.begin(1, true);
  model.client.end();

  model.client.begin_closing();

  in_threads(2, [&](int i) { model.put(i); });
  EXPECT_NE(complaint([&] { model.put(1); }).find("or another thread puts it now"), std::string::npos);
  EXPECT_TRUE(model.client.end().empty());
}

TEST(PutsOfThreads, count_the_time_in_which_any_of_them_copies_once) {
  ManyFields model;
  for (int step = 1; step <= 50; ++step) {
    model.begin(step, true);
    in_threads(4, [&](int i) {
      for (int field = i; field < ManyFields::kInParts; field += 4) model.put(field);
    });
    model.client.end();
  }

  const ClientTimes times = model.client.times();
  EXPECT_GT(times.put_s, 0);
  EXPECT_LE(times.put_s, times.wall_s);
  EXPECT_LE(times.inside_s, times.wall_s);
}

}  // namespace
}  // namespace pileus
