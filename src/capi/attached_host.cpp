#include "capi/attached_host.h"

#include <chrono>
#include <thread>

#include "capi/one_at_a_time_format.h"
#include "core/log.h"
#include "math/fp_environment.h"
#include "output/netcdf/netcdf_format.h"

namespace pileus {
namespace {

constexpr Peer kClient = 0, kServer = 1;
constexpr std::chrono::microseconds kRest{100};
constexpr std::chrono::seconds kLastIdleTime{10};

ServerSettings settings_of(std::string configuration, std::string directory) {
  ServerSettings settings;
  settings.configuration = std::move(configuration);
  settings.directory = std::move(directory);
  settings.clients = {kClient};
  settings.servers = {kServer};
  return settings;
}

}  // namespace

/// The client's endpoint: the server goes on whenever the client would let MPI go on.
class AttachedHost::PollingEndpoint : public Endpoint {
 public:
  PollingEndpoint(AttachedHost& host, std::unique_ptr<Endpoint> inner)
      : host_(host), inner_(std::move(inner)) {}

  Peer self() const override { return inner_->self(); }
  Peer size() const override { return inner_->size(); }
  void set_budget(Peer to, std::size_t bytes) override { inner_->set_budget(to, bytes); }
  std::unique_ptr<Slot> claim(Peer to, Channel channel, std::size_t bytes) override {
    host_.poll();
    return inner_->claim(to, channel, bytes);
  }
  void commit(std::unique_ptr<Slot> slot) override { inner_->commit(std::move(slot)); }
  std::unique_ptr<Message> receive() override {
    host_.poll();
    return inner_->receive();
  }
  void rest(std::chrono::microseconds limit) override {
    if (!host_.poll()) inner_->rest(limit);
  }
  bool is_all_sent() override {
    host_.poll();
    return inner_->is_all_sent();
  }

 private:
  AttachedHost& host_;
  std::unique_ptr<Endpoint> inner_;
};

AttachedHost::AttachedHost(std::string configuration, std::string directory)
    : network_(2),
      server_endpoint_(network_.endpoint(kServer)),
      files_(posix_file_system()),
      format_(one_at_a_time(netcdf_format(*files_))),
      threads_(default_worker_count()) {
  const FloatingPointEnvironment exact;
  const auto start_threads = [this](std::optional<std::int64_t> threads) { return threads_.start(threads); };
  server_ = std::make_unique<Server>(settings_of(std::move(configuration), std::move(directory)),
                                     *server_endpoint_, start_threads, *files_, *format_);
  client_endpoint_ = std::make_unique<PollingEndpoint>(*this, network_.endpoint(kClient));
}

AttachedHost::~AttachedHost() {
  using Clock = std::chrono::steady_clock;
  try {
    auto last_busy = Clock::now();
    while (!server_->is_finished() && Clock::now() - last_busy < kLastIdleTime) {
      if (poll())
        last_busy = Clock::now();
      else
        std::this_thread::sleep_for(kRest);
    }
  } catch (const std::exception& error) {
    log::error(error.what());
  }
  // What still runs, a slow disk perhaps, uses the server.
  while (server_->is_working()) std::this_thread::sleep_for(kRest);
}

Peer AttachedHost::server_peer() const { return kServer; }

bool AttachedHost::poll() {
  const FloatingPointEnvironment exact;
  return server_->poll();
}

}  // namespace pileus
