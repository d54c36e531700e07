#include "report/advice.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

namespace pileus {
namespace {

constexpr double kShortestRun_s = 1;
/// So much of its time a server may be at work, so that what comes at once finds it free.
constexpr double kGoodLoad = 0.5, kHighLoad = 0.8;
/// Waiting of less is not worth a server.
constexpr double kWaitingShare = 0.01, kWaiting_s = 0.1;
/// A server that could serve more ranks than so many times its own is said to serve "more than" these.
constexpr double kMostTimes = 100;
constexpr double kMostMore = 4;

/// What the rules look at.
struct Facts {
  const RunReport& report;
  double wall_s = 0;        ///< of the run
  double model_wall_s = 0;  ///< of the model, from commit to finish
  double ranks = 0, servers = 0;
  double waiting_s = 0;  ///< for memory, of a rank in the mean
  double bytes = 0;      ///< that all ranks handed over
  const ServerFigures* busiest = nullptr;
  double highest_load = 0, sum_of_loads = 0;  ///< shares of the time with anything to do
  double parcel_bytes = 0;                    ///< the most that servers held, summed

  double mean_idle() const { return 1 - sum_of_loads / servers; }
  bool had_no_memory() const {
    return (waiting_s >= kWaiting_s && waiting_s >= kWaitingShare * model_wall_s) || !report.dropped.empty();
  }
  bool is_attached() const { return busiest->is_attached != 0; }
};

using Advice = std::optional<std::string>;

double load_of(const ServerFigures& server) {
  return server.wall_s > 0 ? std::clamp(1 - server.idle_s / server.wall_s, 0.0, 1.0) : 0;
}

Facts facts_of(const RunReport& report) {
  Facts facts{report};
  facts.ranks = static_cast<double>(report.clients.size());
  facts.servers = static_cast<double>(report.servers.size());
  for (const RunReport::Client& client : report.clients) {
    facts.model_wall_s = std::max(facts.model_wall_s, client.end.wall_s);
    facts.waiting_s += client.end.waiting_s / facts.ranks;
    facts.bytes += static_cast<double>(client.end.bytes);
  }
  for (const ServerFigures& server : report.servers) {
    const double load = load_of(server);
    facts.wall_s = std::max(facts.wall_s, server.wall_s);
    facts.sum_of_loads += load;
    facts.parcel_bytes += static_cast<double>(server.most_parcel_bytes);
    if (facts.busiest != nullptr && load <= facts.highest_load) continue;
    facts.busiest = &server;
    facts.highest_load = load;
  }
  return facts;
}

std::string with_digits(double number, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, number);
  return text;
}

std::string percent(double share) { return with_digits(100 * share, 0) + " %"; }
std::string seconds_text(double number) { return with_digits(number, 1) + " s"; }

std::string count_text(double count, const std::string& what) {
  return with_digits(count, 0) + " " + what + (count == 1 ? "" : "s");
}

/// Two digits, rounded up, as memory is to be given. "2.1 GiB"
std::string memory_text(double bytes) {
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  double number = std::max(bytes, 1.0) / 1024;
  for (; number > 1000 && unit + 1 < std::size(kUnits); ++unit) number /= 1024;
  const double step = number < 10 ? 0.1 : number < 100 ? 1 : 10;
  return with_digits(step * std::ceil(number / step - 1e-9), number < 10 ? 1 : 0) + " " + kUnits[unit];
}

/// What the busiest server did most.
enum class Most { writing, messages, analysis };
Most most_of(const ServerFigures& server) {
  const double analysis_s =
      server.analysis_s / static_cast<double>(std::max<std::int64_t>(server.workers, 1));
  if (server.messages_s >= std::max(analysis_s, server.writing_s)) return Most::messages;
  return server.writing_s >= analysis_s ? Most::writing : Most::analysis;
}

std::string dearest_rule(const RunReport& report) {
  double all_s = 0;
  for (const auto& [name, cost] : report.costs) all_s += cost.seconds();
  const std::vector<RunReport::NamedCost> sorted = report.sorted_costs();
  if (sorted.empty() || sorted[0].second.seconds() < all_s / 2 || all_s <= 0) return "";
  return ", " + percent(sorted[0].second.seconds() / all_s) + " of it for " + sorted[0].first;
}

/// "12.4 s a rank of waiting for memory (20 % of the model's time)", or what was lost in its place.
std::string loss_text(const Facts& facts) {
  std::int64_t dropped = 0;
  for (const auto& [series, records] : facts.report.dropped) dropped += records;
  std::string text;
  if (facts.waiting_s >= kWaiting_s || dropped == 0) {
    text = seconds_text(facts.waiting_s) + " a rank of waiting for memory (" +
           percent(facts.waiting_s / facts.model_wall_s) + " of the model's time)";
  }
  if (dropped > 0)
    text += (text.empty() ? "" : " and ") + count_text(static_cast<double>(dropped), "record") + " left out";
  return text;
}

/// What the busiest server did, and how many would do.
std::string busy_text(const Facts& facts, const std::string& servers) {
  const std::string text = "server " + std::to_string(facts.busiest->server) + " was at work " +
                           percent(facts.highest_load) + " of the time, ";
  switch (most_of(*facts.busiest)) {
    case Most::writing:
      return text + "and wrote most of it: a faster disk, less output, or " + servers +
             " if the disk takes it";
    case Most::messages: return text + "and received most of it: " + servers + " would do";
    default: break;
  }
  return text + "and analysed most of it" + dearest_rule(facts.report) + ": " + servers + ", or more than " +
         count_text(static_cast<double>(facts.busiest->workers), "worker") + " on each";
}

/// There was no memory, as a server had no time either.
Advice too_few_servers(const Facts& facts) {
  if (!facts.had_no_memory() || facts.highest_load < kHighLoad) return std::nullopt;
  const double active_s = std::max(facts.model_wall_s - facts.waiting_s, 0.01 * facts.model_wall_s);
  const double needed = facts.servers * facts.highest_load / kHighLoad * facts.model_wall_s / active_s;
  // A model that did little but wait does not tell how many it takes.
  const std::string servers = needed > kMostMore * facts.servers
                                  ? "more than " + count_text(kMostMore * facts.servers, "server")
                                  : count_text(std::max(std::ceil(needed), facts.servers + 1), "server");
  return loss_text(facts) + ": " + busy_text(facts, servers) + "; more memory would only put it off";
}

/// There was no memory, though servers had time: what comes at once has to lie somewhere. In the time of the
/// waiting the model would have handed over so much more.
Advice too_little_memory(const Facts& facts) {
  if (!facts.had_no_memory() || facts.highest_load >= kHighLoad) return std::nullopt;
  const double lost_s = facts.waiting_s >= kWaiting_s ? facts.waiting_s : facts.report.overloads.all_s;
  const double active_s = std::max(facts.model_wall_s - facts.waiting_s, 0.01 * facts.model_wall_s);
  const double more = lost_s * facts.bytes / active_s / facts.servers;
  return loss_text(facts) + ", though the servers had nothing to do " + percent(facts.mean_idle()) +
         " of the time: at most " + memory_text(more) + " more memory for each, or one more server";
}

Advice too_many_servers(const Facts& facts) {
  const double needed = std::max(1.0, std::ceil(facts.sum_of_loads / kGoodLoad - 1e-9));
  if (facts.had_no_memory() || facts.is_attached() || needed >= facts.servers) return std::nullopt;
  return "the servers had nothing to do " + percent(facts.mean_idle()) +
         " of the time: " + with_digits(needed, 0) + " for " + count_text(facts.ranks, "rank") +
         " would do, in place of " + with_digits(facts.servers, 0) + ", with memory for " +
         memory_text(facts.parcel_bytes / needed) + " of what the model hands over";
}

Advice server_for_more_ranks(const Facts& facts) {
  const double times = kGoodLoad / std::max(facts.highest_load, 1e-9);
  if (facts.had_no_memory() || facts.is_attached() || facts.servers > 1 || times < 2) return std::nullopt;
  return "the server had nothing to do " + percent(facts.mean_idle()) + " of the time: it would do for " +
         (times > kMostTimes ? "more than " + with_digits(kMostTimes, 0)
                             : with_digits(std::floor(times + 1e-9), 0)) +
         " times as many ranks like these " + with_digits(facts.ranks, 0);
}

Advice uneven_servers(const Facts& facts) {
  if (facts.servers < 2 || facts.is_attached()) return std::nullopt;
  const double others = (facts.sum_of_loads - facts.highest_load) / (facts.servers - 1);
  if (facts.highest_load < kGoodLoad || others > facts.highest_load / 2) return std::nullopt;
  return "server " + std::to_string(facts.busiest->server) + " was at work " + percent(facts.highest_load) +
         " of the time, the others " + percent(others) +
         ": more files, or a like number of ranks for each server, would spread the work";
}

/// It went well, and hardly so.
Advice no_time_left(const Facts& facts) {
  if (facts.had_no_memory() || facts.is_attached() || facts.highest_load < kHighLoad || uneven_servers(facts))
    return std::nullopt;
  const double needed = std::max(std::ceil(facts.sum_of_loads / kHighLoad), facts.servers + 1);
  return busy_text(facts, count_text(needed, "server")) + "; a longer run would have to wait";
}

Advice late_end(const Facts& facts) {
  const double after_s =
      std::ranges::max(facts.report.servers, {}, &ServerFigures::after_model_s).after_model_s;
  if (after_s < 1 || after_s < 0.2 * facts.wall_s) return std::nullopt;
  return seconds_text(after_s) + " of " + seconds_text(facts.wall_s) +
         " were after the model's last step: files of shorter periods are written while the model runs, and "
         "servers that keep up have less left";
}

/// The rules, by the weight of what they say.
constexpr Advice (*kRules[])(const Facts&) = {
    too_few_servers, too_little_memory, too_many_servers, server_for_more_ranks,
    uneven_servers,  no_time_left,      late_end};

}  // namespace

std::vector<std::string> advice(const RunReport& report) {
  if (report.clients.empty() || report.servers.empty()) return {};
  const Facts facts = facts_of(report);
  if (facts.wall_s < kShortestRun_s || facts.model_wall_s <= 0) return {};
  std::vector<std::string> all;
  for (const auto rule : kRules) {
    if (const Advice said = rule(facts)) all.push_back(*said);
  }
  if (all.empty())
    all.push_back("the servers kept up with the model, and had nothing to do " + percent(facts.mean_idle()) +
                  " of the time: nothing is to be changed");
  return all;
}

}  // namespace pileus
