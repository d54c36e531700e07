#include "report/report.h"

#include <gtest/gtest.h>

#include <limits>

#include <nlohmann/json.hpp>

namespace pileus {
namespace {

FinishFrame end_of(double wall_s, double inside_s, double waiting_s, double put_s, std::uint64_t bytes) {
  FinishFrame end;
  end.last_step = 9;
  end.wall_s = wall_s;
  end.inside_s = inside_s;
  end.waiting_s = waiting_s;
  end.put_s = put_s;
  end.bytes = bytes;
  end.steps = 9;
  return end;
}

Cost cost(std::uint64_t runs, int milliseconds) { return {runs, std::chrono::milliseconds(milliseconds)}; }

RunReport two_ranks() {
  RunReport report;
  report.clients = {{0, end_of(100, 2, 0.5, 1.25, 3'000'000)}, {7, end_of(80, 4, 1.5, 1.75, 1'000'000)}};
  report.clients[1].end.is_broken_off = 1;
  report.files = {{"out/a_100.nc", 3, {}, "a.nc", 0.25}, {"out/a_20.nc", 1, {}, "a.nc", 0.75}};
  ServerFigures server;
  server.server = 1;
  server.wall_s = 90;
  server.idle_s = 81;
  server.analysis_s = 3;
  server.messages_s = 2;
  server.writing_s = 5;
  server.after_model_s = 0.125;
  server.most_parcel_bytes = 4'000;
  server.most_memory_bytes = 123'000'000;
  report.servers = {server};
  TimelinePoint first, last;
  first.end_s = 0.5;
  first.parcel_bytes = 4'000;
  last.end_s = 90;
  last.busy_s = 9.25;
  report.timelines = {{1, {first, last}}};
  report.costs = {{"cheap", cost(1000, 500)}, {"dear", cost(2, 1500)}};
  report.absences = {{"a.nc: w", {2, 0, 0}}};
  report.errors = {"a file failed"};
  report.waits = {{1, 1, 31.5, "2026-11-21T18:40:01Z", "step 4 waits for w of model rank 7"},
                  {1, 0, 47, "2026-11-21T18:50:01Z", "a.nc waits for the disk"}};
  report.overloads = {3, 12.5, 8, "2026-11-21T18:45:01Z", 17, 1};
  report.dropped = {{"a.nc", 4}, {"b.nc", 1}};
  return report;
}

Bytes encoded(const RunReport& report) {
  Bytes bytes;
  Encoder out(bytes);
  report.encode(out);
  return bytes;
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(RunReport, tells_other_servers_of_errors_alone_and_of_so_many) {
  RunReport report = two_ranks();
  for (int i = 0; i < 250; ++i) report.errors.push_back("error " + std::to_string(i));
  const std::size_t all = report.errors.size();
  Bytes bytes;
  Encoder out(bytes);
  report.encode_errors(out);

  Decoder in(bytes);
  const RunReport told = RunReport::decode_errors(in);

  EXPECT_TRUE(in.is_at_end());
  ASSERT_EQ(told.errors.size(), 101U);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(told.errors[i], report.errors[i]);
  EXPECT_EQ(told.errors.back(), std::to_string(all - 100) + " more, which the report of the run has");
  EXPECT_TRUE(told.servers.empty() && told.clients.empty() && told.timelines.empty());
}

TEST(RunReport, arrives_as_it_was_sent) {
  const Bytes bytes = encoded(two_ranks());
  Decoder in(bytes);

  const RunReport got = RunReport::decode(in);

  EXPECT_TRUE(in.is_at_end());
  ASSERT_EQ(got.clients.size(), 2U);
  EXPECT_EQ(got.clients[1].rank, 7U);
  EXPECT_EQ(got.clients[1].end.is_broken_off, 1U);
  EXPECT_EQ(got.clients[1].end.waiting_s, 1.5);
  EXPECT_EQ(got.clients[0].end.bytes, 3'000'000U);
  ASSERT_EQ(got.files.size(), 2U);
  EXPECT_EQ(got.files[0].path, "out/a_100.nc");
  EXPECT_EQ(got.files[0].records, 3);
  EXPECT_EQ(got.errors, two_ranks().errors);
  EXPECT_EQ(got.text(), two_ranks().text());
  EXPECT_EQ(got.json(), two_ranks().json());
}

TEST(RunReport, every_truncation_throws) {
  const Bytes bytes = encoded(two_ranks());

  for (std::size_t length = 0; length < bytes.size(); ++length) {
    Decoder in{std::span<const std::byte>(bytes).first(length)};
    EXPECT_THROW(RunReport::decode(in), TransportError) << length;
  }
}

TEST(RunReport, counts_that_no_run_comes_to_are_refused) {
  for (const std::int64_t records : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::max()}) {
    RunReport report = two_ranks();
    report.files.at(0).records = records;
    const Bytes bytes = encoded(report);
    Decoder in(bytes);

    EXPECT_THROW(RunReport::decode(in), TransportError) << records;
  }
}

TEST(RunReport, joins_what_the_servers_know) {
  RunReport report = two_ranks(), other;
  other.clients = {{3, {}}};
  other.servers = {ServerFigures{}};
  other.files = {{"out/b_5.nc", 1, {}, "b.nc", 0}};
  other.costs = {{"dear", cost(1, 250)}, {"new", cost(1, 1)}};
  other.absences = {{"a.nc: w", {1, 4, 5}}, {"b.nc: v", {1, 0, 0}}};
  other.errors = {"another failed", "a file failed"};

  report.join(other);

  EXPECT_EQ(report.clients.size(), 3U);
  EXPECT_EQ(report.servers.size(), 2U);
  EXPECT_EQ(report.files.size(), 3U);
  EXPECT_EQ(report.error_text(), "a file failed\nanother failed");
  EXPECT_EQ(report.costs.size(), 3U);
  EXPECT_EQ(report.costs["dear"].runs, 3U);
  EXPECT_EQ(report.costs["dear"].seconds(), 1.75);
  EXPECT_EQ(report.absences["a.nc: w"].parts, 3);
  EXPECT_EQ(report.absences["a.nc: w"].samples, 5);
}

TEST(RunReport, counts_the_files_which_the_log_has_named) {
  const std::string text = two_ranks().text();

  EXPECT_TRUE(holds(text, "published 2 files with 4 records\n")) << text;
  EXPECT_FALSE(holds(text, "out/a_20.nc")) << text;
}

TEST(RunReport, counts_what_the_log_has_said_and_says_the_rest) {
  RunReport report = two_ranks(), other;
  report.logged_warnings = {"averages begin afresh"};
  report.warnings = {"a.nc: w has _FillValue in 3 of 9 elements"};
  other.errors = {"another failed"};
  other.logged_warnings = {"averages begin afresh"};
  report.join(other);

  const std::string text = report.text();

  EXPECT_TRUE(holds(text, "2 errors and 1 warning in the log above\n")) << text;
  EXPECT_FALSE(holds(text, "failed")) << text;
  EXPECT_FALSE(holds(text, "afresh")) << text;
  EXPECT_TRUE(holds(text, "warning: a.nc: w has _FillValue in 3 of 9 elements\n")) << text;
  EXPECT_EQ(nlohmann::json::parse(report.json())["warnings"].size(), 3);  // and what lacks in a.nc
}

TEST(RunReport, says_what_the_model_spent) {
  const std::string text = two_ranks().text();

  // In Pileus without waiting: 1.5 s and 2.5 s, 2 s a rank of 100 s; waiting 0.5 s and 1.5 s, 1 s a rank.
  EXPECT_TRUE(holds(text, "model: 2 ranks, 100.00 s from commit to finish, 4.0 MB handed over\n")) << text;
  EXPECT_TRUE(holds(text, "2.000 s a rank (2.00 %), of it 1.500 s in put;")) << text;
  EXPECT_TRUE(holds(text, "and waiting for memory 1.000 s (1.00 %)")) << text;
  EXPECT_TRUE(holds(text, "most in rank 7: 4.000 s\n")) << text;
  EXPECT_TRUE(holds(text, "\n1 error in the log above\n")) << text;
}

TEST(RunReport, says_in_columns_what_the_servers_did) {
  const std::string text = two_ranks().text();

  EXPECT_TRUE(holds(text,
                    "servers          time   nothing to do   analysis   messages   writing   parcels held"
                    "     memory\n"
                    "  server 1   90.000 s         90.00 %    3.000 s    2.000 s   5.000 s         4.0 kB"
                    "   123.0 MB\n"
                    "after the model's last step: 0.125 s to the end of the run\n"))
      << text;
}

TEST(RunReport, says_how_late_the_files_of_a_series_were) {
  const RunReport::Series series = two_ranks().series().at(0);

  EXPECT_EQ(series.name, "a.nc");
  EXPECT_EQ(series.published, 2);
  EXPECT_EQ(series.records, 4);
  EXPECT_EQ(series.median_latency_s, 0.5);  // of 0.25 and 0.75
  EXPECT_EQ(series.most_latency_s, 0.75);
}

TEST(RunReport, puts_the_costliest_first) {
  const std::string text = two_ranks().text();

  EXPECT_TRUE(holds(text,
                    "  dear                            2   1.500 s   75.00 %\n"
                    "  cheap                        1000   0.500 s   25.00 %\n"))
      << text;
}

TEST(RunReport, warns_once_of_each_variable_that_lacks_something) {
  RunReport report;
  report.absences = {{"a.nc: v", {0, 1, 1}}, {"a.nc: w", {2, 3, 4}}};

  const std::vector<std::string> expected = {
      "a.nc: v is made of fewer samples in 1 part of its records: 1 sample was absent, the others count",
      "a.nc: w holds missing values in 2 parts of its records: a field was not put, or a diagnostic gave no "
      "value",
      "a.nc: w is made of fewer samples in 3 parts of its records: 4 samples were absent, the others count"};
  EXPECT_EQ(report.all_warnings(), expected);
}

TEST(RunReport, is_read_by_programs) {
  RunReport report = two_ranks();
  report.errors = {"a \"quote\", a\nline and \xff, which is no UTF-8"};

  const auto json = nlohmann::json::parse(report.json());

  EXPECT_EQ(json["model_ranks"][1]["rank"], 7);
  EXPECT_EQ(json["model_ranks"][1]["put_s"], 1.75);
  EXPECT_EQ(json["servers"][0]["most_parcel_bytes"], 4000);
  EXPECT_EQ(json["files"][0]["median_latency_s"], 0.5);
  EXPECT_EQ(json["published"][0]["path"], "out/a_20.nc");
  EXPECT_EQ(json["analysis"][0]["name"], "dear");
  EXPECT_EQ(json["analysis"][0]["time_s"], 1.5);
  EXPECT_EQ(json["errors"][0], "a \"quote\", a\nline and \xef\xbf\xbd, which is no UTF-8");
}

TEST(RunReport, of_a_run_without_files_and_ranks_is_short) {
  EXPECT_EQ(RunReport().text(), "published 0 files\n");
  EXPECT_EQ(RunReport().error_text(), "");
}

TEST(RunReport, of_ranks_that_took_no_time_divides_by_nothing) {
  RunReport report;
  report.clients = {{0, {}}};
  report.servers = {ServerFigures{}};
  report.costs = {{"nothing", {}}};

  EXPECT_FALSE(holds(report.text(), "nan")) << report.text();
}

TEST(RunReport, tells_the_longest_waits_of_all_servers) {
  RunReport report = two_ranks(), other;
  other.waits = {{0, 1, 40, "2026-11-21T18:45:01Z", "the model computes"}};
  report.join(other);

  EXPECT_TRUE(holds(report.text(),
                    "waited for, the longest first\n"
                    "  47.000 s from 2026-11-21T18:50:01Z, to the end, server 1: a.nc waits for the disk\n"
                    "  40.000 s from 2026-11-21T18:45:01Z, server 0: the model computes\n"
                    "  31.500 s from 2026-11-21T18:40:01Z, server 1: step 4 waits for w of model rank 7\n"))
      << report.text();
  const auto waits = nlohmann::json::parse(report.json()).at("waits");
  ASSERT_EQ(waits.size(), 3u);
  EXPECT_EQ(waits[0].at("for"), "a.nc waits for the disk");
  EXPECT_EQ(waits[0].at("has_come"), false);
  EXPECT_EQ(waits[2].at("server"), 1);
  EXPECT_EQ(waits[2].at("lasted_s"), 31.5);
  EXPECT_EQ(waits[2].at("since"), "2026-11-21T18:40:01Z");
}

TEST(RunReport, says_nothing_of_waits_where_there_were_none) {
  RunReport report = two_ranks();
  report.waits.clear();

  EXPECT_FALSE(holds(report.text(), "waited for"));
}

TEST(RunReport, says_what_each_server_spilled) {
  RunReport report = two_ranks();
  EXPECT_FALSE(holds(report.text(), "spilled"));
  report.servers[0].spilled_parcels = 212;
  report.servers[0].spilled_bytes = 850'000;
  report.servers[0].most_spilled_bytes = 700'000;

  EXPECT_TRUE(holds(report.text(),
                    "spilled for want of memory by server 1: 212 parcels, 850.0 kB; at most 700.0 kB on the "
                    "disk\n"))
      << report.text();
  EXPECT_TRUE(holds(report.json(), "\"most_spilled_bytes\": 700000,")) << report.json();
}

TEST(RunReport, says_how_long_servers_were_overloaded_and_what_was_left_out) {
  RunReport report = two_ranks(), other;
  other.dropped = {{"b.nc", 2}};
  report.join(other);

  EXPECT_TRUE(holds(report.text(),
                    "overloaded, as servers were behind and their memory was full: 3 times, 12.500 s; the "
                    "longest 8.000 s from 2026-11-21T18:45:01Z, step 17, server 1\n"
                    "  left out meanwhile: 4 records of a.nc\n"
                    "  left out meanwhile: 3 records of b.nc\n"))
      << report.text();
  EXPECT_FALSE(holds(RunReport().text(), "overloaded"));
  EXPECT_TRUE(holds(report.json(), "\"a.nc\": 4,") && holds(report.json(), "\"b.nc\": 3\n")) << report.json();
}

}  // namespace
}  // namespace pileus
