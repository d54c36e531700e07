#include "server/report.h"

#include <gtest/gtest.h>

namespace pileus {
namespace {

RunReport two_ranks() {
  RunReport report;
  // Rank, then of its end: seconds since commit, of these in Pileus, of these waiting, bytes.
  report.clients = {{0, {FrameKind::finish, 0, 9, 100, 2, 0.5, 3'000'000}},
                    {7, {FrameKind::finish, 1, 9, 80, 4, 1.5, 1'000'000}}};
  report.files = {{"out/a_100.nc", 3, {}}, {"out/a_20.nc", 1, {}}};
  report.errors = {"a file failed"};
  return report;
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(RunReport, arrives_as_it_was_sent) {
  Bytes bytes;
  Encoder out(bytes);
  two_ranks().encode(out);
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
}

TEST(RunReport, every_truncation_throws) {
  Bytes bytes;
  Encoder out(bytes);
  two_ranks().encode(out);

  for (std::size_t length = 0; length < bytes.size(); ++length) {
    Decoder in{std::span<const std::byte>(bytes).first(length)};
    EXPECT_THROW(RunReport::decode(in), TransportError) << length;
  }
}

TEST(RunReport, joins_what_the_servers_know) {
  RunReport report = two_ranks(), other;
  other.clients = {{3, {}}};
  other.files = {{"out/b_5.nc", 1, {}}};
  other.errors = {"another failed"};

  report.join(other);

  EXPECT_EQ(report.clients.size(), 3U);
  EXPECT_EQ(report.files.size(), 3U);
  EXPECT_EQ(report.error_text(), "a file failed\nanother failed");
}

TEST(RunReport, lists_the_files_of_a_series_by_their_numbers) {
  const std::string text = two_ranks().text();

  EXPECT_TRUE(holds(text, "published 2 files\n  out/a_20.nc (1 record)\n  out/a_100.nc (3 records)\n"))
      << text;
}

TEST(RunReport, says_what_the_model_spent) {
  const std::string text = two_ranks().text();

  // In Pileus without waiting: 1.5 s and 2.5 s, 2 s a rank of 100 s; waiting 0.5 s and 1.5 s, 1 s a rank.
  EXPECT_TRUE(holds(text, "model: 2 ranks, 100.00 s from commit to finish, 4.0 MB handed over\n")) << text;
  EXPECT_TRUE(holds(text, "2.000 s a rank (2.00 %), and waiting for room 1.000 s (1.00 %)")) << text;
  EXPECT_TRUE(holds(text, "most in rank 7: 4.000 s\n")) << text;
  EXPECT_TRUE(holds(text, "error: a file failed\n")) << text;
}

TEST(RunReport, of_a_run_without_files_and_ranks_is_short) {
  EXPECT_EQ(RunReport().text(), "published 0 files\n");
  EXPECT_EQ(RunReport().error_text(), "");
}

TEST(RunReport, of_ranks_that_took_no_time_divides_by_nothing) {
  RunReport report;
  report.clients = {{0, {}}};

  EXPECT_FALSE(holds(report.text(), "nan")) << report.text();
}

}  // namespace
}  // namespace pileus
