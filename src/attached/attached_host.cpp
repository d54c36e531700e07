#include "attached/attached_host.h"

#include <algorithm>
#include <cstdio>
#include <thread>
#include <utility>

#include "core/log.h"
#include "transport/joined_endpoint.h"

namespace pileus {
namespace {

constexpr Peer kClient = 0, kServer = 1;  // within the process
constexpr std::chrono::microseconds kRest{100};
/// How long the end of a broken-off run waits while nothing happens.
constexpr std::chrono::seconds kLastIdleTime{10};
/// How long a rank waits for memory while nothing happens here, before it exceeds its budget.
constexpr std::chrono::milliseconds kPatience{100};

/// Servers are numbered like their ranks, and model ranks follow after all servers.
Peer client_number(ClientRank rank, ClientRank ranks) { return ranks + rank; }

HostSettings settings_of(const AttachedPlace& place) {
  HostSettings settings;
  settings.server.configuration = place.configuration;
  settings.server.directory = place.directory;
  settings.server.component = place.component;
  settings.server.run = place.run;
  settings.server.is_attached = true;
  for (ClientRank rank = 0; rank < place.ranks; ++rank) {
    settings.server.clients.push_back(client_number(rank, place.ranks));
    settings.server.servers.push_back(rank);
  }
  settings.server.self = place.rank;
  settings.default_workers = place.default_workers;
  settings.has_threads = place.has_threads;
  settings.polls_file_library = place.polls_file_library;
  if (place.ranks > 1) settings.speaker = "rank " + std::to_string(place.rank);
  if (!place.component.empty())
    settings.speaker = place.component + (place.ranks > 1 ? " " : "") + settings.speaker;
  return settings;
}

}  // namespace

/// The client's endpoint: lets the server go on whenever the client would let MPI go on.
class AttachedHost::PollingEndpoint : public Endpoint {
 public:
  PollingEndpoint(AttachedHost& host, std::unique_ptr<Endpoint> inner)
      : host_(host), inner_(std::move(inner)) {}

  Peer self() const override { return inner_->self(); }
  Peer size() const override { return inner_->size(); }
  void set_budget(Peer to, std::size_t bytes) override { inner_->set_budget(to, bytes); }

  /// The memory may depend on ranks that are far behind, or that wait for this one in the model's own
  /// communication. So a rank may exceed the budget when nothing happens here for a while.
  std::unique_ptr<Slot> claim(Peer to, Channel channel, std::size_t bytes) override {
    host_.poll();
    std::unique_ptr<Slot> slot = inner_->claim(to, channel, bytes);
    const auto now = Clock::now();
    if (slot || !host_.depends_on_others()) {
      waits_since_ = now;
      return slot;
    }
    if (now - last_claim_ > kPatience) waits_since_ = now;  // this wait is another one than the last
    last_claim_ = now;
    if (now - std::max(waits_since_, host_.last_busy_) < kPatience) return nullptr;
    host_.note_overdraft(bytes);
    return inner_->claim(to, kControl, bytes);
  }
  void commit(std::unique_ptr<Slot> slot) override { inner_->commit(std::move(slot)); }
  std::shared_ptr<Message> receive() override {
    host_.poll();
    return inner_->receive();
  }
  void rest(std::chrono::microseconds limit) override {
    if (host_.poll()) return;
    if (host_.between_hosts_)
      host_.between_hosts_->rest(limit);
    else
      inner_->rest(limit);
  }
  bool is_all_sent() override { return host_.is_all_sent(); }

 private:
  AttachedHost& host_;
  std::unique_ptr<Endpoint> inner_;
  Clock::time_point waits_since_ = Clock::now(), last_claim_ = waits_since_;
};

AttachedHost::AttachedHost(AttachedPlace place)
    : network_(2),
      rank_(place.rank),
      is_quiet_(place.is_quiet),
      local_endpoint_(network_.endpoint(kServer)),
      between_hosts_(std::move(place.between_hosts)) {
  HostSettings settings = settings_of(place);
  if (between_hosts_) {
    const JoinedPeers client{kClient, client_number(place.rank, place.ranks)};
    server_endpoint_ = join_endpoints(*between_hosts_, *local_endpoint_, client);
  } else {
    settings.server.clients = {kClient};
    settings.server.servers = {kServer};
  }
  server_ = place.make_host(settings, server_endpoint_ ? *server_endpoint_ : *local_endpoint_);
  client_endpoint_ = std::make_unique<PollingEndpoint>(*this, network_.endpoint(kClient));
}

AttachedHost::~AttachedHost() {
  try {
    last_busy_ = Clock::now();
    while (!server_->is_finished() && Clock::now() - last_busy_ < kLastIdleTime) {
      if (!poll()) std::this_thread::sleep_for(kRest);
    }
    if (server_->is_finished() && rank_ == 0 && !is_quiet_) {
      std::fputs(server_->report(), stdout);
      std::fflush(stdout);
    }
    if (!server_->is_finished() && between_hosts_)
      log::error("the other ranks do not come to pileus_finish: the server of this rank is given up");
  } catch (const std::exception& error) {
    log::error(error.what());
  }
}

Peer AttachedHost::server_peer() const { return kServer; }

/// It has nothing to do if it had nothing before a poll, did nothing in it and has nothing after it: a task
/// that ends before the first look has left its letters for the poll.
std::string AttachedHost::settle() {
  for (;;) {
    const bool was_busy = is_busy();
    const bool did_anything = poll();
    if (!was_busy && !did_anything && !is_busy()) return server_->errors();
    if (!did_anything) std::this_thread::sleep_for(kRest);
  }
}

bool AttachedHost::poll() {
  const bool did_anything = server_->poll();
  if (did_anything || server_->is_working()) last_busy_ = Clock::now();
  return did_anything;
}

/// Includes what the server has to send to others, so that nobody waits for a rank that has left
/// pileus_finish.
bool AttachedHost::is_all_sent() {
  poll();
  return server_->is_finished();
}

bool AttachedHost::depends_on_others() const { return between_hosts_ && !server_->is_working(); }

void AttachedHost::note_overdraft(std::size_t bytes) {
  if (std::exchange(has_overdrawn_, true)) return;
  log::warning("the memory budget is full and nothing can be done here until other ranks call Pileus: rank " +
               std::to_string(rank_) + " takes " + std::to_string(bytes) +
               " bytes more, and again where it has to (said once); a larger <memory budget=...>, or servers "
               "of their own, keep ranks from running so far ahead");
}

}  // namespace pileus
