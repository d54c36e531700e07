// What the start of a run with many model ranks and many coordinates costs: real servers, and ranks that the
// test plays. Every byte is counted that anybody sends to anybody.

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <random>

#include "client/frames.h"
#include "core/index_ranges.h"
#include "core/log.h"
#include "core/model_ranks.h"
#include "core/testing/temporary_directory.h"
#include "exec/seeded_executor.h"
#include "formats/netcdf/netcdf_format.h"
#include "messaging/tree_shape.h"
#include "plan/sha256.h"
#include "server/server.h"
#include "transport/in_process/in_process_network.h"

namespace pileus::testing {
namespace {

constexpr Index kCoordinates = 100'000;
constexpr const char* kConfiguration = R"xml(<io-configuration>
  <data-definition name="state" frequency="1">
    <field name="w" type="array" data_type="double" size="z,x" collective="true"/>
    <field name="profile_7" type="array" data_type="double" size="z"/>
  </data-definition>
  <data-writing>
    <file name="w.nc" write_time_frequency="10">
      <include field="w" time_manipulation="none"/>
      <include field="profile_7" time_manipulation="none"/>
    </file>
  </data-writing>
</io-configuration>
)xml";

constexpr Index kPoints = 1'000'000;
/// With a field on points.
constexpr const char* kConfigurationOfPoints = R"xml(<io-configuration>
  <data-definition name="state" frequency="1">
    <field name="t" type="array" size="cell" collective="true"/>
  </data-definition>
  <data-writing>
    <file name="t.nc" write_time_frequency="10"><include field="t" time_manipulation="none"/></file>
  </data-writing>
</io-configuration>
)xml";

/// Counts what one process sends, by whom it is for. What it sends leaves it a few looks later.
class CountingEndpoint : public Endpoint {
 public:
  CountingEndpoint(std::unique_ptr<Endpoint> inner, std::map<Peer, std::size_t>& bytes)
      : inner_(std::move(inner)), bytes_(bytes) {}
  Peer self() const override { return inner_->self(); }
  Peer size() const override { return inner_->size(); }
  void set_budget(Peer to, std::size_t bytes) override { inner_->set_budget(to, bytes); }
  std::unique_ptr<Slot> claim(Peer to, Channel channel, std::size_t bytes) override {
    std::unique_ptr<Slot> slot = inner_->claim(to, channel, bytes);
    if (slot) bytes_[to] += bytes;
    return slot;
  }
  void commit(std::unique_ptr<Slot> slot) override {
    inner_->commit(std::move(slot));
    looks_until_sent_ = 3;
  }
  std::shared_ptr<Message> receive() override { return inner_->receive(); }
  void rest(std::chrono::microseconds limit) override { inner_->rest(limit); }
  bool is_all_sent() override {
    if (looks_until_sent_ > 0 && !keeps_all_) --looks_until_sent_;
    return has_all_left();
  }
  bool has_all_left() const { return looks_until_sent_ == 0; }
  /// From now on nothing is seen to leave, though it does.
  void keep_all() { keeps_all_ = true; }
  bool keeps_all() const { return keeps_all_; }

 private:
  std::unique_ptr<Endpoint> inner_;
  std::map<Peer, std::size_t>& bytes_;
  int looks_until_sent_ = 0;
  bool keeps_all_ = false;
};

/// A row of ranks along x; each has 4 columns of 100 000 levels, and as many profiles as models have.
RankDescription first_rank(ClientRank ranks, bool has_coordinates) {
  RankDescription rank;
  ModelDimension z{"z", kCoordinates, {}, ""};
  for (Index k = 0; has_coordinates && k < kCoordinates; ++k)
    z.coordinates.push_back(0.5 * static_cast<double>(k));
  if (has_coordinates) z.units = "m";
  rank.dimensions = {z, {"x", 4 * static_cast<Index>(ranks), {}, ""}};
  rank.fields = {{"w", ElementType::float64, {"z", "x"}, {{0, 0}, {kCoordinates, 4}}}};
  for (int i = 0; i < 200; ++i)
    rank.fields.push_back(
        {"profile_" + std::to_string(i), ElementType::float64, {"z"}, {{0}, {kCoordinates}}});
  return rank;
}

/// One field on points; where the rank lies follows from how many it holds.
RankDescription rank_on_points(Index held) {
  RankDescription rank;
  rank.dimensions = {{"cell", kPoints, {}, ""}};
  rank.points = {{"cells", {"cell"}}};
  rank.fields = {{"t", ElementType::float64, {"cell"}, {{0}, {held}}}};
  rank.fields[0].points = 0;
  return rank;
}

/// Stretches of 16 points, dealt at random.
std::vector<IndexRanges> dealt_points(ClientRank ranks) {
  std::mt19937_64 random(1);
  std::vector<IndexRanges> held(ranks);
  for (Index first = 0; first < kPoints; first += 16) {
    IndexRanges& one = held[random() % ranks];
    for (Index i = first; i < std::min(first + 16, kPoints); ++i) add_index(one, i);
  }
  return held;
}

/// By process: the bytes to each other.
using Sent = std::vector<std::map<Peer, std::size_t>>;

struct Traffic {
  Sent sent;
  std::map<ServerRank, Sent> before_plan;  ///< when this server made its plan
  ClientRank ranks = 0;

  std::size_t between(ServerRank from, ServerRank to) const { return between(sent, from, to); }
  std::size_t between_before_plan(ServerRank from, ServerRank to) const {
    return between(before_plan.at(from), from, to);
  }

 private:
  std::size_t between(const Sent& all, ServerRank from, ServerRank to) const {
    const auto found = all[ranks + from].find(ranks + to);
    return found == all[ranks + from].end() ? 0 : found->second;
  }
};

/// Starts a run until each rank has its demand.
class PlayedStart {
 public:
  PlayedStart(ClientRank ranks, ServerRank servers, bool is_on_points = false)
      : ranks_(ranks), is_on_points_(is_on_points), network_(ranks + servers) {
    traffic_.ranks = ranks;
    traffic_.sent.resize(ranks + servers);
    std::ofstream(directory_.path("run.xml")) << (is_on_points ? kConfigurationOfPoints : kConfiguration);
    ServerSettings settings;
    settings.configuration = directory_.path("run.xml");
    settings.directory = directory_.path();
    settings.now = [this] { return now_ += std::chrono::milliseconds(1); };
    for (Peer peer = 0; peer < ranks + servers; ++peer) {
      (peer < ranks ? settings.clients : settings.servers).push_back(peer);
      endpoints_.push_back(std::make_unique<CountingEndpoint>(network_.endpoint(peer), traffic_.sent[peer]));
    }
    for (settings.self = 0; settings.self < servers; ++settings.self) {
      const MakeExecutors executors = [this, self = settings.self](std::optional<std::int64_t>) {
        const CountingEndpoint& own = *endpoints_[ranks_ + self];
        EXPECT_TRUE(own.has_all_left() || own.keeps_all());
        traffic_.before_plan[self] = traffic_.sent;
        return ServerExecutors{executor_, executor_, executor_, executor_};
      };
      formats_.push_back(netcdf_format(*files_, Index{1} << 20));
      servers_.push_back(std::make_unique<Server>(settings, *endpoints_[ranks + settings.self], executors,
                                                  *files_, *formats_.back()));
    }
  }

  void keep_all_of(ServerRank server) {
    endpoints_[ranks_ + server]->keep_all();
    most_idle_ = 2000;
  }

  Traffic traffic() {
    const Bytes kind = encode_rank(is_on_points_ ? rank_on_points(0) : first_rank(ranks_, true)).kind;
    const std::string hash = planning::sha256({reinterpret_cast<const char*>(kind.data()), kind.size()});
    RankDescription rank = first_rank(ranks_, false);  // where a rank lies needs no coordinates
    const std::vector<IndexRanges> held = is_on_points_ ? dealt_points(ranks_) : std::vector<IndexRanges>();
    for (ClientRank client = 0; client < ranks_; ++client) {
      if (is_on_points_) {
        send_points(client, held[client]);
        rank = rank_on_points(size_of(held[client]));
      } else {
        rank.fields[0].region.start[1] = 4 * static_cast<Index>(client);
      }
      Bytes frame;
      Encoder out(frame);
      out.put(FrameKind::registration);
      out.put(kWireVersion);
      out.put(kOnlyComponent.index);
      out.put(hash);
      out.put_raw(encode_rank(rank).place);
      send(client, frame);
    }
    for (int idle = 0; idle < most_idle_; ++idle) {
      bool is_moving = poll();
      for (ClientRank client = 0; client < ranks_; ++client) is_moving = answer(client, kind) || is_moving;
      if (is_moving) idle = 0;
    }
    EXPECT_EQ(demands_, ranks_);
    return traffic_;
  }

 private:
  Peer server_of(ClientRank client) const {
    return ranks_ + Layout{ranks_, static_cast<ServerRank>(servers_.size())}.server_of(client);
  }
  void send(ClientRank from, const Bytes& frame) {
    std::unique_ptr<Slot> slot = endpoints_[from]->claim(server_of(from), kControl, frame.size());
    std::ranges::copy(frame, slot->bytes().begin());
    endpoints_[from]->commit(std::move(slot));
  }
  void send_points(ClientRank client, const IndexRanges& held) {
    Bytes frame;
    Encoder out(frame);
    out.put(FrameKind::points);
    out.put(std::uint32_t{0});
    encode_ranges(held, out);
    send(client, frame);
  }
  bool poll() {
    bool did_anything = false;
    for (const auto& server : servers_) did_anything = server->poll() || did_anything;
    executor_.run_until_idle();
    return did_anything;
  }
  bool answer(ClientRank client, const Bytes& kind) {
    const auto message = endpoints_[client]->receive();
    if (!message) return false;
    Decoder in(message->bytes());
    const auto frame_kind = in.get<FrameKind>();
    if (frame_kind == FrameKind::demand) ++demands_;
    if (frame_kind == FrameKind::refusal) ADD_FAILURE() << in.get_text();
    if (frame_kind != FrameKind::description_wanted) return true;
    Bytes frame;
    Encoder out(frame);
    out.put(FrameKind::description);
    out.put_raw(kind);
    send(client, frame);
    return true;
  }

  ClientRank ranks_;
  bool is_on_points_;
  Traffic traffic_;
  std::chrono::steady_clock::time_point now_;
  int most_idle_ = 10;  ///< looks of all in vain; the clock goes on by a millisecond or more in each
  TemporaryDirectory directory_{fast_directory()};
  SeededExecutor executor_{0};
  InProcessNetwork network_;
  std::unique_ptr<FileSystem> files_ = posix_file_system();
  std::vector<std::unique_ptr<FileFormat>> formats_;
  std::vector<std::unique_ptr<CountingEndpoint>> endpoints_;
  std::vector<std::unique_ptr<Server>> servers_;
  ClientRank demands_ = 0;
};

class StartBytes : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { log::set_level(log::Level::error); }
};

// Before ranks registered what they have in common once, each server but the first got 839 MB of the first:
// 1024 times 800 kB of coordinates and 19 kB of names.
TEST_F(StartBytes, of_1024_ranks_with_100_000_coordinates_are_those_of_one_rank_and_20_for_each) {
  constexpr ClientRank kRanks = 1024;
  constexpr ServerRank kServers = 32;
  constexpr std::size_t kOfOne = 8 * kCoordinates + 20'000;

  const Traffic traffic = PlayedStart(kRanks, kServers).traffic();

  std::size_t most = 0;
  for (ServerRank server = 0; server < kServers; ++server) {
    const TreeSeat seat = seat_below_first(kServers, server);
    for (ServerRank other = 0; other < kServers; ++other) {
      const bool is_in_tree = seat.parent == other || std::ranges::count(seat.children, other) > 0;
      const std::size_t bytes = traffic.between(server, other);
      EXPECT_LE(bytes, is_in_tree ? kOfOne + 20 * kRanks : 100) << server << " to " << other;
      if (server == 0) most = std::max(most, bytes);
    }
  }
  RecordProperty("bytes_of_server_0_to_each_below_it", static_cast<int>(most));
}

// Every server gets what its own streams get of other servers' ranks, and no list of all points.
TEST_F(StartBytes, of_a_million_points_are_two_for_each_point_of_a_server) {
  constexpr ClientRank kRanks = 1024;
  constexpr ServerRank kServers = 32;

  const Traffic traffic = PlayedStart(kRanks, kServers, true).traffic();

  std::size_t most = 0;
  for (ServerRank server = 0; server < kServers; ++server) {
    const TreeSeat seat = seat_below_first(kServers, server);
    std::size_t bytes = 0;
    for (ServerRank other = 0; other < kServers; ++other) {
      const bool is_in_tree = seat.parent == other || std::ranges::count(seat.children, other) > 0;
      if (!is_in_tree) bytes += traffic.between(other, server);
      EXPECT_LE(traffic.between(other, server), 2 * kPoints / kServers + 40 * kRanks)
          << other << " to " << server;
    }
    EXPECT_LE(bytes, 2 * kPoints / kServers) << server;
    most = std::max(most, bytes);
  }
  EXPECT_GT(most, 0U);
  RecordProperty("bytes_of_points_to_a_server", static_cast<int>(most));
}

// So that plans are made side by side, not level after level.
TEST_F(StartBytes, of_the_description_have_left_a_server_before_it_plans) {
  constexpr ServerRank kServers = 20;

  const Traffic traffic = PlayedStart(40, kServers).traffic();

  for (ServerRank server = 0; server < kServers; ++server) {
    for (const ServerRank below : seat_below_first(kServers, server).children)
      EXPECT_GT(traffic.between_before_plan(server, below), 8 * kCoordinates) << server << " to " << below;
  }
}

TEST_F(StartBytes, that_do_not_leave_a_server_hold_nobody_up_for_good) {
  PlayedStart start(4, 4);
  start.keep_all_of(0);
  EXPECT_EQ(start.traffic().before_plan.size(), 4U);
}

TEST_F(StartBytes, of_a_rank_are_few_but_of_one_rank_of_each_server) {
  constexpr ClientRank kRanks = 96;
  constexpr ServerRank kServers = 6;

  const Traffic traffic = PlayedStart(kRanks, kServers).traffic();

  int describing = 0;
  for (ClientRank rank = 0; rank < kRanks; ++rank) {
    for (const auto& [to, bytes] : traffic.sent[rank]) {
      if (bytes > 8 * kCoordinates) {
        ++describing;
      } else {
        EXPECT_LT(bytes, 200U);
      }
    }
  }
  EXPECT_EQ(describing, static_cast<int>(kServers));
}

}  // namespace
}  // namespace pileus::testing
