#include "server/report.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <tuple>

namespace pileus {
namespace {

std::string fixed(double number, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, number);
  return text;
}

/// The name of a series, then the end of the period in it.
bool comes_before(const PublishedFile& a, const PublishedFile& b) {
  auto key = [](const std::string& path) {
    const std::size_t last = path.rfind('_');
    const std::string period = last == std::string::npos ? "" : path.substr(last + 1);
    double end_s = 0;
    std::from_chars(period.data(), period.data() + period.size(), end_s);
    return std::tuple(path.substr(0, last), end_s, path);
  };
  return key(a.path) < key(b.path);
}

}  // namespace

void RunReport::encode(Encoder& out) const {
  out.put(static_cast<std::uint64_t>(clients.size()));
  for (const Client& client : clients) {
    out.put(client.rank);
    out.put_raw(std::as_bytes(std::span(&client.end, 1)));
  }
  out.put(static_cast<std::uint64_t>(files.size()));
  for (const PublishedFile& file : files) {
    out.put(file.path);
    out.put(file.records);
  }
  out.put(static_cast<std::uint64_t>(errors.size()));
  for (const std::string& error : errors) out.put(error);
  out.put(static_cast<std::uint64_t>(warnings.size()));
  for (const std::string& warning : warnings) out.put(warning);
}

RunReport RunReport::decode(Decoder& in) {
  RunReport report;
  report.clients.resize(in.get_length(sizeof(FinishFrame)));
  for (Client& client : report.clients) {
    client.rank = in.get<ClientRank>();
    std::memcpy(&client.end, in.get_raw(sizeof(FinishFrame)).data(), sizeof(FinishFrame));
  }
  report.files.resize(in.get_length(16));
  for (PublishedFile& file : report.files) {
    file.path = in.get_text();
    file.records = in.get<std::int64_t>();
  }
  report.errors.resize(in.get_length(8));
  for (std::string& error : report.errors) error = in.get_text();
  report.warnings.resize(in.get_length(8));
  for (std::string& warning : report.warnings) warning = in.get_text();
  return report;
}

void RunReport::join(RunReport other) {
  clients.insert(clients.end(), other.clients.begin(), other.clients.end());
  files.insert(files.end(), other.files.begin(), other.files.end());
  errors.insert(errors.end(), other.errors.begin(), other.errors.end());
  warnings.insert(warnings.end(), other.warnings.begin(), other.warnings.end());
}

std::string RunReport::error_text() const {
  std::string text;
  for (const std::string& error : errors) text += (text.empty() ? "" : "\n") + error;
  return text;
}

std::string RunReport::text() const {
  std::vector<PublishedFile> sorted = files;
  std::ranges::sort(sorted, comes_before);
  std::string out =
      "published " + std::to_string(files.size()) + (files.size() == 1 ? " file\n" : " files\n");
  for (const PublishedFile& file : sorted) {
    out += "  " + file.path + " (" + std::to_string(file.records) +
           (file.records == 1 ? " record)\n" : " records)\n");
  }
  if (!clients.empty()) out += model_text();
  for (const std::string& warning : warnings) out += "warning: " + warning + "\n";
  for (const std::string& error : errors) out += "error: " + error + "\n";
  return out;
}

std::string RunReport::model_text() const {
  const auto slowest = std::ranges::max_element(clients, {}, [](const Client& c) { return c.end.inside_s; });
  double inside_s = 0, waiting_s = 0, wall_s = 0, bytes = 0;
  for (const Client& client : clients) {
    inside_s += client.end.inside_s;
    waiting_s += client.end.waiting_s;
    wall_s = std::max(wall_s, client.end.wall_s);
    bytes += static_cast<double>(client.end.bytes);
  }
  const auto ranks = static_cast<double>(clients.size());
  auto share = [&](double seconds) { return fixed(wall_s > 0 ? 100 * seconds / wall_s : 0, 2) + " %"; };
  std::string out = "model: " + std::to_string(clients.size()) + " ranks, " + fixed(wall_s, 2) +
                    " s from commit to finish, " + fixed(bytes / 1e6, 1) + " MB handed over\n";
  out += "time of the model in Pileus: " + fixed((inside_s - waiting_s) / ranks, 3) + " s a rank (" +
         share((inside_s - waiting_s) / ranks) + "), and waiting for room " + fixed(waiting_s / ranks, 3) +
         " s (" + share(waiting_s / ranks) + "); most in rank " + std::to_string(slowest->rank) + ": " +
         fixed(slowest->end.inside_s, 3) + " s\n";
  return out;
}

}  // namespace pileus
