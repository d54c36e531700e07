#pragma once
// Steps in which servers exchange what their model ranks have, as for points that are dealt out and for
// regriddings. Each closes when the clock has come to it, all ranks of this server have given theirs and all
// servers that send something have sent it. The one who uses it calls from one strand.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "watch/waits.h"

namespace pileus {

/// What a step's own class has to begin with.
struct ExchangeStep {
  std::shared_ptr<const void> hold;  ///< on the step, from the clock on
  bool is_open = false;              ///< the clock has come to it
  std::set<ClientRank> came;         ///< own ranks
  std::set<ServerRank> servers;      ///< others
};

/// Who takes part in all steps.
struct ExchangeParts {
  std::vector<ClientRank> clients;          ///< own ranks, rising
  std::set<ServerRank> senders, receivers;  ///< other servers

  bool has_all(const ExchangeStep& step) const {
    return step.is_open && step.came.size() == clients.size() && step.servers.size() == senders.size();
  }
};

using OpenExchanges = std::map<std::int64_t, const ExchangeStep*>;
/// What the first open step waits for. `sent_through` has the last step that each rank has handed over: this
/// server may have it without having taken it up yet.
void tell_waits(Waits& waits, const std::string& name, const ExchangeParts& parts, const OpenExchanges& open,
                const std::map<ClientRank, std::int64_t>& sent_through);
/// One for each open step.
std::vector<std::string> open_texts(const std::string& name, const ExchangeParts& parts,
                                    const OpenExchanges& open);

/// `Step`: derives from ExchangeStep.
template <class Step>
class ExchangeSteps {
 public:
  /// The step, and whether it is new.
  std::pair<Step&, bool> get(std::int64_t index) {
    const auto [known, is_new] = open_.try_emplace(index);
    return {known->second, is_new};
  }
  bool contains(std::int64_t index) const { return open_.contains(index); }

  /// The clock has come to it. Calls give_nothing(client) for each rank that has ended before.
  template <class GiveNothing>
  void advance(Step& step, std::int64_t index, std::shared_ptr<const void> hold,
               const GiveNothing& give_nothing) {
    step.hold = std::move(hold);
    step.is_open = true;
    for (const auto& [client, last_step] : ended_)
      if (last_step < index && !step.came.contains(client)) give_nothing(client);
  }

  /// Calls give_nothing(index, step) for each open step after the rank's last one. Returns these steps.
  template <class GiveNothing>
  std::vector<std::int64_t> end_client(ClientRank client, std::int64_t last_step,
                                       const GiveNothing& give_nothing) {
    ended_.emplace(client, last_step);
    std::vector<std::int64_t> steps;
    for (auto& [index, step] : open_) {
      if (!step.is_open || index <= last_step || step.came.contains(client)) continue;
      give_nothing(index, step);
      steps.push_back(index);
    }
    return steps;
  }

  /// The step, once, when all of it is there.
  std::optional<Step> take_if_complete(std::int64_t index, const ExchangeParts& parts) {
    const auto found = open_.find(index);
    if (found == open_.end() || !parts.has_all(found->second)) return {};
    std::optional<Step> complete(std::move(found->second));
    open_.erase(found);
    return complete;
  }

  OpenExchanges open() const {
    OpenExchanges steps;
    for (const auto& [index, step] : open_) steps.emplace(index, &step);
    return steps;
  }

 private:
  std::map<std::int64_t, Step> open_;
  std::map<ClientRank, std::int64_t> ended_;  ///< with the last step
};

}  // namespace pileus
