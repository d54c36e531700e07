#include "points/dealing.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/missing.h"
#include "points/testing/dealt_model.h"

namespace pileus {
namespace {

using testing::PointModel;

/// What a rank hands over of a field: of each of its points and levels `value`.
template <class T>
Array handed_over_array(const PointModel& model, ClientRank rank, bool levels_first) {
  auto values = std::make_shared<std::vector<T>>();
  const std::vector<Index> points(model.held[rank].begin(), model.held[rank].end());
  const auto add = [&](Index point, Index level) {
    values->push_back(static_cast<T>(PointModel::value(point, level, rank)));
  };
  if (levels_first) {
    for (const Index point : points)
      for (Index level = 0; level < model.levels; ++level) add(point, level);
  } else {
    for (Index level = 0; level < model.levels; ++level)
      for (const Index point : points) add(point, level);
  }
  const auto* first = reinterpret_cast<const std::byte*>(values->data());
  constexpr ElementType type = sizeof(T) == 8 ? ElementType::float64 : ElementType::float32;
  return {type, {static_cast<Index>(values->size())}, std::shared_ptr<const std::byte>(values, first)};
}

class Servers;

/// Frames wait until the test lets one arrive.
class Post : public Messages {
 public:
  Post(Servers& all, ServerRank self) : all_(all), self_(self) {}
  void send(ServerRank to, Bytes frame) override;

 private:
  Servers& all_;
  ServerRank self_;
};

/// All servers of a run, in one thread and in an order that follows from the seed.
class Servers : private SettledPoints {
 public:
  Servers(const PointModel& model, const Plan& plan, std::uint64_t seed)
      : model_(model), plan_(plan), random_(seed), executor_(seed), starts_(plan.layout.servers) {
    for (ServerRank server = 0; server < plan.layout.servers; ++server) {
      posts_.push_back(std::make_unique<Post>(*this, server));
      groups_.emplace_back();
    }
  }

  /// Returns what is wrong.
  std::string start() {
    const ModelRanks ranks = model_.model_ranks();
    for (ClientRank rank = 0; rank < model_.ranks; ++rank) {
      Bytes bytes;
      Encoder out(bytes);
      out.put(std::uint32_t{0});
      IndexRanges ranges;
      for (const Index point : model_.held[rank]) add_index(ranges, point);
      encode_ranges(ranges, out);
      Decoder in(bytes);
      starts_[plan_.layout.server_of(rank)].keep(rank, in);
    }
    for (ServerRank server = 0; server < plan_.layout.servers; ++server) {
      starts_[server].begin(plan_, ranks, server, *posts_[server]);
      if (random_() % 2 == 0) deliver_all();
    }
    deliver_all();
    std::string wrong;
    for (ServerRank server = 0; server < plan_.layout.servers; ++server) {
      EXPECT_TRUE(starts_[server].has_completed()) << "server " << server;
      if (const std::string text = starts_[server].finish(); !text.empty()) wrong = text;
    }
    if (wrong.empty()) make_dealings();
    return wrong;
  }

  Dealing* of_rank(ClientRank rank) { return groups_[plan_.layout.server_of(rank)].get(); }
  std::vector<std::unique_ptr<Dealing>>& groups() { return groups_; }
  void run_some() {
    for (std::uint64_t turns = random_() % 6; turns > 0; --turns)
      random_() % 2 == 0 ? static_cast<void>(executor_.run_one()) : deliver_one();
  }
  void run_all() {
    do {
      executor_.run_until_idle();
      deliver_all();
    } while (!executor_.is_idle());
  }
  std::uint64_t random() { return random_(); }
  void arrive(ServerRank from, ServerRank to, Bytes frame) {
    waiting_.push_back({from, to, std::make_shared<const Bytes>(std::move(frame))});
  }
  ErrorList& errors() { return errors_; }

  std::map<std::pair<std::int64_t, ClientRank>, BroadcastValues> settled;
  std::size_t frames = 0;

 private:
  struct Waiting {
    ServerRank from, to;
    std::shared_ptr<const Bytes> frame;
  };
  void make_dealings() {
    for (ServerRank server = 0; server < plan_.layout.servers; ++server) {
      std::vector<ClientRank> clients;
      for (ClientRank rank = 0; rank < model_.ranks; ++rank)
        if (plan_.layout.server_of(rank) == server) clients.push_back(rank);
      if (clients.empty()) continue;
      groups_[server] =
          std::make_unique<Dealing>(plan_, GroupId(0), server, clients, *starts_[server].directory(),
                                    executor_, *posts_[server], errors_, static_cast<SettledPoints&>(*this));
    }
  }
  void settle(ClientRank client, std::int64_t step, std::shared_ptr<const BroadcastValues> values) override {
    EXPECT_TRUE(settled.emplace(std::pair(step, client), *values).second) << "twice";
  }
  /// Frames of one server to another keep their order.
  void deliver_one() {
    if (waiting_.empty()) return;
    const auto any = waiting_[random_() % waiting_.size()];
    const auto first = std::ranges::find_if(
        waiting_, [&](const Waiting& one) { return one.from == any.from && one.to == any.to; });
    const Waiting next = *first;
    waiting_.erase(first);
    Decoder in(*next.frame);
    const auto kind = in.get<ServerFrame>();
    if (kind == ServerFrame::point_directory) return starts_[next.to].take(next.from, in);
    ++frames;
    EXPECT_EQ(kind, ServerFrame::points);
    EXPECT_EQ(in.get<std::uint32_t>(), 0U);
    groups_[next.to]->receive(next.from, Decoder(in.rest()), next.frame);
  }
  void deliver_all() {
    while (!waiting_.empty()) deliver_one();
  }

  const PointModel& model_;
  const Plan& plan_;
  std::mt19937_64 random_;
  SeededExecutor executor_;
  ErrorList errors_;
  std::vector<PointStart> starts_;
  std::vector<std::unique_ptr<Post>> posts_;
  std::vector<std::unique_ptr<Dealing>> groups_;
  std::vector<Waiting> waiting_;
};

void Post::send(ServerRank to, Bytes frame) { all_.arrive(self_, to, std::move(frame)); }

const std::vector<FieldId> kFields = {FieldId(0), FieldId(1)};

PointSamples samples(const PointModel& model, ClientRank rank) {
  return {{FieldId(0), handed_over_array<double>(model, rank, false)},
          {FieldId(1), handed_over_array<float>(model, rank, true)}};
}

/// The lowest rank that holds the point.
std::optional<ClientRank> holder_of(const PointModel& model, Index point) {
  for (ClientRank rank = 0; rank < model.ranks; ++rank)
    if (model.held[rank].contains(point)) return rank;
  return std::nullopt;
}

template <class T>
void expect_dealt(const PointModel& model, const Plan& plan, ClientRank rank, const Sample& sample,
                  bool levels_first) {
  const IndexSet::Range range = dealt_points(plan, plan.points[0], rank);
  const auto* array = std::get_if<Array>(&sample);
  ASSERT_NE(array, nullptr);
  EXPECT_EQ(array->extents, plan.regions[rank][levels_first ? 1 : 0].count);
  const auto values = array->as<T>();
  ASSERT_EQ(static_cast<Index>(values.size()), range.count * model.levels);
  for (Index i = 0; i < range.count; ++i) {
    for (Index level = 0; level < model.levels; ++level) {
      const auto holder = holder_of(model, range.first + i);
      const double right = holder ? PointModel::value(range.first + i, level, *holder) : kMissing;
      const Index at = levels_first ? level + i * model.levels : i + level * range.count;
      EXPECT_EQ(static_cast<double>(values[static_cast<std::size_t>(at)]), right)
          << "point " << range.first + i;
    }
  }
}

TEST(Dealing, brings_every_point_to_its_stream_in_any_order) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const PointModel model = PointModel::random(seed, seed % 3 == 0, seed % 5 == 0);
    const planning_test::Planned planned = model.plan();
    ASSERT_FALSE(planned.findings.has_errors()) << planned.findings.text();
    Servers servers(model, planned.plan, seed);
    ASSERT_EQ(servers.start(), "");
    constexpr std::int64_t kSteps = 3;
    for (std::int64_t step = 1; step <= kSteps; ++step) {
      const auto hold = std::make_shared<int>(0);
      for (const auto& group : servers.groups())
        if (group) group->advance(step, kFields, hold);
      for (ClientRank rank = 0; rank < model.ranks; ++rank) {
        servers.of_rank(rank)->add(rank, step, samples(model, rank));
        servers.run_some();
      }
    }
    servers.run_all();
    EXPECT_EQ(servers.errors().all().size(), 0U);
    ASSERT_EQ(servers.settled.size(), kSteps * model.ranks);
    for (const auto& [key, values] : servers.settled) {
      expect_dealt<double>(model, planned.plan, key.second, values[0].second, false);
      expect_dealt<float>(model, planned.plan, key.second, values[1].second, true);
    }
    for (const auto& group : servers.groups()) EXPECT_TRUE(!group || group->open_texts().empty());
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(Dealing, holds_the_step_until_what_was_dealt_is_let_go) {
  const PointModel model = PointModel::random(7, false);
  const planning_test::Planned planned = model.plan();
  Servers servers(model, planned.plan, 7);
  ASSERT_EQ(servers.start(), "");
  auto hold = std::make_shared<int>(0);
  const std::weak_ptr<int> held = hold;
  for (const auto& group : servers.groups())
    if (group) group->advance(1, kFields, hold);
  hold.reset();
  servers.run_all();
  EXPECT_FALSE(held.expired());
  for (ClientRank rank = 0; rank < model.ranks; ++rank)
    servers.of_rank(rank)->add(rank, 1, samples(model, rank));
  servers.run_all();
  EXPECT_FALSE(held.expired());
  servers.settled.clear();
  EXPECT_TRUE(held.expired());
}

/// What a rank did not put lacks where its points go, and nowhere else.
TEST(Dealing, leaves_a_field_out_where_a_rank_did_not_put_it_or_has_ended) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const PointModel model = PointModel::random(seed, false);
    const planning_test::Planned planned = model.plan();
    Servers servers(model, planned.plan, seed);
    ASSERT_EQ(servers.start(), "");
    const ClientRank lacks = static_cast<ClientRank>(seed % model.ranks);
    const bool has_ended = seed % 2 == 0;
    if (has_ended && seed % 4 == 0) servers.of_rank(lacks)->end_client(lacks, 0);
    for (const auto& group : servers.groups())
      if (group) group->advance(1, kFields, std::make_shared<int>(0));
    for (ClientRank rank = 0; rank < model.ranks; ++rank) {
      if (rank == lacks && has_ended) continue;
      PointSamples put = samples(model, rank);
      if (rank == lacks) put[0].second = Absent{};
      servers.of_rank(rank)->add(rank, 1, std::move(put));
      servers.run_some();
    }
    if (has_ended && seed % 4 != 0) servers.of_rank(lacks)->end_client(lacks, 0);
    servers.run_all();
    ASSERT_EQ(servers.settled.size(), model.ranks);
    for (const auto& [key, values] : servers.settled) {
      const IndexSet::Range range = dealt_points(planned.plan, planned.plan.points[0], key.second);
      const bool gets_some = std::ranges::any_of(
          model.held[lacks], [&](Index i) { return i >= range.first && i < range.end(); });
      const bool is_its_own_nothing = range.count == 0 && key.second == lacks;
      EXPECT_EQ(is_absent(values[0].second), gets_some || is_its_own_nothing) << key.second;
      EXPECT_EQ(is_absent(values[1].second), has_ended && (gets_some || is_its_own_nothing)) << key.second;
    }
    if (::testing::Test::HasFailure()) return;
  }
}

/// Of two servers with a rank each, of which each has every other point.
class TornFrames : public ::testing::Test {
 protected:
  TornFrames() {
    model_.ranks = 2;
    model_.servers = 2;
    model_.served_by = {0, 1};
    model_.held = {{}, {}};
    for (Index i = 0; i < model_.nx * model_.ny; ++i) model_.held[static_cast<std::size_t>(i % 2)].insert(i);
    planned_ = model_.plan();
  }
  /// What server 1 sends of the step, behind kind and group.
  static Bytes frame(std::int64_t step, const std::vector<std::uint32_t>& fields) {
    Bytes bytes;
    Encoder out(bytes);
    out.put(step);
    out.put(static_cast<std::uint64_t>(fields.size()));
    for (const std::uint32_t field : fields) out.put(field);
    return bytes;
  }
  void expect_thrown(const Bytes& bytes) {
    Servers servers(model_, planned_.plan, 3);
    ASSERT_EQ(servers.start(), "");
    for (const auto& group : servers.groups()) group->advance(1, kFields, std::make_shared<int>(0));
    const auto shared = std::make_shared<const Bytes>(bytes);
    servers.of_rank(0)->receive(1, Decoder(*shared), shared);
    EXPECT_THROW(servers.run_all(), TransportError);
  }

  PointModel model_;
  planning_test::Planned planned_;
};

TEST_F(TornFrames, end_the_run_wherever_they_are_torn) {
  Bytes whole = frame(1, {0, 1});
  Encoder out(whole);
  out.put(ClientRank{1});
  for (std::size_t size = 0; size <= whole.size(); ++size)
    expect_thrown(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
}

TEST_F(TornFrames, end_the_run_where_they_say_what_cannot_be) {
  expect_thrown(frame(1, {0}));
  expect_thrown(frame(1, {1, 0}));
  expect_thrown(frame(1, {0, 7}));
  Bytes of_another = frame(1, {0, 1});
  Encoder(of_another).put(ClientRank{0});
  expect_thrown(of_another);
  Servers servers(model_, planned_.plan, 3);
  ASSERT_EQ(servers.start(), "");
  EXPECT_THROW(servers.of_rank(0)->receive(0, Decoder(Bytes()), nullptr), TransportError);
}

TEST_F(TornFrames, end_the_run_where_a_step_comes_twice) {
  Servers servers(model_, planned_.plan, 3);
  ASSERT_EQ(servers.start(), "");
  for (const auto& group : servers.groups()) group->advance(1, kFields, std::make_shared<int>(0));
  servers.of_rank(1)->add(1, 1, samples(model_, 1));
  servers.run_all();
  const auto again = std::make_shared<const Bytes>(frame(1, {0, 1}));
  servers.of_rank(0)->receive(1, Decoder(*again), again);
  EXPECT_THROW(servers.run_all(), TransportError);
}

}  // namespace
}  // namespace pileus
