// What regriddings wait for, for people who look at a job.

#include <algorithm>
#include <iterator>
#include <utility>

#include "regrid/regridder.h"

namespace pileus {

void Regridder::tell_waits(const std::shared_ptr<Waits>& waits,
                           std::map<ClientRank, std::int64_t> sent_through) {
  waits->expect();
  strand_.post([this, waits, sent_through = std::move(sent_through)] {
    tell_waits_now(*waits, sent_through);
    waits->answered();
  });
}

/// This server may have what a rank gives without having taken it up yet.
void Regridder::tell_waits_now(Waits& waits, const std::map<ClientRank, std::int64_t>& sent_through) const {
  std::vector<std::int64_t> steps;
  for (const auto& [step, key] : open_)
    if (key.is_open && steps.size() < Waits::kMostNumbers) steps.push_back(step);
  if (steps.empty()) return;
  const Key& first = open_.at(steps.front());
  std::vector<ClientRank> ranks;
  for (const ClientRank client : clients_)
    if (!first.came.contains(client) && sent_through.at(client) < steps.front()) ranks.push_back(client);
  std::vector<ServerRank> servers;
  std::ranges::set_difference(senders_, first.servers, std::back_inserter(servers));
  std::string text = ranks.empty() ? "" : numbered("model rank", ranks);
  if (!servers.empty()) text += (text.empty() ? "" : " and for ") + numbered("server", servers);
  waits.add(Waits::About::reductions, {name(), steps,
                                       name() + ": step " + std::to_string(steps.front()) + " waits for " +
                                           (text.empty() ? "its analysis in this server" : text)});
}

std::vector<std::string> Regridder::open_texts() const {
  std::vector<std::string> texts;
  for (const auto& [step, key] : open_) {
    texts.push_back(name() + ": step " + std::to_string(step) + " (waits for " +
                    std::to_string(clients_.size() - key.came.size()) + " of " +
                    std::to_string(clients_.size()) + " model ranks, " +
                    std::to_string(senders_.size() - key.servers.size()) + " of " +
                    std::to_string(senders_.size()) + " servers)");
  }
  return texts;
}

}  // namespace pileus
