// The report of a run for people: aligned, with units, the longest part last.

#include <algorithm>
#include <cstdio>

#include "report/advice.h"
#include "report/report.h"

namespace pileus {
namespace {

/// So many of the costliest are shown; --report has all.
constexpr std::size_t kCostsShown = 8;
/// Likewise of what was waited for.
constexpr std::size_t kWaitsShown = 12;

std::string fixed(double number, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, number);
  return text;
}

std::string share(double part, double whole) { return fixed(whole > 0 ? 100 * part / whole : 0, 2) + " %"; }
std::string seconds(double number) { return fixed(number, 3) + " s"; }

std::string size(std::int64_t bytes) {
  const auto number = static_cast<double>(bytes);
  return number < 1e6 ? fixed(number / 1e3, 1) + " kB" : fixed(number / 1e6, 1) + " MB";
}

std::string counted(std::int64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// Lines of cells; the first column begins two blanks in, the others end in one line. The first line is the
/// head, whose first cell begins at the left.
std::string table(std::vector<std::vector<std::string>> lines) {
  std::vector<std::size_t> widths(lines[0].size(), 0);
  for (std::size_t l = 0; l < lines.size(); ++l) {
    if (l > 0) lines[l][0] = "  " + lines[l][0];
    for (std::size_t c = 0; c < lines[l].size(); ++c) widths[c] = std::max(widths[c], lines[l][c].size());
  }
  std::string out;
  for (const auto& line : lines) {
    for (std::size_t c = 0; c < line.size(); ++c) {
      const std::string blanks(widths[c] - line[c].size(), ' ');
      out += c == 0 ? line[c] + blanks : "   " + blanks + line[c];
    }
    out += '\n';
  }
  return out;
}

std::string files_text(const RunReport& report) {
  std::int64_t records = 0;
  for (const PublishedFile& file : report.files) records += file.records;
  const std::string files = counted(static_cast<std::int64_t>(report.files.size()), "file");
  return "published " + files + (report.files.empty() ? "" : " with " + counted(records, "record")) + "\n";
}

/// What the log has said when it happened is not said again.
std::string logged_text(const RunReport& report) {
  const auto errors = static_cast<std::int64_t>(report.errors.size());
  const auto warnings = static_cast<std::int64_t>(report.logged_warnings.size());
  std::string out;
  if (errors > 0) out += counted(errors, "error");
  if (warnings > 0) out += (out.empty() ? "" : " and ") + counted(warnings, "warning");
  return out.empty() ? out : out + " in the log above\n";
}

/// Arrays that the model promised to leave alone, so that they need not be copied.
std::string loans_text(const RunReport& report) {
  double lent = 0, taken_back = 0, waiting_s = 0;
  for (const RunReport::Client& client : report.clients) {
    lent += static_cast<double>(client.end.lent_bytes);
    taken_back += static_cast<double>(client.end.taken_back_bytes);
    waiting_s += client.end.loan_waiting_s;
  }
  if (lent == 0) return "";
  return "of it not copied in put: " + fixed(lent / 1e6, 1) + " MB, of which " + fixed(taken_back / 1e6, 1) +
         " MB were copied at the next step; and waiting for servers that read it " +
         seconds(waiting_s / static_cast<double>(report.clients.size())) + " a rank\n";
}

/// What servers have read for the model, and how long that waited for it.
std::string inputs_text(const RunReport& report, double waiting_s, double wall_s) {
  Traffic read;
  for (const ServerFigures& server : report.servers) read += server.of_inputs;
  if (read.messages == 0) return "";
  return "read for the model: " + counted(read.messages, "record") + ", " +
         fixed(static_cast<double>(read.bytes) / 1e6, 1) + " MB; waiting for records of inputs " +
         seconds(waiting_s) + " a rank (" + share(waiting_s, wall_s) + ")\n";
}

std::string model_text(const RunReport& report) {
  const auto& clients = report.clients;
  const auto slowest =
      std::ranges::max_element(clients, {}, [](const RunReport::Client& c) { return c.end.inside_s; });
  double inside_s = 0, put_s = 0, waiting_s = 0, for_inputs_s = 0, wall_s = 0, bytes = 0;
  for (const RunReport::Client& client : clients) {
    inside_s += client.end.inside_s - client.end.input_waiting_s;
    for_inputs_s += client.end.input_waiting_s;
    put_s += client.end.put_s;
    waiting_s += client.end.waiting_s;
    wall_s = std::max(wall_s, client.end.wall_s);
    bytes += static_cast<double>(client.end.bytes);
  }
  const auto ranks = static_cast<double>(clients.size());
  std::string out = "model: " + counted(static_cast<std::int64_t>(clients.size()), "rank") + ", " +
                    fixed(wall_s, 2) + " s from commit to finish, " + fixed(bytes / 1e6, 1) +
                    " MB handed over\n";
  out += "time of the model in Pileus: " + seconds((inside_s - waiting_s) / ranks) + " a rank (" +
         share((inside_s - waiting_s) / ranks, wall_s) + "), of it " + seconds(put_s / ranks) +
         " in put; and waiting for memory " + seconds(waiting_s / ranks) + " (" +
         share(waiting_s / ranks, wall_s) + "); most in rank " + std::to_string(slowest->rank) + ": " +
         seconds(slowest->end.inside_s) + "\n";
  return out + inputs_text(report, for_inputs_s / ranks, wall_s) + loans_text(report);
}

std::string servers_text(const RunReport& report) {
  std::vector<ServerFigures> servers = report.servers;
  std::ranges::sort(servers, {}, &ServerFigures::server);
  std::vector<std::vector<std::string>> lines = {
      {"servers", "time", "nothing to do", "analysis", "messages", "writing", "parcels held", "memory"}};
  double after_model_s = 0;
  for (const ServerFigures& one : servers) {
    after_model_s = std::max(after_model_s, one.after_model_s);
    lines.push_back({"server " + std::to_string(one.server), seconds(one.wall_s),
                     share(one.idle_s, one.wall_s), seconds(one.analysis_s), seconds(one.messages_s),
                     seconds(one.writing_s), size(one.most_parcel_bytes), size(one.most_memory_bytes)});
  }
  return table(lines) + "after the model's last step: " + seconds(after_model_s) + " to the end of the run\n";
}

std::string series_text(const RunReport& report) {
  std::vector<std::vector<std::string>> lines = {
      {"files", "published", "records", "median latency", "longest"}};
  for (const RunReport::Series& one : report.series()) {
    lines.push_back({one.name, std::to_string(one.published), std::to_string(one.records),
                     seconds(one.median_latency_s), seconds(one.most_latency_s)});
  }
  return table(lines);
}

std::string costs_text(const RunReport& report) {
  double all_s = 0;
  for (const auto& [name, cost] : report.costs) all_s += cost.seconds();
  std::vector<RunReport::NamedCost> shown = report.sorted_costs();
  if (shown.size() > kCostsShown) shown.resize(kCostsShown);
  std::vector<std::vector<std::string>> lines = {{"analysis, the longest first", "times", "time", "share"}};
  for (const auto& [name, cost] : shown) {
    lines.push_back({name, std::to_string(cost.runs), seconds(cost.seconds()), share(cost.seconds(), all_s)});
  }
  return table(lines);
}

std::string waits_text(const RunReport& report) {
  std::vector<RunReport::Wait> shown = report.sorted_waits();
  if (shown.size() > kWaitsShown) shown.resize(kWaitsShown);
  std::string out = "waited for, the longest first\n";
  for (const RunReport::Wait& one : shown) {
    out += "  " + seconds(one.lasted_s) + " from " + one.since + (one.has_come != 0 ? "" : ", to the end") +
           ", server " + std::to_string(one.server) + ": " + one.text + "\n";
  }
  return out;
}

std::string overloads_text(const RunReport& report) {
  const RunReport::Overloads& all = report.overloads;
  if (all.times == 0) return "";
  std::string out =
      "overloaded, as servers were behind and their memory was full: " + counted(all.times, "time") + ", " +
      seconds(all.all_s) + "; the longest " + seconds(all.longest_s) + " from " + all.longest_since +
      ", step " + std::to_string(all.longest_first_step) + ", server " + std::to_string(all.longest_server) +
      "\n";
  for (const auto& [series, records] : report.dropped)
    out += "  left out meanwhile: " + counted(records, "record") + " of " + series + "\n";
  return out;
}

std::string spilled_text(const RunReport& report) {
  std::string out;
  for (const ServerFigures& one : report.servers) {
    if (one.spilled_parcels == 0) continue;
    out += "spilled for want of memory by server " + std::to_string(one.server) + ": " +
           counted(one.spilled_parcels, "parcel") + ", " + size(one.spilled_bytes) + "; at most " +
           size(one.most_spilled_bytes) + " on the disk\n";
  }
  return out;
}

std::string advice_text(const RunReport& report) {
  std::string out;
  for (const std::string& sentence : advice(report)) out += "  " + sentence + "\n";
  return out.empty() ? out : "what follows\n" + out;
}

}  // namespace

std::string RunReport::text() const {
  std::string out = (component.empty() ? "" : "component " + component + ": ") + files_text(*this);
  if (!clients.empty()) out += model_text(*this);
  if (!servers.empty()) out += servers_text(*this);
  if (!files.empty()) out += series_text(*this);
  if (!costs.empty()) out += costs_text(*this);
  if (!waits.empty()) out += waits_text(*this);
  out += overloads_text(*this) + spilled_text(*this);
  for (const std::string& warning : all_warnings()) out += "warning: " + warning + "\n";
  return out + logged_text(*this) + advice_text(*this);
}

}  // namespace pileus
