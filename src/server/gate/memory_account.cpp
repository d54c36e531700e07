#include "server/gate/memory_account.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/error.h"

namespace pileus {
namespace {

/// Less than a quarter is what servers have under way that keep up.
bool is_much(std::uint64_t backlog_bytes, std::uint64_t budget_bytes) {
  return backlog_bytes > 0 && backlog_bytes >= budget_bytes / 4;
}

/// A quarter stays free, in which steps pass whose records are left out.
bool is_full(std::uint64_t backlog_bytes, std::uint64_t more_bytes, std::uint64_t budget_bytes) {
  return is_much(backlog_bytes, budget_bytes) && backlog_bytes + more_bytes > budget_bytes / 4 * 3;
}

}  // namespace

MemoryAccount::MemoryAccount(const Plan& plan, const RunMemory& memory)
    : ranks_(plan.layout.clients), bounds_parcels_(!memory.for_parcels_taken.empty()) {
  for (const std::uint64_t budget : memory.for_steps) servers_.emplace_back().budget_bytes = budget;
  for (ClientRank rank = 0; rank < plan.layout.clients; ++rank) {
    const ServerRank server = plan.layout.server_of(rank);
    servers_[server].ranks.push_back(rank);
    ranks_[rank].budget_bytes = (bounds_parcels_ ? memory.for_parcels_taken : memory.for_parcels)[server];
  }
}

bool MemoryAccount::fits(const Cost& cost, bool half) const {
  const auto has_memory = [half](const auto& holder, std::uint64_t bytes) {
    const std::uint64_t budget = half ? holder.budget_bytes / 2 : holder.budget_bytes;
    return holder.held_bytes == 0 || holder.held_bytes + bytes <= budget;
  };
  for (std::size_t s = 0; s < servers_.size(); ++s) {
    if (!has_memory(servers_[s], (*cost.of_servers)[s])) return false;
  }
  for (std::size_t r = 0; bounds_parcels_ && r < ranks_.size(); ++r) {
    if (!has_memory(ranks_[r], (*cost.of_ranks)[r])) return false;
  }
  return true;
}

std::optional<ServerRank> MemoryAccount::full_with(const Cost& cost) const {
  for (ServerRank s = 0; s < servers_.size(); ++s) {
    const Server& server = servers_[s];
    if (is_full(server.backlog_bytes, (*cost.of_servers)[s], server.budget_bytes)) return s;
    for (const ClientRank r : server.ranks) {
      if (is_full(ranks_[r].backlog_bytes, (*cost.of_ranks)[r], ranks_[r].budget_bytes)) return s;
    }
  }
  return std::nullopt;
}

bool MemoryAccount::has_caught_up() const {
  const auto is_behind = [](const auto& one) { return is_much(one.backlog_bytes, one.budget_bytes); };
  return std::ranges::none_of(servers_, is_behind) && std::ranges::none_of(ranks_, is_behind);
}

void MemoryAccount::add(Cost cost) {
  passed_.push_back(std::move(cost));
  const Cost& passed = passed_.back();
  for (std::size_t s = 0; s < servers_.size(); ++s) servers_[s].held_bytes += (*passed.of_servers)[s];
  for (std::size_t r = 0; r < ranks_.size(); ++r) ranks_[r].held_bytes += (*passed.of_ranks)[r];
}

void MemoryAccount::take_done(std::span<const StepsDone> news) {
  for (const StepsDone& word : news) require_possible(word);
  for (const StepsDone& word : news) {
    Server& server = servers_[word.server];
    server.arrived = std::max({server.arrived, word.done, word.arrived});
  }
  set_arrived(std::ranges::min_element(servers_, {}, &Server::arrived)->arrived);
  for (const StepsDone& word : news) set_done(word.server, word.done);
  const auto least = std::ranges::min_element(servers_, {}, &Server::done)->done;
  for (; first_ < least; ++first_) passed_.pop_front();
}

void MemoryAccount::require_possible(const StepsDone& news) const {
  if (news.server >= servers_.size()) throw TransportError("steps are done on a server that does not exist");
  if (news.done < servers_[news.server].done || std::max(news.done, news.arrived) > first_ + passed_.size())
    throw TransportError("server " + std::to_string(news.server) +
                         " says that it is done with steps that it was not told of");
}

/// REQUIRES: a step that has not arrived is not done anywhere but where it has.
void MemoryAccount::set_arrived(std::uint64_t steps) {
  for (; arrived_ < steps; ++arrived_) {
    const Cost& cost = passed_[arrived_ - first_];
    for (std::size_t s = 0; s < servers_.size(); ++s) {
      if (arrived_ < servers_[s].done) continue;
      servers_[s].backlog_bytes += (*cost.of_servers)[s];
      for (const ClientRank r : servers_[s].ranks) ranks_[r].backlog_bytes += (*cost.of_ranks)[r];
    }
  }
}

void MemoryAccount::set_done(ServerRank place, std::uint64_t steps) {
  Server& server = servers_[place];
  for (; server.done < steps; ++server.done) {
    const Cost& cost = passed_[server.done - first_];
    server.held_bytes -= (*cost.of_servers)[place];
    for (const ClientRank r : server.ranks) ranks_[r].held_bytes -= (*cost.of_ranks)[r];
    if (server.done >= arrived_) continue;
    server.backlog_bytes -= (*cost.of_servers)[place];
    for (const ClientRank r : server.ranks) ranks_[r].backlog_bytes -= (*cost.of_ranks)[r];
  }
}

}  // namespace pileus
