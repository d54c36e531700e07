#include "explain/expected_load.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace pileus::explain {
namespace {

// Of one thread of a processor of 2026, as bench handover, diagnostics, expressions and write measure them.
constexpr double kMessage_s = 10e-6, kReceivedByte_s = 0.2e-9;
constexpr double kRuleRun_s = 1e-6, kOperation_s = 0.5e-9;
constexpr double kWrittenByte_s = 1e-9, kPackedByte_s = 34e-9;
/// As in the advice of a run's report.
constexpr double kGoodLoad = 0.5;
/// A server that has more to do would rather be two.
constexpr double kMostServers = 1e6;

std::string number(double value, const char* form) {
  char text[64];
  std::snprintf(text, sizeof text, form, value);
  return text;
}

/// "3.4 ms"
std::string time_text(double seconds) {
  const auto two_digits = [](double value, const char* unit) {
    return number(value, value < 10 ? "%.2g " : "%.0f ") + unit;
  };
  if (seconds >= 1) return two_digits(seconds, "s");
  if (seconds >= 1e-3) return two_digits(1e3 * seconds, "ms");
  return two_digits(1e6 * seconds, "us");
}

std::string servers_text(std::uint32_t servers) {
  return std::to_string(servers) + (servers == 1 ? " server" : " servers");
}

}  // namespace

ExpectedLoad expected_load(const Explanation& all) {
  const double steps = static_cast<double>(std::max<std::size_t>(all.steps.steps.size(), 1));
  const Traffic model = from_model(all.run);
  double messages = static_cast<double>(model.messages), bytes = static_cast<double>(model.bytes);
  for (const ExpectedTraffic& server : all.run.of_server) {
    for (const Traffic& traffic : server.most) {
      messages += 2 * static_cast<double>(traffic.messages);  // one sends, one receives
      bytes += static_cast<double>(traffic.bytes);
    }
  }
  ExpectedLoad load;
  load.receiving_s = (messages * kMessage_s + bytes * kReceivedByte_s) / steps;
  for (const RuleCost& cost : all.rules) {
    const auto operations = static_cast<double>(std::max<std::int64_t>(cost.operations, 1));
    const double elements = static_cast<double>(cost.elements) * static_cast<double>(cost.steps);
    load.analysis_s +=
        (static_cast<double>(cost.runs) * kRuleRun_s + elements * operations * kOperation_s) / steps;
  }
  for (const ExpectedFile& file : all.files) {
    load.writing_s += (static_cast<double>(file.size_bytes.value_or(0)) * kWrittenByte_s +
                       static_cast<double>(file.packed_bytes) * kPackedByte_s) /
                      steps;
  }
  return load;
}

std::uint32_t servers_for(const ExpectedLoad& load, double step_takes_s) {
  const double servers = std::ceil(load.all_s() / step_takes_s / kGoodLoad - 1e-9);
  return static_cast<std::uint32_t>(std::clamp(servers, 1.0, kMostServers));
}

std::vector<std::string> load_texts(const Explanation& all, std::optional<double> step_takes_s) {
  const ExpectedLoad load = expected_load(all);
  std::vector<std::string> texts = {"a step is some " + time_text(load.all_s()) +
                                    " of work for the servers: " + time_text(load.receiving_s) +
                                    " to receive, " + time_text(load.analysis_s) + " to analyse, " +
                                    time_text(load.writing_s) +
                                    " to write, each to within a factor of two or three"};
  const std::string ranks = std::to_string(all.plan.layout.clients);
  if (step_takes_s) {
    const std::uint32_t needed = servers_for(load, *step_takes_s);
    texts.push_back(
        "where the model takes " + time_text(*step_takes_s) + " for a step, " + servers_text(needed) +
        " for these " + ranks + " model ranks would do, and have nothing to do " +
        number(100 * (1 - std::min(1.0, load.all_s() / *step_takes_s / needed)), "%.0f") + " % of the time");
  } else {
    std::string text;
    for (const std::uint32_t servers : {1U, 2U, 4U})
      text += (text.empty() ? "" : ", ") + servers_text(servers) + " for " +
              time_text(load.all_s() / kGoodLoad / servers);
    texts.push_back("these " + ranks + " model ranks need, for steps that take the model no less: " + text);
  }
  std::uint64_t held = 0;
  for (const ExpectedMemory& memory : all.memory) held = std::max(held, memory.keeps_up_bytes());
  texts.push_back("a server of the " + std::to_string(all.plan.layout.servers) + " that the plan has takes " +
                  number(static_cast<double>(held) / 1e6, "%.1f") + " MB if it keeps up with the model");
  return texts;
}

}  // namespace pileus::explain
