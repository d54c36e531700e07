// Compares a run's times and amounts in the report with what happened. Whoever takes time in these runs spins
// on the clock for at least so long, in one thread. A figure must lie between the time that was spun where it
// counts, and the time of the whole run without the time that was spun elsewhere. No bound depends on how
// fast the machine is.

#include <algorithm>
#include <array>
#include <chrono>

#include "client/frames.h"
#include "tests/scenarios/failing_file_system.h"
#include "tests/scenarios/scenario.h"

namespace pileus::testing {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Index kColumns = 1 << 20;  // of "big", over all ranks
constexpr std::int64_t kSteps = 4;
constexpr ClientRank kRanks = 2;
constexpr ServerRank kServers = 2;
/// Nobody moves or adds up bytes faster.
constexpr double kMostBytesPerSecond = 1e12;
constexpr double kStepBytesOfRank = 8.0 * kColumns / kRanks;

double since(Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); }

void spin(double seconds) {
  const Clock::time_point began = Clock::now();
  while (since(began) < seconds) {
  }
}

/// Is slow to write and publish files whose names contain `late`.
class BusyDisk : public FailingFileSystem {
 public:
  BusyDisk() : FailingFileSystem(DiskCall::write_at, 1'000'000'000, false) {}

  std::unique_ptr<PartFile> open_parts(const std::string& path) override {
    return std::make_unique<BusyFile>(*this, FailingFileSystem::open_parts(path));
  }
  void publish(const std::string& temporary, const std::string& final_name, bool replace) override {
    if (final_name.find(late) != std::string::npos) take(publish_s);
    FailingFileSystem::publish(temporary, final_name, replace);
  }

  double write_s = 0, publish_s = 0;
  std::string late = ".nc";
  double spun_s = 0;

 private:
  class BusyFile : public PartFile {
   public:
    BusyFile(BusyDisk& disk, std::unique_ptr<PartFile> file) : disk_(disk), file_(std::move(file)) {}
    void write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
      disk_.take(disk_.write_s);
      file_->write_at(offset, bytes);
    }
    void sync() override { file_->sync(); }

   private:
    BusyDisk& disk_;
    std::unique_ptr<PartFile> file_;
  };

  void take(double seconds) {
    spin(seconds);
    spun_s += seconds;
  }
};

/// The times that one rank measured around its calls.
struct Around {
  double put_s = 0, all_s = 0;
};

class FiguresOfARun : public ::testing::Test {
 protected:
  FiguresOfARun() {
    run_.configuration = R"xml(<io-configuration>
  <server-configuration><memory budget="1000000000"/></server-configuration>
  <data-definition name="state" frequency="1">
    <field name="big" type="array" data_type="double" size="x" collective="true"/>
    <field name="small" type="scalar" data_type="double"/>
  </data-definition>
  <data-handling>
    <diagnostic field="big_sum">
      <operator name="localreduce" operator="sum" result="big_local" field="big"/>
      <communication name="reduction" operator="sum" result="big_sum" field="big_local"/>
    </diagnostic>
    <diagnostic field="twice"><operator name="arithmetic" equation="2*small" result="twice"/></diagnostic>
  </data-handling>
  <data-writing>
    <file name="big.nc" write_time_frequency="2"><include field="big" time_manipulation="none"/></file>
    <file name="sum.nc" write_time_frequency="2">
      <include field="big_sum" time_manipulation="none"/>
      <include field="twice" time_manipulation="none"/>
    </file>
  </data-writing>
</io-configuration>
)xml";
    run_.ranks = kRanks;
    run_.servers = kServers;
    run_.model = [this](Client& client, ClientRank rank) { model(client, rank); };
    run_.files_of = [this](ServerRank server) { return &disks_.at(server); };
  }

  const RunReport& simulated() {
    const Clock::time_point began = Clock::now();
    result_ = simulate(run_);
    took_s_ = since(began);
    EXPECT_EQ(result_.errors, "");
    EXPECT_EQ(result_.files.size(), 4u);
    EXPECT_EQ(result_.figures.clients.size(), kRanks);
    EXPECT_EQ(result_.figures.servers.size(), kServers);
    std::ranges::sort(result_.figures.clients, {}, &RunReport::Client::rank);
    std::ranges::sort(result_.figures.servers, {}, &ServerFigures::server);
    return result_.figures;
  }

  void model(Client& client, ClientRank rank) {
    const auto timed = [&](double& total, const auto& call) {
      const Clock::time_point began = Clock::now();
      call();
      total += since(began);
    };
    Around& around = around_.at(rank);
    const Index first = kColumns * rank / kRanks, count = kColumns * (rank + 1) / kRanks - first;
    const std::vector<double> values(static_cast<std::size_t>(count), 1.0);
    client.dimension({"x", kColumns, {}, ""});
    client.field({"big", ElementType::float64, {"x"}, {{first}, {count}}});
    client.field({"small", ElementType::float64, {}, {}});
    client.commit();
    for (std::int64_t n = 1; n <= kSteps; ++n) {
      has_begun_ = true;
      spin(step_s_);
      const Step step{n, static_cast<double>(n), 1};
      timed(around.all_s, [&] { client.begin(step, n == kSteps); });
      double put_s = 0;
      timed(put_s, [&] {
        client.put(0, values.data(), nullptr);
        client.put(1, &step.time, nullptr);
      });
      around.put_s += put_s;
      around.all_s += put_s;
      timed(around.all_s, [&] { client.end(); });
    }
    timed(around.all_s, [&] { client.finish(); });
  }

  double disks_s() const { return disks_[0].spun_s + disks_[1].spun_s; }
  double model_s() const { return static_cast<double>(kRanks * kSteps) * step_s_; }

  SimulatedRun run_;
  SimulatedResult result_;
  std::array<BusyDisk, kServers> disks_;
  std::array<Around, kRanks> around_;
  double step_s_ = 0;  ///< that a rank computes before each step
  double took_s_ = 0;
  bool has_begun_ = false;
};

TEST_F(FiguresOfARun, a_rank_is_in_pileus_while_it_is_in_its_calls_and_not_while_it_computes) {
  step_s_ = 0.005;

  for (const RunReport::Client& client : simulated().clients) {
    const FinishFrame& end = client.end;
    const Around& around = around_.at(client.rank);
    EXPECT_GE(end.put_s, kSteps * kStepBytesOfRank / kMostBytesPerSecond);
    EXPECT_LE(end.put_s, around.put_s);
    EXPECT_GE(end.inside_s, end.put_s);
    EXPECT_LE(end.inside_s, around.all_s);
    EXPECT_GE(end.wall_s, end.inside_s + kSteps * step_s_);
    EXPECT_LE(end.wall_s, took_s_);
    EXPECT_EQ(end.waiting_s, 0) << "all of it fits";
    EXPECT_EQ(end.steps, kSteps);
    EXPECT_GE(static_cast<double>(end.bytes), kSteps * kStepBytesOfRank);
    EXPECT_LE(static_cast<double>(end.bytes), kSteps * (kStepBytesOfRank + 2 * kLongFieldAlignment));
  }
}

TEST_F(FiguresOfARun, a_rank_waits_for_room_while_the_budget_is_full) {
  step_s_ = 0.005;
  run_.configuration.replace(run_.configuration.find("1000000000"), 10, "1");
  run_.slow_server = 0;  // it takes a step when both ranks have done all that they can

  double waiting_s = 0, put_s = 0;
  for (const RunReport::Client& client : simulated().clients) {
    EXPECT_LE(client.end.waiting_s, around_.at(client.rank).all_s);
    EXPECT_GE(client.end.inside_s, client.end.waiting_s + client.end.put_s);
    waiting_s += client.end.waiting_s;
    put_s += client.end.put_s;
  }

  // Whichever rank is the first without memory waits while the other one computes.
  EXPECT_GE(waiting_s, step_s_);
  EXPECT_GE(put_s, kRanks * kSteps * kStepBytesOfRank / kMostBytesPerSecond);
}

TEST_F(FiguresOfARun, a_server_has_nothing_to_do_while_the_model_computes) {
  step_s_ = 0.005;

  for (const ServerFigures& server : simulated().servers) {
    EXPECT_GE(server.idle_s, model_s()) << server.server;
    EXPECT_LE(server.wall_s, took_s_);
    EXPECT_GE(server.wall_s - server.idle_s, 0);
    for (const double work_s : {server.analysis_s, server.messages_s, server.writing_s}) {
      EXPECT_GT(work_s, 0);
      EXPECT_LE(work_s, server.wall_s - server.idle_s);
    }
  }
}

TEST_F(FiguresOfARun, writing_is_the_time_that_a_servers_own_disk_takes) {
  disks_[1].write_s = 0.005;

  const std::vector<ServerFigures>& servers = simulated().servers;

  ASSERT_GT(disks_[1].spun_s, 0);
  EXPECT_GE(servers[1].writing_s, disks_[1].spun_s);
  EXPECT_LE(servers[1].analysis_s, took_s_ - disks_[1].spun_s);
  EXPECT_LE(servers[1].messages_s, took_s_ - disks_[1].spun_s);
  EXPECT_LE(servers[1].idle_s, took_s_ - disks_[1].spun_s);
  EXPECT_LE(servers[0].writing_s, took_s_ - disks_[1].spun_s);
  EXPECT_GE(servers[0].idle_s, disks_[1].spun_s) << "the other disk is none of its work";
}

TEST_F(FiguresOfARun, analysis_is_the_time_that_rules_take_and_the_slowest_stands_first) {
  const std::string library = "<operator-library file=\"" PILEUS_SLOW_OPERATOR "\"/>";
  run_.configuration.insert(run_.configuration.find("<memory"), library);
  const std::string quick = "name=\"arithmetic\" equation=\"2*small\"";
  run_.configuration.replace(run_.configuration.find(quick), quick.size(),
                             "name=\"slow_double\" field=\"small\"");
  constexpr double kRule_s =
      kSteps * 0.005;  // rank 0 alone sends a scalar, so that server 0 alone doubles it

  const RunReport& figures = simulated();

  const Cost& slow = figures.costs.at("slow_double \"twice\" of diagnostic \"twice\"");
  EXPECT_EQ(slow.runs, static_cast<std::uint64_t>(kSteps));
  EXPECT_GE(slow.seconds(), kRule_s);
  EXPECT_LE(slow.seconds(), figures.servers[0].analysis_s);
  EXPECT_GE(figures.servers[0].analysis_s, kRule_s);
  EXPECT_LE(figures.servers[1].analysis_s, took_s_ - kRule_s);
  for (const ServerFigures& server : figures.servers) {
    EXPECT_LE(server.messages_s, took_s_ - kRule_s);
    EXPECT_LE(server.writing_s, took_s_ - kRule_s);
  }
  const Cost& reduced = figures.costs.at("localreduce \"big_local\" of diagnostic \"big_sum\"");
  EXPECT_EQ(reduced.runs, static_cast<std::uint64_t>(kRanks * kSteps));
  EXPECT_GE(reduced.seconds(), kRanks * kSteps * kStepBytesOfRank / kMostBytesPerSecond);
  EXPECT_LE(reduced.seconds(), took_s_ - kRule_s);
  const std::vector<RunReport::NamedCost> costs = figures.sorted_costs();
  for (std::size_t i = 1; i < costs.size(); ++i) EXPECT_LE(costs[i].second.time, costs[i - 1].second.time);
}

TEST_F(FiguresOfARun, messages_take_the_time_of_the_lane_that_receives_them) {
  double spun_s = 0;
  run_.on_message = [&](Peer to) {
    if (to != kRanks || !has_begun_) return;  // server 0, when it has its plan
    spin(0.002);
    spun_s += 0.002;
  };

  const std::vector<ServerFigures>& servers = simulated().servers;

  // Rank 0 sends it every step; the last messages between servers come after the figures are taken.
  EXPECT_GE(servers[0].messages_s, kSteps * 0.002);
  EXPECT_LE(servers[1].messages_s, took_s_ - spun_s);
  EXPECT_LE(servers[0].analysis_s, took_s_ - spun_s);
}

TEST_F(FiguresOfARun, messages_are_counted_with_their_bytes_where_they_are_sent) {
  // Every part goes to the owner of its file.
  for (BusyDisk& disk : disks_) disk.set_bears_positioned_writes(false);

  const std::vector<ServerFigures>& servers = simulated().servers;

  // One server owns the file, the other one sends it the parts of its own rank.
  const bool first_owns = servers[0].message_bytes < servers[1].message_bytes;
  const ServerFigures &owner = servers[first_owns ? 0 : 1], &other = servers[first_owns ? 1 : 0];
  EXPECT_GE(static_cast<double>(other.message_bytes), kSteps * kStepBytesOfRank);
  EXPECT_LE(static_cast<double>(other.message_bytes), kSteps * kStepBytesOfRank + 100'000);
  EXPECT_LE(owner.message_bytes, 100'000);
  EXPECT_GE(other.messages, kSteps);
  EXPECT_GE(owner.messages, kSteps);
}

TEST_F(FiguresOfARun, a_file_is_late_by_what_its_publication_takes) {
  for (BusyDisk& disk : disks_) {
    disk.publish_s = 0.02;
    disk.late = "big_4";
  }

  const RunReport& figures = simulated();

  ASSERT_EQ(disks_s(), 0.02);
  for (const PublishedFile& file : figures.files) {
    const bool is_late = file.path.find("big_4.nc") != std::string::npos;
    EXPECT_GT(file.latency_s, 0) << file.path;
    EXPECT_GE(file.latency_s, is_late ? 0.02 : 0) << file.path;
    EXPECT_LE(file.latency_s, took_s_) << file.path;
  }
  const std::vector<RunReport::Series> series = figures.series();
  ASSERT_EQ(series.size(), 2u);
  EXPECT_EQ(series[0].name, "big.nc");
  EXPECT_GE(series[0].most_latency_s, 0.02);
  EXPECT_EQ(series[0].published, 2);
  EXPECT_EQ(series[0].records, kSteps);
}

TEST_F(FiguresOfARun, what_follows_the_models_last_step_is_told) {
  for (BusyDisk& disk : disks_) {
    disk.publish_s = 0.02;
    disk.late = "_4.nc";
  }

  const RunReport& figures = simulated();

  ASSERT_EQ(disks_s(), 0.04);
  for (const ServerFigures& server : figures.servers) EXPECT_LE(server.after_model_s, took_s_);
  EXPECT_GE(std::max(figures.servers[0].after_model_s, figures.servers[1].after_model_s), 0.02);
}

TEST_F(FiguresOfARun, high_water_marks_are_those_of_what_was_held) {
  const RunReport& figures = simulated();

  for (const ServerFigures& server : figures.servers) {
    EXPECT_GE(static_cast<double>(server.most_parcel_bytes), kStepBytesOfRank);
    EXPECT_LE(static_cast<double>(server.most_parcel_bytes),
              kSteps * (kStepBytesOfRank + 2 * kLongFieldAlignment));
    // The process holds at least the arrays of both ranks.
    EXPECT_GE(static_cast<double>(server.most_memory_bytes), kRanks * kStepBytesOfRank);
    EXPECT_GE(server.most_tasks, 1);
    EXPECT_EQ(server.workers, 1);
  }
}

}  // namespace
}  // namespace pileus::testing
