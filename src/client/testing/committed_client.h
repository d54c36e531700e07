#pragma once
// For tests: a client that has committed to a server that is a script.

#include <gtest/gtest.h>

#include "client/testing/fake_server.h"

namespace pileus {

/// A committed rank 0 with the profile u of two doubles, which every step wants.
class CommittedClient : public testing::Test {
 protected:
  CommittedClient() {
    client.field({"u", ElementType::float64, {}, {{}, {2}}});
    server.reply_demand(demand_for({{"u", ElementType::float64, false, true, {0}}}));
    client.commit();
  }
  void hand_over(std::int64_t step) {
    client.begin({step, static_cast<double>(step), 1}, false);
    client.put(0, u, nullptr);
    client.end();
  }
  FakeServer server;
  Client client{server, 1, 0};
  const double u[2] = {1, 2};
};

}  // namespace pileus
