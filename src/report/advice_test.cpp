#include "report/advice.h"

#include <gtest/gtest.h>

namespace pileus {
namespace {

constexpr std::int64_t kMB = 1'000'000;

ServerFigures server(ServerRank number, double idle_s, double analysis_s, double writing_s) {
  ServerFigures made;
  made.server = number;
  made.wall_s = 100;
  made.idle_s = idle_s;
  made.analysis_s = analysis_s;
  made.writing_s = writing_s;
  made.workers = 1;
  made.most_parcel_bytes = 10 * kMB;
  return made;
}

/// `ranks` ranks of 100 s, of which each waited so long, and handed over 100 MB.
RunReport run(std::size_t ranks, double waiting_s, std::vector<ServerFigures> servers) {
  RunReport report;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    FinishFrame end;
    end.wall_s = 100;
    end.waiting_s = waiting_s;
    end.bytes = 100 * kMB;
    report.clients.push_back({static_cast<ClientRank>(rank), end});
  }
  report.servers = std::move(servers);
  return report;
}

using Texts = std::vector<std::string>;

TEST(Advice, a_run_that_is_well_is_left_as_it_is) {
  EXPECT_EQ(
      advice(run(8, 0.02, {server(0, 55, 30, 10), server(1, 60, 30, 10)})),
      Texts({"the servers kept up with the model, and had nothing to do 57 % of the time: nothing is to be "
             "changed"}));
}

TEST(Advice, runs_that_show_nothing_get_none) {
  RunReport shortest = run(8, 0, {server(0, 0.8, 0, 0)});
  shortest.servers[0].wall_s = 0.9;

  EXPECT_EQ(advice(shortest), Texts());
  EXPECT_EQ(advice({}), Texts());
}

TEST(Advice, idle_servers_are_too_many) {
  // 0.08 and 0.1 of a server's time: one would be at work 18 % of it. It would hold 20 MB, 19.1 MiB.
  EXPECT_EQ(
      advice(run(24, 0, {server(0, 92, 5, 1), server(1, 90, 5, 1)})),
      Texts({"the servers had nothing to do 91 % of the time: 1 for 24 ranks would do, in place of 2, with "
             "memory for 20 MiB of what the model hands over"}));
}

TEST(Advice, no_more_servers_go_than_the_others_can_take_over) {
  // 4 times 0.3: 1.2 servers that are at work all the time, 3 that are at work 40 % of it.
  const RunReport report =
      run(24, 0, {server(0, 70, 20, 0), server(1, 70, 20, 0), server(2, 70, 20, 0), server(3, 70, 20, 0)});

  ASSERT_EQ(advice(report).size(), 1U);
  EXPECT_NE(advice(report)[0].find("3 for 24 ranks would do, in place of 4"), std::string::npos);
}

TEST(Advice, a_single_idle_server_would_do_for_more_ranks) {
  EXPECT_EQ(
      advice(run(24, 0, {server(0, 95, 3, 1)})),
      Texts({"the server had nothing to do 95 % of the time: it would do for 10 times as many ranks like "
             "these 24"}));
  EXPECT_EQ(
      advice(run(24, 0, {server(0, 99.9, 0, 0)})),
      Texts({"the server had nothing to do 100 % of the time: it would do for more than 100 times as many "
             "ranks like these 24"}));
}

TEST(Advice, attached_servers_cost_no_ranks_and_are_never_too_many) {
  RunReport report = run(2, 0, {server(0, 95, 3, 1), server(1, 95, 3, 1)});
  for (ServerFigures& one : report.servers) one.is_attached = 1;

  EXPECT_EQ(
      advice(report),
      Texts({"the servers kept up with the model, and had nothing to do 95 % of the time: nothing is to be "
             "changed"}));
}

TEST(Advice, waiting_for_idle_servers_is_a_lack_of_memory) {
  // 20 s of waiting, and 8 × 100 MB in the other 80 s: 200 MB more, 190.7 MiB.
  EXPECT_EQ(
      advice(run(8, 20, {server(0, 45, 30, 10)})),
      Texts({"20.0 s a rank of waiting for memory (20 % of the model's time), though the servers had "
             "nothing to do 45 % of the time: at most 200 MiB more memory for each, or one more server"}));
}

TEST(Advice, waiting_for_busy_servers_is_a_lack_of_servers) {
  RunReport report = run(8, 50, {server(0, 3, 90, 5)});
  report.costs = {{"localreduce \"w\"", {10, std::chrono::seconds(3)}},
                  {"other", {10, std::chrono::seconds(1)}}};

  // The model would have taken half of its time: 0.97 / 0.8 × 2 = 2.4 servers.
  EXPECT_EQ(
      advice(report),
      Texts({"50.0 s a rank of waiting for memory (50 % of the model's time): server 0 was at work 97 % of "
             "the time, and analysed most of it, 75 % of it for localreduce \"w\": 3 servers, or more than "
             "1 worker on each; more memory would only put it off"}));
}

TEST(Advice, a_model_that_did_little_but_wait_tells_no_number) {
  const Texts said = advice(run(1, 97, {server(0, 0, 99, 0)}));

  ASSERT_EQ(said.size(), 1U);
  EXPECT_NE(said[0].find("analysed most of it: more than 4 servers, or more than 1 worker on each"),
            std::string::npos);
}

TEST(Advice, waiting_for_a_disk_is_said_to_be_that) {
  const Texts said = advice(run(8, 50, {server(0, 3, 5, 90)}));

  ASSERT_EQ(said.size(), 1U);
  EXPECT_NE(said[0].find("and wrote most of it: a faster disk, less output, or 3 servers"),
            std::string::npos);
}

TEST(Advice, records_that_were_left_out_count_like_waiting) {
  RunReport report = run(8, 0, {server(0, 2, 90, 5)});
  report.dropped = {{"a.nc", 30}, {"b.nc", 2}};

  const Texts said = advice(report);

  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(said[0].find("32 records left out: server 0 was at work 98 % of the time"), 0U) << said[0];
}

TEST(Advice, a_server_that_does_it_all_is_named) {
  const Texts said = advice(run(8, 0, {server(0, 10, 80, 5), server(1, 90, 5, 1)}));

  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(
      said[0],
      "server 0 was at work 90 % of the time, the others 10 %: more files, or a like number of ranks for "
      "each server, would spread the work");
}

TEST(Advice, a_server_without_time_left_is_named_before_anybody_waits) {
  EXPECT_EQ(
      advice(run(8, 0, {server(0, 5, 90, 5)})),
      Texts(
          {"server 0 was at work 95 % of the time, and analysed most of it: 2 servers, or more than 1 worker "
           "on each; a longer run would have to wait"}));
}

TEST(Advice, a_long_end_is_said) {
  RunReport report = run(8, 0, {server(0, 60, 20, 10)});
  report.servers[0].after_model_s = 30;

  EXPECT_EQ(
      advice(report),
      Texts({"30.0 s of 100.0 s were after the model's last step: files of shorter periods are written while "
             "the model runs, and servers that keep up have less left"}));
}

}  // namespace
}  // namespace pileus
