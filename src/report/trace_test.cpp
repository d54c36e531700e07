#include "report/trace.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <thread>

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/temporary_directory.h"

namespace pileus {
namespace {

using Json = nlohmann::json;
using std::chrono::milliseconds;

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<Json> events_of(const std::string& text, const std::string& phase) {
  std::vector<Json> found;
  for (const Json& event : Json::parse(text)) {
    if (event["ph"] == phase) found.push_back(event);
  }
  return found;
}

class TraceTest : public testing::Test {
 protected:
  TemporaryDirectory directory_;
  const std::string path_ = directory_.path() + "/trace.json";
  const Trace::Clock::time_point now_ = Trace::Clock::now();
};

TEST_F(TraceTest, is_an_array_of_events_with_names_of_threads) {
  Trace trace(path_, 3);
  trace.span("worker", "analysis", now_, now_ + milliseconds(2), "a \"b\"\\\n");
  trace.span("worker", "analysis", now_ + milliseconds(4), now_ + milliseconds(5));
  trace.number("parcel bytes", now_, 12);
  trace.begin_step(7, now_);
  trace.end_steps(1, now_ + milliseconds(9));
  trace.finish();

  const std::string text = text_of(path_);

  const std::vector<Json> spans = events_of(text, "X"), names = events_of(text, "M");
  ASSERT_EQ(spans.size(), 2U);
  EXPECT_EQ(spans[0]["pid"], 4) << "of server 3, as 0 is none for viewers";
  EXPECT_EQ(spans[0]["args"]["about"], "a \"b\"\\ ");
  EXPECT_NEAR(spans[0]["dur"].get<double>(), 2000, 0.002);
  EXPECT_NEAR(spans[1]["ts"].get<double>() - spans[0]["ts"].get<double>(), 4000, 0.002);
  ASSERT_EQ(names.size(), 2U);  // of the process, of the thread
  EXPECT_EQ(names[1]["args"]["name"], "worker");
  EXPECT_EQ(events_of(text, "C")[0]["args"]["value"], 12);
  EXPECT_EQ(events_of(text, "b")[0]["id"], events_of(text, "e")[0]["id"]);
}

TEST_F(TraceTest, is_whole_but_for_its_bracket_whenever_its_process_is_killed) {
  Trace trace(path_, 0);
  for (int i = 0; i < 100; ++i) {
    trace.span("worker", "analysis", now_, now_ + milliseconds(i));
    if (i % 7 == 0) trace.write();

    const std::string text = text_of(path_);  // as a kill would leave it

    EXPECT_NO_THROW(Json::parse(text + "\n]")) << i;
  }
}

TEST_F(TraceTest, ends_with_a_word_where_its_file_would_be_too_long) {
  constexpr std::uint64_t kMost = 4096;
  Trace trace(path_, 0, kMost);
  for (int i = 0; i < 1000; ++i) trace.span("worker", "analysis", now_, now_);
  trace.finish();

  const std::string text = text_of(path_);

  EXPECT_LT(text.size(), kMost + 500);
  const std::vector<Json> words = events_of(text, "i");
  ASSERT_EQ(words.size(), 1U);
  EXPECT_EQ(words[0]["name"], "the trace ends here, as its file is as long as it may be");
  EXPECT_EQ(Json::parse(text).back(), words[0]);
}

TEST_F(TraceTest, takes_no_more_memory_where_nobody_writes) {
  Trace trace(path_, 0);
  for (int i = 0; i < 200'000; ++i) trace.span("worker", "analysis", now_, now_);
  trace.finish();

  const std::string text = text_of(path_);

  EXPECT_LT(text.size(), std::size_t{9} << 20);
  EXPECT_EQ(events_of(text, "i").size(), 1U);
}

TEST_F(TraceTest, asks_to_write_where_there_is_much_or_a_while_has_passed) {
  Trace trace(path_, 0);

  EXPECT_FALSE(trace.asks_to_write(now_ + milliseconds(2000)));  // there is nothing
  trace.span("worker", "analysis", now_, now_);
  EXPECT_FALSE(trace.asks_to_write(now_));
  EXPECT_TRUE(trace.asks_to_write(now_ + milliseconds(2000)));
  EXPECT_FALSE(trace.asks_to_write(now_ + milliseconds(4000)));  // it is under way
  trace.write();
  for (int i = 0; i < 1000; ++i) trace.span("worker", "analysis", now_, now_);
  EXPECT_TRUE(trace.asks_to_write(now_ + milliseconds(2001)));
}

TEST_F(TraceTest, waits_of_a_rank_do_not_overlap) {
  Trace trace(path_, 0);
  const Trace::Clock::time_point later = now_ + milliseconds(100);
  trace.rank_waited(5, milliseconds(50), later);
  trace.rank_waited(5, milliseconds(50), later + milliseconds(10));
  trace.finish();

  const std::vector<Json> waits = events_of(text_of(path_), "X");

  ASSERT_EQ(waits.size(), 2U);
  EXPECT_NEAR(waits[0]["dur"].get<double>(), 50'000, 0.002);
  EXPECT_NEAR(waits[1]["dur"].get<double>(), 10'000, 0.002);
}

/// Spans within spans, at random to the nanosecond, on several threads: they nest in the file too.
TEST_F(TraceTest, spans_within_spans_lie_within_them_in_the_file) {
  Trace trace(path_, 0);
  std::vector<std::thread> threads;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    threads.emplace_back([&trace, seed] {
      std::mt19937_64 random(seed);
      for (int i = 0; i < 500; ++i) {
        const auto outer = Trace::Clock::now();
        const auto inner = outer + std::chrono::nanoseconds(random() % 3);
        const auto inner_end = inner + std::chrono::nanoseconds(random() % 5000);
        const auto outer_end = inner_end + std::chrono::nanoseconds(random() % 3);
        while (Trace::Clock::now() <= outer_end) continue;
        trace.span("worker", "write", inner, inner_end);
        trace.span("worker", "disk", outer, outer_end);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  trace.finish();

  std::map<std::int64_t, std::vector<Json>> by_thread;
  for (const Json& span : events_of(text_of(path_), "X"))
    by_thread[span["tid"].get<std::int64_t>()].push_back(span);
  ASSERT_EQ(by_thread.size(), 4U);
  const auto ns = [](const Json& number) { return std::llround(1e3 * number.get<double>()); };
  for (const auto& [thread, spans] : by_thread) {
    ASSERT_EQ(spans.size(), 1000U);
    for (std::size_t i = 0; i < spans.size(); i += 2) {
      const auto inner = ns(spans[i]["ts"]), outer = ns(spans[i + 1]["ts"]);
      EXPECT_GE(inner, outer);
      EXPECT_LE(inner + ns(spans[i]["dur"]), outer + ns(spans[i + 1]["dur"]));
    }
  }
}

TEST_F(TraceTest, a_file_that_cannot_be_made_is_named) {
  EXPECT_THROW(Trace("/nowhere/at/all.json", 0), OutputError);
}

TEST_F(TraceTest, each_server_has_a_file_of_its_own) {
  EXPECT_EQ(trace_path("t.json", 0), "t.json");
  EXPECT_EQ(trace_path("t.json", 2), "t.json.2");
  EXPECT_EQ(trace_path("t.json", 2, "ocean"), "t.ocean.json.2");
  EXPECT_EQ(trace_path(directory_.path(), 2, "ocean"), directory_.path() + "/pileus-trace-ocean-2.json");
  EXPECT_EQ(trace_path(directory_.path(), 2), directory_.path() + "/pileus-trace-2.json");
}

}  // namespace
}  // namespace pileus
