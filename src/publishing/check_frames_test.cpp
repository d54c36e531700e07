#include "publishing/check_frames.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "disk/testing/memory_files.h"
#include "files/testing/small_plan.h"
#include "formats/testing/fake_format.h"
#include "time/manipulations/list.h"

namespace pileus::testing {
namespace {

/// Two model ranks; one file with w, compressed in one chunk, on its first axis and m on its second.
class CheckFrames : public ::testing::Test {
 protected:
  CheckFrames() {
    small.plan.layout = {2, 1};
    const FileId file = small.file("f.nc", 10);
    const ScheduleId each = small.axis(file, manipulations::none(), 0);
    const ScheduleId mean = small.axis(file, manipulations::averaged(), 5);
    small.variable("w", each, Spread::distributed, {small.dimension("x", 4)});
    small.variable("m", mean, Spread::rooted, {});
    small.plan.variables[0].storage.compression = {&codecs::deflate(), 1};
    packing = Packing(small.plan, format, regions);
  }
  static Part part(std::uint32_t variable, Index record, ClientRank client, std::uint32_t chunk) {
    return {{VariableId(variable), {1, record, 0, 0, 0}, {{0}, {2}}, std::nullopt, nullptr}, client, chunk};
  }
  template <class Frame>
  bool is_refused(const Frame& frame) const {
    try {
      if constexpr (std::is_same_v<Frame, Part> || std::is_same_v<Frame, PackedPart>) {
        check(small.plan, &packing, frame);
      } else {
        check(small.plan, frame);
      }
      return false;
    } catch (const TransportError&) {
      return true;
    }
  }

  SmallPlan small;
  MemoryFiles disk;
  FakeFormat format{disk};
  RankRegions regions{std::vector<std::vector<Region>>{{{{0}, {2}}, {{}, {}}}, {{{2}, {2}}, {{}, {}}}}};
  Packing packing;
  const FilePeriod file{FileId(0), 1}, no_file{FileId(1), 1};
};

TEST_F(CheckFrames, let_pass_what_the_plan_knows) {
  EXPECT_FALSE(is_refused(Placement{file, 1, {0, 1, {{1, {{}}}}, {}, {}}}));
  EXPECT_FALSE(is_refused(Progress{file, 1, 3, 2}));
  EXPECT_FALSE(is_refused(Closing{file, false, false, {3, 0}}));
  EXPECT_FALSE(is_refused(Closing{file, false, true, {}}));
  EXPECT_FALSE(is_refused(PartsDone{file, "", {{1, 1, {}, 1}}}));
  EXPECT_FALSE(is_refused(Cut{file, 7, {3, 0}}));
  EXPECT_FALSE(is_refused(CutSynced{file, 7, {{1, 1, {}, 1}}}));
  EXPECT_FALSE(is_refused(part(0, 0, 1, 0)));
  EXPECT_FALSE(is_refused(PackedPart{file, 7, 0, 0, {}}));
}

TEST_F(CheckFrames, refuse_files_axes_variables_and_records_that_are_not_there) {
  EXPECT_TRUE(is_refused(Placement{no_file, 0, {}}));
  EXPECT_TRUE(is_refused(Placement{file, 2, {}}));
  EXPECT_TRUE(is_refused(Placement{file, 1, {-1, 1, {}, {}, {}}}));
  EXPECT_TRUE(is_refused(Placement{file, 1, {0, 1, {{2, {{}}}}, {}, {}}}));
  EXPECT_TRUE(is_refused(Placement{file, 0, {0, 1, {{1, {{}}}}, {}, {}}}));      // m is on axis 1
  EXPECT_TRUE(is_refused(Placement{file, 1, {0, 1, {{1, {{}, {}}}}, {}, {}}}));  // 2 places of 1 record
  EXPECT_TRUE(is_refused(Progress{no_file, 0, 1, 1}));
  EXPECT_TRUE(is_refused(Progress{file, 2, 1, 1}));
  EXPECT_TRUE(is_refused(Progress{file, 0, 1, 2}));
  EXPECT_TRUE(is_refused(Progress{file, 0, 1, -1}));
  EXPECT_TRUE(is_refused(Closing{no_file, false, true, {}}));
  EXPECT_TRUE(is_refused(Closing{file, true, false, {}}));
  EXPECT_TRUE(is_refused(Closing{file, false, false, {1, -1}}));
  EXPECT_TRUE(is_refused(PartsDone{no_file, "", {}}));
  EXPECT_TRUE(is_refused(PartsDone{file, "", {{2, 1, {}, 1}}}));
  EXPECT_TRUE(is_refused(Cut{no_file, 7, {3, 0}}));
  EXPECT_TRUE(is_refused(Cut{file, 7, {3}}));
  EXPECT_TRUE(is_refused(Cut{file, 7, {3, -1}}));
  EXPECT_TRUE(is_refused(CutSynced{no_file, 7, {}}));
  EXPECT_TRUE(is_refused(CutSynced{file, 7, {{0, 2, {}, 1}}}));
}

TEST_F(CheckFrames, refuse_parts_and_chunks_of_what_is_not_there) {
  EXPECT_TRUE(is_refused(part(2, 0, 0, 0)));
  EXPECT_TRUE(is_refused(part(0, -1, 0, 0)));
  EXPECT_TRUE(is_refused(part(0, 0, 2, 0)));
  EXPECT_TRUE(is_refused(part(0, 0, 0, 1)));
  EXPECT_TRUE(is_refused(part(1, 0, 0, 1)));  // not compressed
  EXPECT_TRUE(is_refused(PackedPart{no_file, 0, 0, 0, {}}));
  EXPECT_TRUE(is_refused(PackedPart{file, -1, 0, 0, {}}));
  EXPECT_TRUE(is_refused(PackedPart{file, 0, 2, 0, {}}));
  EXPECT_TRUE(is_refused(PackedPart{file, 0, 1, 0, {}}));  // not compressed
  EXPECT_TRUE(is_refused(PackedPart{file, 0, 0, 1, {}}));
  EXPECT_THROW(check_client(small.plan, 2), TransportError);
  EXPECT_NO_THROW(check_client(small.plan, 1));
}

}  // namespace
}  // namespace pileus::testing
