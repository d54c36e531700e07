#include "watch/exchange_steps.h"

#include <algorithm>
#include <iterator>

namespace pileus {

void tell_waits(Waits& waits, const std::string& name, const ExchangeParts& parts, const OpenExchanges& open,
                const std::map<ClientRank, std::int64_t>& sent_through) {
  std::vector<std::int64_t> steps;
  for (const auto& [index, step] : open)
    if (step->is_open && steps.size() < Waits::kMostNumbers) steps.push_back(index);
  if (steps.empty()) return;
  const ExchangeStep& first = *open.at(steps.front());
  std::vector<ClientRank> ranks;
  for (const ClientRank client : parts.clients)
    if (!first.came.contains(client) && sent_through.at(client) < steps.front()) ranks.push_back(client);
  std::vector<ServerRank> servers;
  std::ranges::set_difference(parts.senders, first.servers, std::back_inserter(servers));
  std::string text = ranks.empty() ? "" : numbered("model rank", ranks);
  if (!servers.empty()) text += (text.empty() ? "" : " and for ") + numbered("server", servers);
  waits.add(Waits::About::reductions, {name, steps,
                                       name + ": step " + std::to_string(steps.front()) + " waits for " +
                                           (text.empty() ? "the analysis in this server" : text)});
}

std::vector<std::string> open_texts(const std::string& name, const ExchangeParts& parts,
                                    const OpenExchanges& open) {
  const auto lacking = [](std::size_t all, std::size_t there) {
    return std::to_string(all - there) + " of " + std::to_string(all);
  };
  std::vector<std::string> texts;
  for (const auto& [index, step] : open) {
    texts.push_back(name + ": step " + std::to_string(index) + " (waits for " +
                    lacking(parts.clients.size(), step->came.size()) + " model ranks, " +
                    lacking(parts.senders.size(), step->servers.size()) + " servers)");
  }
  return texts;
}

}  // namespace pileus
