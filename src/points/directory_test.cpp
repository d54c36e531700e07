#include "points/directory.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "messaging/frames.h"
#include "points/testing/dealt_model.h"

namespace pileus {
namespace {

using testing::PointModel;

class PointDirectoryTest : public ::testing::Test {
 protected:
  PointDirectoryTest() {
    model_.nx = 4;
    model_.ny = 6;
    model_.ranks = 3;
    model_.servers = 1;
    model_.held.resize(3);
    for (Index i = 0; i < 24; ++i) model_.held[static_cast<std::size_t>(i / 3 % 3)].insert(i);
  }

  /// All on one server. Returns what is wrong.
  std::string filled() {
    planned_ = model_.plan();
    EXPECT_FALSE(planned_.findings.has_errors()) << planned_.findings.text();
    directory_.emplace(planned_.plan, 0);
    for (ClientRank rank = 0; rank < model_.ranks; ++rank) add(rank, model_.held[rank]);
    for (auto& [server, frame] : directory_->frames()) {
      Decoder in(frame);
      in.get<ServerFrame>();
      directory_->take(server, in);
    }
    return directory_->finish();
  }
  void add(ClientRank rank, const std::set<Index>& points) {
    IndexRanges ranges;
    for (const Index point : points) add_index(ranges, point);
    Bytes bytes;
    Encoder out(bytes);
    encode_ranges(ranges, out);
    Decoder in(bytes);
    directory_->add(rank, 0, in);
  }

  PointModel model_;
  planning_test::Planned planned_;
  std::optional<PointDirectory> directory_;
};

TEST_F(PointDirectoryTest, cuts_what_ranks_hold_by_the_rows_that_streams_get) {
  ASSERT_EQ(filled(), "");
  ASSERT_TRUE(directory_->is_complete());
  std::vector<Index> counts(3);
  for (ClientRank rank = 0; rank < 3; ++rank) {
    Index first = 0;
    for (const PointSlice& slice : directory_->slices(0, rank).at(0)) {
      EXPECT_EQ(slice.first, first);
      first += slice.count;
      counts[slice.to] += slice.count;
    }
    EXPECT_EQ(first, static_cast<Index>(model_.held[rank].size()));
  }
  EXPECT_EQ(counts, (std::vector<Index>{8, 8, 8}));
}

TEST_F(PointDirectoryTest, names_a_point_of_two_ranks) {
  model_.held[2].insert(13);
  EXPECT_EQ(
      filled(),
      "points \"cells\": model ranks 1 and 2 both hold point 13 (x 1, y 3); each is one rank's, unless they "
      "are registered as shared");
}

TEST_F(PointDirectoryTest, takes_shared_points_from_the_lowest_rank) {
  model_.may_be_shared = true;
  model_.held[2].insert(13);
  model_.held[2].insert(14);
  ASSERT_EQ(filled(), "");
  Index left_out = 0;
  for (const PointsFor& one : directory_->incoming(0)) {
    Index count = 0;
    for (const PointRun& run : one.runs) {
      count += run.count;
      if (!run.counts()) left_out += run.count;
      EXPECT_TRUE(run.counts() || (one.from == 2U && one.to == 1U && run.place() + run.count <= 8));
    }
    EXPECT_EQ(count, one.count);
  }
  EXPECT_EQ(left_out, 2);
}

TEST_F(PointDirectoryTest, refuses_what_a_rank_did_not_register) {
  ASSERT_EQ(filled(), "");
  directory_.emplace(planned_.plan, 0);
  EXPECT_THROW(add(0, {1, 2, 3}), TransportError);
  EXPECT_THROW(add(0, {100}), TransportError);
}

TEST_F(PointDirectoryTest, refuses_what_servers_say_of_points_of_others) {
  ASSERT_EQ(filled(), "");
  const auto refuses = [&](const std::vector<std::uint64_t>& numbers, const IndexRanges& ranges) {
    PointDirectory directory(planned_.plan, 0);
    Bytes bytes;
    Encoder out(bytes);
    for (const std::uint64_t number : numbers) put_number(out, number);
    encode_ranges(ranges, out);
    Decoder in(bytes);
    EXPECT_THROW(directory.take(0, in), TransportError);
  };
  refuses({1, 0, 0}, {{0, 1}});
  refuses({0, 3, 0}, {{0, 1}});
  refuses({0, 0, 3}, {{0, 1}});
  refuses({0, 0, 1}, {{0, 1}});
  refuses({0, 0, 0}, {{7, 2}});
  refuses({0, 0, 0}, {});
  PointDirectory directory(planned_.plan, 0);
  const Bytes nothing;
  Decoder in(nothing);
  EXPECT_THROW(directory.take(1, in), TransportError);
  directory.take(0, in);
  EXPECT_THROW(directory.take(0, in), TransportError);
}

TEST_F(PointDirectoryTest, finds_what_is_wrong_with_counts_before_the_first_step) {
  model_.held[0].clear();
  const planning_test::Planned planned = model_.plan();
  EXPECT_FALSE(planned.findings.has_errors()) << "holes are no error";
  EXPECT_TRUE(planned.plan.points[0].has_holes);
  EXPECT_TRUE(planned.plan[planned.plan.fields[0].value].missing.has_value());
}

}  // namespace
}  // namespace pileus
