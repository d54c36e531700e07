#include <atomic>
#include <barrier>
#include <thread>
#include <vector>

#include "transport/budget.h"
#include "transport/contract_test.h"
#include "transport/in_process/in_process_network.h"
#include "transport/shared/shared_endpoint.h"

namespace pileus {
namespace {

enum class Sharing { from_the_beginning, begins_meanwhile, is_asked_for };

/// Peers that are threads of this process and have memory for `first_budget` bytes between them.
class Sharers : public ContractWorld {
 public:
  Sharers(Peer size, std::size_t first_budget, Sharing sharing)
      : size_(size),
        first_budget_(first_budget),
        sharing_(sharing),
        meeting_(static_cast<std::ptrdiff_t>(size)) {}
  Peer size() const override { return size_; }
  void meet() override { meeting_.arrive_and_wait(); }

  void run(const std::function<void(Endpoint&)>& body) override {
    InProcessNetwork network(size_);
    std::vector<Peer> all;
    for (Peer peer = 0; peer < size_; ++peer) all.push_back(peer);
    std::atomic<Peer> ready = 0, ended = 0;
    const auto end = [&ended] { ++ended; };
    const auto have_all_ended = [&ended, this] { return ended == size_; };
    std::vector<std::jthread> threads;
    for (Peer self = 0; self < size_; ++self) {
      threads.emplace_back([&, self] {
        using enum SharedEndpoint::Offers;
        SharedEndpoint endpoint(network.endpoint(self), all, std::make_shared<SharedMemory>(Bell::kBytes),
                                sharing_ == Sharing::is_asked_for ? when_asked : when_budget_is_set);
        for (Peer to = 0; to < size_; ++to) endpoint.set_budget(to, first_budget_);
        if (sharing_ == Sharing::from_the_beginning) share(endpoint, ready);
        for (Peer to = 0; to < size_; ++to) endpoint.set_budget(to, kDefaultBudgetBytes);
        if (sharing_ == Sharing::is_asked_for) endpoint.share_memory_with((self + 1) % size_);
        run_peer(endpoint, body, end, have_all_ended);
      });
    }
  }

 private:
  /// Returns when all have memory with all.
  void share(SharedEndpoint& endpoint, std::atomic<Peer>& ready) {
    bool is_ready = false;
    while (ready < size_) {
      EXPECT_EQ(endpoint.receive(), nullptr);
      bool has_all = true;
      for (Peer to = 0; to < size_; ++to)
        has_all = has_all && (to == endpoint.self() || endpoint.shares_memory_with(to));
      if (has_all && !std::exchange(is_ready, true)) ++ready;
      endpoint.rest(std::chrono::microseconds(100));
    }
    meeting_.arrive_and_wait();  // nobody sends while another one still looks
  }

  Peer size_;
  std::size_t first_budget_;
  Sharing sharing_;
  std::barrier<> meeting_;
};

template <Peer size, std::size_t first_budget, Sharing sharing>
std::unique_ptr<ContractWorld> make_sharers() {
  return std::make_unique<Sharers>(size, first_budget, sharing);
}

constexpr auto kFromBeginning = Sharing::from_the_beginning, kMeanwhile = Sharing::begins_meanwhile,
               kAskedFor = Sharing::is_asked_for;

INSTANTIATE_TEST_SUITE_P(two_sharers, EndpointContract,
                         testing::Values(&make_sharers<2, kDefaultBudgetBytes, kFromBeginning>));
INSTANTIATE_TEST_SUITE_P(four_sharers, EndpointContract,
                         testing::Values(&make_sharers<4, kDefaultBudgetBytes, kFromBeginning>));
/// Many messages find no memory in their segment, and go another way.
INSTANTIATE_TEST_SUITE_P(sharers_of_little, EndpointContract,
                         testing::Values(&make_sharers<3, 1000, kFromBeginning>));
/// Messages are on their way when the memory comes into use.
INSTANTIATE_TEST_SUITE_P(who_begin_to_share, EndpointContract,
                         testing::Values(&make_sharers<3, kDefaultBudgetBytes, kMeanwhile>,
                                         &make_sharers<2, 1000, kMeanwhile>));

/// Each asks for it towards one of the others alone.
INSTANTIATE_TEST_SUITE_P(who_are_asked_to_share, EndpointContract,
                         testing::Values(&make_sharers<3, kDefaultBudgetBytes, kAskedFor>));

}  // namespace
}  // namespace pileus
