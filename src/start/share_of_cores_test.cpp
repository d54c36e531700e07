#include "start/share_of_cores.h"

#include <gtest/gtest.h>

#include <vector>

namespace pileus {
namespace {

constexpr CoreUse kModel{.node = 0, .cores = 1, .computes = true, .serves = false};
constexpr CoreUse kServer{.node = 0, .cores = 1, .computes = false, .serves = true};
constexpr CoreUse kHost{.node = 0, .cores = 1, .computes = true, .serves = true};

std::vector<CoreUse> ranks(int models, int servers) {
  std::vector<CoreUse> all(static_cast<std::size_t>(models), kModel);
  all.insert(all.end(), static_cast<std::size_t>(servers), kServer);
  return all;
}

TEST(ShareOfCores, is_what_the_model_leaves_less_one) {
  EXPECT_EQ(share_of_cores(kServer, 16, ranks(0, 1)), 15U);
  EXPECT_EQ(share_of_cores(kServer, 16, ranks(12, 1)), 3U);
  EXPECT_EQ(share_of_cores(kServer, 48, ranks(36, 4)), 2U);  // 12 cores for 4 servers: 3 each
}

TEST(ShareOfCores, is_at_least_one_worker) {
  EXPECT_EQ(share_of_cores(kServer, 2, ranks(1, 1)), 1U);
  EXPECT_EQ(share_of_cores(kServer, 2, ranks(6, 3)), 1U);
  EXPECT_EQ(share_of_cores(kServer, 1, ranks(0, 1)), 1U);
}

TEST(ShareOfCores, looks_at_the_same_cores_of_the_same_node_alone) {
  std::vector<CoreUse> all = ranks(2, 1);
  for (CoreUse other : {kModel, kServer}) {
    other.node = 7;
    all.push_back(other);
    other.node = 0;
    other.cores = 2;
    all.push_back(other);
  }

  EXPECT_EQ(share_of_cores(kServer, 8, all), 5U);
}

TEST(ShareOfCores, of_ranks_that_host_a_server_are_equal_parts) {
  const std::vector<CoreUse> hosts(4, kHost);

  EXPECT_EQ(share_of_cores(kHost, 16, hosts), 3U);
}

}  // namespace
}  // namespace pileus
