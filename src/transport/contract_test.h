#pragma once
// What every transport promises, as one suite of tests. A transport instantiates EndpointContract with a
// world of its own endpoints:
//   INSTANTIATE_TEST_SUITE_P(threads, EndpointContract, testing::Values(&make_threads));

#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "transport/endpoint.h"

namespace pileus {

/// Peers that run the same code, each with its own endpoint, as the ranks of an MPI program do.
class ContractWorld {
 public:
  virtual ~ContractWorld() = default;
  virtual Peer size() const = 0;
  /// Lets all peers of the world run `body` at the same time, each with a new endpoint.
  virtual void run(const std::function<void(Endpoint&)>& body) = 0;
  /// Within a body, on all peers alike: returns when all have come, and moves nothing meanwhile.
  virtual void meet() = 0;
};

/// For worlds: runs `body`, then keeps the endpoint going until all peers have ended theirs. What the body
/// throws becomes a failure of the test.
void run_peer(Endpoint& endpoint, const std::function<void(Endpoint&)>& body,
              const std::function<void()>& end, const std::function<bool()>& have_all_ended);

using MakeWorld = std::unique_ptr<ContractWorld> (*)();

class EndpointContract : public testing::TestWithParam<MakeWorld> {
 protected:
  void run(const std::function<void(Endpoint&)>& body) { world_->run(body); }
  void meet() { world_->meet(); }
  Peer last() const { return world_->size() - 1; }

 private:
  std::unique_ptr<ContractWorld> world_ = GetParam()();
};

}  // namespace pileus
