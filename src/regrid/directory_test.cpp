#include "regrid/directory.h"

#include <gtest/gtest.h>

#include <iterator>

#include "regrid/testing/regrid_servers.h"

namespace pileus {
namespace {

using testing::product;
using testing::RegridModel;
using testing::RegridServers;

std::vector<Index> numbers_of(const std::vector<PlaceRun>& runs) {
  std::vector<Index> numbers;
  for (const PlaceRun& run : runs)
    for (Index number = run.first; number < run.end(); ++number) numbers.push_back(number);
  return numbers;
}

/// What the directories of all servers must say of one rule.
class RuleOracle {
 public:
  RuleOracle(const RegridModel& model, const RegridServers& servers, std::size_t rule)
      : model_(model), servers_(servers), rule_(rule), group_(model.inputs[rule].group) {}

  std::vector<Index> both_have(ClientRank from, ClientRank to) const {
    const std::set<Index> held = model_.held_points(rule_, from), needed = model_.needed(group_, to);
    std::vector<Index> both;
    std::ranges::set_intersection(held, needed, std::back_inserter(both));
    return both;
  }
  const RegridPart* part(const std::vector<RegridPart>& parts, ClientRank to) const {
    const auto found = std::ranges::find(parts, to, &RegridPart::to);
    return found == parts.end() ? nullptr : &*found;
  }
  /// Points that go from a rank to a stream, as both servers see them.
  void expect_part(ClientRank from, ClientRank to) const {
    const std::vector<Index> points = both_have(from, to);
    const ServerRank sender = model_.server_of(from), receiver = model_.server_of(to);
    const RegridPart* incoming = part(parts_in(receiver, from), to);
    const RegridPart* outgoing = part(parts_out(sender, from, receiver), to);
    ASSERT_EQ(incoming != nullptr, !points.empty());
    ASSERT_EQ(outgoing != nullptr, !points.empty());
    if (points.empty()) return;
    EXPECT_EQ(incoming->from, from);
    EXPECT_EQ(outgoing->from, from);
    EXPECT_EQ(incoming->count, static_cast<Index>(points.size()));
    EXPECT_EQ(outgoing->count, static_cast<Index>(points.size()));
    std::vector<Index> places, numbers;
    const std::set<Index> needed = model_.needed(group_, to), held = model_.held_points(rule_, from);
    for (const Index point : points) {
      places.push_back(std::distance(needed.begin(), needed.find(point)));
      numbers.push_back(std::distance(held.begin(), held.find(point)));
    }
    EXPECT_EQ(numbers_of(incoming->runs), places);
    EXPECT_EQ(numbers_of(outgoing->runs), numbers);
  }
  const std::vector<RegridPart>& parts_in(ServerRank server, ClientRank from) const {
    const RegridDirectory& directory = servers_.directory(server);
    return directory.incoming(group_, directory.layout_of(group_, RuleId(rule_)), from);
  }
  const std::vector<RegridPart>& parts_out(ServerRank server, ClientRank from, ServerRank to) const {
    const RegridDirectory& directory = servers_.directory(server);
    return directory.outgoing(group_, directory.layout_of(group_, RuleId(rule_)), from, to);
  }

 private:
  const RegridModel& model_;
  const RegridServers& servers_;
  std::size_t rule_, group_;
};

void expect_stream(const RegridModel& model, const RegridServers& servers, std::size_t group,
                   ClientRank client) {
  const RegridStream& stream = servers.directory(model.server_of(client)).stream(group, client);
  const std::set<Index> needed = model.needed(group, client);
  const std::vector<Index> sources(needed.begin(), needed.end());
  ASSERT_EQ(stream.range, model.range_of(group, client));
  ASSERT_EQ(stream.sources, static_cast<Index>(sources.size()));
  const LinkRows rows = model.rows(group, stream.range.first, stream.range.count);
  EXPECT_EQ(stream.links.begin, rows.begin);
  EXPECT_EQ(stream.links.weight, rows.weight);
  ASSERT_EQ(stream.links.place.size(), rows.source.size());
  for (std::size_t i = 0; i < rows.source.size(); ++i)
    EXPECT_EQ(sources.at(stream.links.place[i]), rows.source[i]);
}

TEST(RegridDirectory, gives_streams_their_range_and_its_links) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RegridModel model = RegridModel::random(seed);
    const Plan plan = model.plan();
    RegridServers servers(model, plan, seed);
    servers.start();
    for (std::size_t group = 0; group < model.groups.size(); ++group)
      for (ClientRank client = 0; client < model.ranks; ++client)
        expect_stream(model, servers, group, client);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(RegridDirectory, says_on_both_sides_which_points_go_from_whom_to_whom) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RegridModel model = RegridModel::random(seed, seed % 3 == 0);
    const Plan plan = model.plan();
    RegridServers servers(model, plan, seed);
    servers.start();
    for (std::size_t rule = 0; rule < model.inputs.size(); ++rule) {
      const RuleOracle oracle(model, servers, rule);
      for (ClientRank from = 0; from < model.ranks; ++from)
        for (ClientRank to = 0; to < model.ranks; ++to) oracle.expect_part(from, to);
    }
    if (::testing::Test::HasFailure()) return;
  }
}

/// Both sides name the same pairs of servers, as each waits for what the other sends.
TEST(RegridDirectory, knows_which_servers_send_to_which) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RegridModel model = RegridModel::random(seed, seed % 3 == 0);
    const Plan plan = model.plan();
    RegridServers servers(model, plan, seed);
    servers.start();
    std::map<std::pair<std::size_t, ServerRank>, std::set<ServerRank>> receivers, senders;
    for (std::size_t rule = 0; rule < model.inputs.size(); ++rule) {
      const RuleOracle oracle(model, servers, rule);
      const std::size_t group = model.inputs[rule].group;
      for (ClientRank from = 0; from < model.ranks; ++from) {
        for (ClientRank to = 0; to < model.ranks; ++to) {
          if (oracle.both_have(from, to).empty()) continue;
          receivers[{group, model.server_of(from)}].insert(model.server_of(to));
          senders[{group, model.server_of(to)}].insert(model.server_of(from));
        }
      }
    }
    for (std::size_t group = 0; group < model.groups.size(); ++group) {
      for (ServerRank server = 0; server < model.servers; ++server) {
        const std::set<ServerRank>& to = receivers[{group, server}];
        const std::set<ServerRank>& from = senders[{group, server}];
        const RegridDirectory& directory = servers.directory(server);
        EXPECT_EQ(directory.receivers(group), std::vector(to.begin(), to.end())) << "server " << server;
        EXPECT_EQ(directory.senders(group), std::vector(from.begin(), from.end())) << "server " << server;
      }
    }
    if (::testing::Test::HasFailure()) return;
  }
}

/// Ranks 0 and 1 have a half of ten points each, on servers 0 and 1. Server 2 has nobody. Each point of the
/// result is made of the one with its number and of the last.
class DirectoryFrames : public ::testing::Test {
 protected:
  DirectoryFrames() {
    model_.ranks = 2;
    model_.servers = 3;
    model_.served_by = {0, 1};
    testing::LinkedGrids grids;
    grids.source = grids.target = {10};
    grids.keeps_dimensions = true;
    for (Index point = 0; point < 10; ++point) {
      grids.links.source.push_back(point);
      if (point < 9) grids.links.source.push_back(9);
      grids.links.begin.push_back(grids.links.source.size());
    }
    model_.groups = {grids};
    testing::RegridInput input;
    input.extents = {10};
    input.axes = {0};
    input.held = {{{0}, {5}}, {{5}, {5}}};
    model_.inputs = {input};
    plan_ = model_.plan();
  }

  static Bytes need(ClientRank rank, ClientRank to, const IndexRanges& points) {
    Bytes bytes;
    Encoder out(bytes);
    out.put(rank);
    out.put(to);
    encode_ranges(points, out);
    return bytes;
  }
  /// Behind its kind.
  static Bytes frame(const std::vector<Bytes>& needs) {
    Bytes all, bytes;
    for (const Bytes& one : needs) Encoder(all).put_raw(one);
    Encoder out(bytes);
    out.put(static_cast<std::uint64_t>(all.size()));
    out.put_raw(all);
    return bytes;
  }
  /// By a directory of server 0.
  void expect_refused(ServerRank from, const Bytes& bytes) const {
    RegridDirectory directory(plan_, 0, testing::no_file);
    Decoder in(bytes);
    EXPECT_THROW(directory.take(from, in), TransportError);
  }

  RegridModel model_;
  Plan plan_;
};

TEST_F(DirectoryFrames, ask_each_server_once_for_what_its_ranks_have) {
  RegridDirectory directory(plan_, 0, testing::no_file);
  EXPECT_TRUE(directory.is_needed());

  const auto frames = directory.frames();

  ASSERT_EQ(frames.size(), 2U);
  for (const ServerRank server : {0U, 1U}) {
    EXPECT_EQ(frames[server].first, server);
    Decoder in(frames[server].second);
    EXPECT_EQ(in.get<ServerFrame>(), ServerFrame::regrid_directory);
    const IndexRanges points = server == 0 ? IndexRanges{{0, 5}} : IndexRanges{{9, 1}};
    const Bytes rest(in.rest().begin(), in.rest().end());
    EXPECT_EQ(rest, frame({need(server, 0, points)}));
  }
  RegridDirectory of_nobody(plan_, 2, testing::no_file);
  EXPECT_TRUE(of_nobody.is_complete());
  EXPECT_TRUE(of_nobody.frames().empty());
}

TEST_F(DirectoryFrames, complete_a_directory_when_each_server_has_sent_one) {
  RegridDirectory directory(plan_, 0, testing::no_file);
  const Bytes own = frame({need(0, 0, {{0, 5}})}), of_other = frame({});
  Decoder first(of_other), second(own);
  directory.take(1, first);
  EXPECT_FALSE(directory.is_complete());
  directory.take(0, second);
  EXPECT_TRUE(directory.is_complete());
  EXPECT_EQ(directory.receivers(0), (std::vector<ServerRank>{0}));
}

TEST_F(DirectoryFrames, are_refused_where_nobody_expects_one) {
  RegridDirectory directory(plan_, 0, testing::no_file);
  const Bytes bytes = frame({});
  Decoder first(bytes), again(bytes);
  directory.take(1, first);
  EXPECT_THROW(directory.take(1, again), TransportError) << "twice";
  EXPECT_FALSE(directory.is_complete());
  expect_refused(3, bytes);
  expect_refused(2, bytes);  // it has no model ranks
  RegridDirectory of_nobody(plan_, 2, testing::no_file);
  Decoder third(bytes);
  EXPECT_THROW(of_nobody.take(0, third), TransportError);
}

TEST_F(DirectoryFrames, are_refused_where_they_ask_for_what_is_not_there) {
  expect_refused(1, frame({need(1, 1, {{5, 1}})}));            // of its own rank
  expect_refused(1, frame({need(2, 1, {{1, 1}})}));            // of no rank
  expect_refused(1, frame({need(0, 0, {{1, 1}})}));            // for a stream of another server
  expect_refused(1, frame({need(0, 2, {{1, 1}})}));            // for no stream
  expect_refused(1, frame({need(0, 1, {{4, 2}})}));            // beyond its box
  expect_refused(1, frame({need(0, 1, {{1, 1}, {5, 1}})}));    // in another box
  expect_refused(1, frame({need(0, 1, {{1, 1}, {9, 2}})}));    // beyond all points
  expect_refused(1, frame({need(0, 1, {{1, 1}}), Bytes(3)}));  // with something behind it
}

TEST_F(DirectoryFrames, are_refused_where_they_are_torn_or_too_long) {
  Bytes whole = frame({need(0, 1, {{1, 1}, {3, 2}})});
  for (std::size_t size = 0; size < whole.size(); ++size)
    expect_refused(1, Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
  whole.push_back(std::byte{0});
  expect_refused(1, whole);
}

TEST_F(DirectoryFrames, are_not_needed_where_nothing_is_regridded) {
  Plan plan = plan_;
  plan.regrids.clear();
  RegridDirectory directory(plan, 0, testing::no_file);
  EXPECT_FALSE(directory.is_needed());
  EXPECT_TRUE(directory.is_complete());
}

/// Those of a file, which somebody may have made for other grids.
class DirectoryLinks : public DirectoryFrames {
 protected:
  void expect_refused_links(const LinkRows& links) {
    auto how = std::make_shared<Regridding>(*std::get<Regrid>(plan_.rules[0].action).how);
    how->links = {};
    how->file = "w.nc";
    std::get<Regrid>(plan_.rules[0].action).how = how;
    const testing::LinksAlone read([&](const Regridding& of_rule, Index first, Index count) {
      EXPECT_EQ(of_rule.file, "w.nc");
      EXPECT_EQ(first, 0);
      EXPECT_EQ(count, 5);
      return links;
    });
    EXPECT_THROW(RegridDirectory(plan_, 0, read), UsageError);
  }
};

TEST_F(DirectoryLinks, are_refused_where_they_do_not_fit_the_grids) {
  expect_refused_links({{0, 1, 1, 1, 1}, {0}, {}});             // too few points
  expect_refused_links({{0, 1, 1, 1, 1, 1, 1}, {0}, {}});       // too many
  expect_refused_links({{0, 1, 1, 1, 1, 1}, {10}, {}});         // beyond the source's points
  expect_refused_links({{0, 1, 1, 1, 1, 1}, {-1}, {}});         // before them
  expect_refused_links({{0, 1, 1, 1, 1, 2}, {0}, {}});          // more links than there are
  expect_refused_links({{0, 1, 0, 1, 1, 1}, {0}, {}});          // not rising
  expect_refused_links({{0, 1, 1, 1, 1, 1}, {0}, {1.0, 2.0}});  // with too many weights
}

/// Two rules may name one file of weights and have grids of their own, one of which the file does not know.
TEST_F(DirectoryLinks, are_refused_where_rules_use_them_for_different_grids) {
  model_.groups[0].keeps_dimensions = false;
  model_.groups[0].target = {2, 5};
  model_.inputs.push_back(model_.inputs[0]);
  const Plan good = model_.plan();
  EXPECT_NO_THROW(RegridDirectory(good, 0, testing::no_file));

  for (const std::string wrong : {"source", "target", "shape"}) {
    Plan plan = good;
    auto how = std::make_shared<Regridding>(*std::get<Regrid>(plan.rules[1].action).how);
    if (wrong == "source") how->source_size = 9;
    if (wrong == "target") how->target_size = 20;
    std::get<Regrid>(plan.rules[1].action).how = how;
    std::vector<DimensionId>& dimensions = plan.values[plan.rules[1].output.index].dimensions;
    if (wrong == "shape") std::swap(dimensions[0], dimensions[1]);
    EXPECT_THROW(RegridDirectory(plan, 0, testing::no_file), UsageError) << wrong;
  }
}

}  // namespace
}  // namespace pileus
