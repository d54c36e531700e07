// How long it takes until a peer that has had nothing to do for a while, and sleeps deep, has a message that
// lies in memory which it shares with the sender: handover.py reads a line with the seconds of each message.
//
//   wake_times MESSAGES QUIET_MS

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>

#include "transport/in_process/in_process_network.h"
#include "transport/shared/shared_endpoint.h"

namespace {

using Clock = std::chrono::steady_clock;
using pileus::Bell;
using pileus::Peer;
using pileus::SharedEndpoint;
using pileus::SharedMemory;

constexpr std::array<Peer, 2> kBoth = {0, 1};
std::atomic<Clock::time_point> received;
std::atomic<int> messages_received = 0;

/// A server's lane: it takes what comes, and rests.
void serve(SharedEndpoint& endpoint, int messages) {
  while (messages_received < messages) {
    if (endpoint.receive()) {
      received = Clock::now();
      ++messages_received;
    } else {
      endpoint.rest(std::chrono::milliseconds(200));
    }
  }
}

void send(SharedEndpoint& endpoint, int messages, std::chrono::milliseconds quiet) {
  for (int message = 1; message <= messages; ++message) {
    for (const auto begun = Clock::now(); Clock::now() - begun < quiet;) continue;  // a model computes
    auto slot = endpoint.claim(1, 1, 64);
    const auto sent = Clock::now();
    endpoint.commit(std::move(slot));
    while (messages_received < message) continue;
    std::printf("%.9f\n", std::chrono::duration<double>(received.load() - sent).count());
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const int messages = std::atoi(argv[1]);
  const std::chrono::milliseconds quiet(std::atoi(argv[2]));
  pileus::InProcessNetwork network(2);
  const auto endpoint = [&](Peer self) {
    return std::make_unique<SharedEndpoint>(network.endpoint(self), kBoth,
                                            std::make_shared<SharedMemory>(Bell::kBytes));
  };
  const auto model = endpoint(0), server = endpoint(1);
  model->set_budget(1, 1 << 20);
  while (!model->shares_memory_with(1)) {
    server->receive();
    model->receive();
  }
  std::jthread lane([&] { serve(*server, messages); });
  send(*model, messages, quiet);
}
