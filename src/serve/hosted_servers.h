#pragma once
// The servers of one process: one, or one for each component of the job. The thread that owns MPI lets them
// go on in turn. None waits for another, at their ends neither.

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/log.h"
#include "serve/server_host.h"
#include "transport/endpoint.h"
#include "transport/naps.h"

namespace pileus {

class HostedServers {
 public:
  HostedServers() = default;
  /// An endpoint that ends lets the others go on, which are to be gone by then.
  ~HostedServers() {
    for (Hosted& one : hosted_) one.host.reset();
    for (Hosted& one : hosted_) one.endpoint.reset();
  }
  HostedServers(HostedServers&&) = default;
  HostedServers& operator=(HostedServers&&) = default;

  /// What is called when the server of this number is over, while it is still there.
  using AtEnd = std::function<void(std::size_t number, ServerHost& host)>;
  /// Called when a server and its endpoint are gone.
  using AtParting = std::function<void(std::size_t number)>;

  void add(std::unique_ptr<ServerHost> host, std::unique_ptr<Endpoint> endpoint) {
    hosted_.push_back({std::move(endpoint), std::move(host)});
  }

  /// Lets the servers that are not over go on once. An endpoint that waits for others at its end calls it.
  /// True if one of them did anything.
  bool poll() {
    bool did_anything = false;
    for (Hosted& one : hosted_) {
      // Its time for last words may have run out while another one was at work: it is asked before that
      // counts.
      if (!one.host || one.is_over || !one.host->poll()) continue;
      did_anything = true;
      one.busy_at = Clock::now();
    }
    for (Hosted& one : hosted_) one.is_over = one.host && one.host->is_finished();
    return did_anything;
  }

  /// The same for an endpoint that is about to end, which nothing may keep from ending.
  void go_on() noexcept {
    try {
      poll();
    } catch (const std::exception& error) {
      log::warning(std::string("while the transport ended: ") + error.what());
    }
  }

  /// Returns when all are over.
  void serve(const AtEnd& at_end, const AtParting& at_parting) {
    for (std::size_t left = hosted_.size(); left > 0;) {
      // A task may end after its server has looked, and wakes nobody.
      const bool is_to_look = std::ranges::any_of(hosted_, [](const Hosted& one) {
        return one.host && (one.host->is_working() || one.host->is_watching());
      });
      const bool did_anything = poll();
      for (std::size_t i = 0; i < hosted_.size(); ++i) {
        Hosted& one = hosted_[i];
        if (!one.host || !one.host->is_finished()) continue;
        at_end(i, *one.host);
        one.host.reset();
        one.endpoint.reset();
        at_parting(i);
        --left;
      }
      if (!did_anything && left > 0) rest(is_to_look);
    }
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Hosted {
    std::unique_ptr<Endpoint> endpoint;
    std::unique_ptr<ServerHost> host;  ///< null once it is over
    Clock::time_point busy_at = Clock::now();
    bool is_over = false;  ///< when it was looked at last
  };

  /// A message wakes the endpoint that rests. Those of the others wait for the end of the rest, so that it is
  /// no longer than a nap where there are several.
  void rest(bool is_to_look) {
    // The end of a task wakes nobody. Without any, messages do; what is only said now and then is in time.
    constexpr std::chrono::microseconds at_work{5000}, without{200000};
    Hosted* latest = nullptr;
    std::size_t active = 0;
    for (Hosted& one : hosted_) {
      if (!one.host) continue;
      ++active;
      if (latest == nullptr || one.busy_at > latest->busy_at) latest = &one;
    }
    std::chrono::microseconds limit = is_to_look ? at_work : without;
    if (active > 1) {
      const auto idle = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - latest->busy_at);
      limit = std::min(limit, nap_after(idle));
    }
    latest->endpoint->rest(limit);
  }

  std::vector<Hosted> hosted_;
};

}  // namespace pileus
