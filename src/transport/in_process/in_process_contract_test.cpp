#include <atomic>
#include <barrier>
#include <thread>
#include <vector>

#include "transport/contract_test.h"
#include "transport/in_process/in_process_network.h"

namespace pileus {
namespace {

/// Peers that are threads of this process.
class Threads : public ContractWorld {
 public:
  explicit Threads(Peer size) : size_(size), meeting_(static_cast<std::ptrdiff_t>(size)) {}
  Peer size() const override { return size_; }
  void meet() override { meeting_.arrive_and_wait(); }

  void run(const std::function<void(Endpoint&)>& body) override {
    InProcessNetwork network(size_);
    std::atomic<Peer> ended = 0;
    const auto end = [&ended] { ++ended; };
    const auto have_all_ended = [&ended, this] { return ended == size_; };
    std::vector<std::jthread> threads;
    for (Peer self = 0; self < size_; ++self) {
      threads.emplace_back(
          [&, endpoint = network.endpoint(self)] { run_peer(*endpoint, body, end, have_all_ended); });
    }
  }

 private:
  Peer size_;
  std::barrier<> meeting_;
};

template <Peer size>
std::unique_ptr<ContractWorld> make_threads() {
  return std::make_unique<Threads>(size);
}

INSTANTIATE_TEST_SUITE_P(two_threads, EndpointContract, testing::Values(&make_threads<2>));
INSTANTIATE_TEST_SUITE_P(four_threads, EndpointContract, testing::Values(&make_threads<4>));

}  // namespace
}  // namespace pileus
