#include "report/report.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <tuple>

#include "core/error.h"

namespace pileus {
namespace {

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

template <class Plain>
void put_plain(Encoder& out, const Plain& plain) {
  static_assert(std::is_trivially_copyable_v<Plain>);
  out.put_raw(std::as_bytes(std::span(&plain, 1)));
}

template <class Plain>
void get_plain(Decoder& in, Plain& plain) {
  std::memcpy(&plain, in.get_raw(sizeof plain).data(), sizeof plain);
}

/// Where very many servers have errors, each is told of so many.
constexpr std::size_t kMostErrorsTold = 100;

void put_texts(Encoder& out, const std::vector<std::string>& texts) {
  out.put(static_cast<std::uint64_t>(texts.size()));
  for (const std::string& text : texts) out.put(text);
}

std::vector<std::string> get_texts(Decoder& in) {
  std::vector<std::string> texts(in.get_length(8));
  for (std::string& text : texts) text = in.get_text();
  return texts;
}

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

/// What several servers have to say is said once.
void append_new(std::vector<std::string>& to, const std::vector<std::string>& from) {
  for (const std::string& text : from) {
    if (std::ranges::find(to, text) == to.end()) to.push_back(text);
  }
}

/// A number that is summed up over servers, files and rules.
/// Errors: TransportError if no run can have come to so much.
std::int64_t countable(std::int64_t number) {
  constexpr std::int64_t kMost = std::int64_t{1} << 56;
  if (number < 0 || number > kMost)
    throw TransportError("the report of a server has a count of " + std::to_string(number));
  return number;
}

/// Errors: TransportError if it has anything but numbers that a run can come to.
RunReport::ServerTimeline get_timeline(Decoder& in) {
  RunReport::ServerTimeline timeline{in.get<ServerRank>(), {}};
  timeline.points.resize(in.get_length(sizeof(TimelinePoint)));
  for (TimelinePoint& point : timeline.points) {
    get_plain(in, point);
    for (const TimelineColumn& column : kTimelineColumns) {
      if (!(point.*column.value >= 0 && point.*column.value <= 0x1p60))
        throw TransportError("the report of a server has a timeline that cannot be");
    }
  }
  return timeline;
}

}  // namespace

void RunReport::encode(Encoder& out) const {
  out.put(static_cast<std::uint64_t>(clients.size()));
  for (const Client& client : clients) {
    out.put(client.rank);
    put_plain(out, client.end);
  }
  out.put(static_cast<std::uint64_t>(servers.size()));
  for (const ServerFigures& server : servers) put_plain(out, server);
  out.put(static_cast<std::uint64_t>(timelines.size()));
  for (const ServerTimeline& timeline : timelines) {
    out.put(timeline.server);
    out.put(static_cast<std::uint64_t>(timeline.points.size()));
    for (const TimelinePoint& point : timeline.points) put_plain(out, point);
  }
  out.put(static_cast<std::uint64_t>(costs.size()));
  for (const auto& [name, cost] : costs) {
    out.put(name);
    out.put(cost.runs);
    out.put(static_cast<std::int64_t>(std::chrono::nanoseconds(cost.time).count()));
  }
  out.put(static_cast<std::uint64_t>(absences.size()));
  for (const auto& [variable, absence] : absences) {
    out.put(variable);
    put_plain(out, absence);
  }
  out.put(static_cast<std::uint64_t>(files.size()));
  for (const PublishedFile& file : files) {
    out.put(file.path);
    out.put(file.records);
    out.put(file.series);
    out.put(file.latency_s);
  }
  put_texts(out, errors);
  put_texts(out, warnings);
  put_texts(out, logged_warnings);
  out.put(static_cast<std::uint64_t>(waits.size()));
  for (const Wait& wait : waits) {
    out.put(wait.server);
    out.put(wait.has_come);
    out.put(wait.lasted_s);
    out.put(wait.since);
    out.put(wait.text);
  }
  out.put(overloads.times);
  out.put(overloads.all_s);
  out.put(overloads.longest_s);
  out.put(overloads.longest_since);
  out.put(overloads.longest_first_step);
  out.put(overloads.longest_server);
  out.put(static_cast<std::uint64_t>(dropped.size()));
  for (const auto& [series, records] : dropped) {
    out.put(series);
    out.put(records);
  }
}

RunReport RunReport::decode(Decoder& in) {
  RunReport report;
  report.clients.resize(in.get_length(sizeof(FinishFrame)));
  for (Client& client : report.clients) {
    client.rank = in.get<ClientRank>();
    get_plain(in, client.end);
  }
  report.servers.resize(in.get_length(sizeof(ServerFigures)));
  for (ServerFigures& server : report.servers) get_plain(in, server);
  report.timelines.resize(in.get_length(12));
  for (ServerTimeline& timeline : report.timelines) timeline = get_timeline(in);
  for (std::size_t left = in.get_length(24); left > 0; --left) {
    Cost& cost = report.costs[in.get_text()];
    cost.runs = in.get<std::uint64_t>();
    cost.time = std::chrono::nanoseconds(countable(in.get<std::int64_t>()));
  }
  for (std::size_t left = in.get_length(8 + sizeof(Absences)); left > 0; --left) {
    Absences& absence = report.absences[in.get_text()];
    get_plain(in, absence);
    for (const auto number : {absence.parts, absence.partial_parts, absence.samples}) countable(number);
  }
  report.files.resize(in.get_length(32));
  for (PublishedFile& file : report.files) {
    file.path = in.get_text();
    file.records = countable(in.get<std::int64_t>());
    file.series = in.get_text();
    file.latency_s = in.get<double>();
  }
  report.errors = get_texts(in);
  report.warnings = get_texts(in);
  report.logged_warnings = get_texts(in);
  report.waits.resize(in.get_length(32));
  for (Wait& wait : report.waits) {
    wait.server = in.get<ServerRank>();
    wait.has_come = in.get<std::uint32_t>();
    wait.lasted_s = in.get<double>();
    wait.since = in.get_text();
    wait.text = in.get_text();
  }
  report.overloads.times = countable(in.get<std::int64_t>());
  report.overloads.all_s = in.get<double>();
  report.overloads.longest_s = in.get<double>();
  report.overloads.longest_since = in.get_text();
  report.overloads.longest_first_step = in.get<std::int64_t>();
  report.overloads.longest_server = in.get<ServerRank>();
  for (std::size_t left = in.get_length(16); left > 0; --left) {
    std::int64_t& records = report.dropped[in.get_text()];
    records = countable(in.get<std::int64_t>());
  }
  return report;
}

void RunReport::join(RunReport other) {
  append(clients, other.clients);
  append(servers, other.servers);
  append(timelines, other.timelines);
  append(files, other.files);
  append(waits, other.waits);
  if (other.overloads.times > 0) overloads = other.overloads;
  for (const auto& [series, records] : other.dropped) dropped[series] += records;
  append_new(errors, other.errors);
  append_new(warnings, other.warnings);
  append_new(logged_warnings, other.logged_warnings);
  for (const auto& [name, cost] : other.costs) costs[name] += cost;
  for (const auto& [variable, absence] : other.absences) {
    Absences& sum = absences[variable];
    sum.parts += absence.parts;
    sum.partial_parts += absence.partial_parts;
    sum.samples += absence.samples;
  }
}

std::vector<RunReport::Series> RunReport::series() const {
  std::map<std::string, std::vector<double>> latencies;
  std::map<std::string, Series> by_name;
  for (const PublishedFile& file : files) {
    Series& one = by_name[file.series];
    one.name = file.series;
    ++one.published;
    one.records += file.records;
    latencies[file.series].push_back(file.latency_s);
  }
  std::vector<Series> all;
  for (auto& [name, one] : by_name) {
    std::vector<double>& sorted = latencies[name];
    std::ranges::sort(sorted);
    const std::size_t half = sorted.size() / 2;
    one.median_latency_s = sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    one.most_latency_s = sorted.back();
    all.push_back(one);
  }
  return all;
}

std::vector<PublishedFile> RunReport::sorted_files() const {
  std::vector<PublishedFile> sorted = files;
  std::ranges::sort(sorted, comes_before);
  return sorted;
}

std::vector<RunReport::NamedCost> RunReport::sorted_costs() const {
  std::vector<NamedCost> sorted(costs.begin(), costs.end());
  std::ranges::stable_sort(sorted, std::ranges::greater(),
                           [](const NamedCost& named) { return named.second.time; });
  return sorted;
}

std::vector<RunReport::Wait> RunReport::sorted_waits() const {
  std::vector<Wait> sorted = waits;
  std::ranges::stable_sort(sorted, std::ranges::greater(), &Wait::lasted_s);
  return sorted;
}

std::vector<std::string> RunReport::all_warnings() const {
  std::vector<std::string> texts = warnings;
  const auto parts = [](std::int64_t count) {
    return std::to_string(count) + (count == 1 ? " part" : " parts") + " of its records";
  };
  for (const auto& [variable, absence] : absences) {
    if (absence.parts > 0) {
      texts.push_back(variable + " holds missing values in " + parts(absence.parts) +
                      ": a field was not put, or a diagnostic gave no value");
    }
    if (absence.partial_parts > 0) {
      texts.push_back(variable + " is made of fewer samples in " + parts(absence.partial_parts) + ": " +
                      std::to_string(absence.samples) +
                      (absence.samples == 1 ? " sample was" : " samples were") + " absent, the others count");
    }
  }
  return texts;
}

void RunReport::encode_errors(Encoder& out) const {
  const std::size_t told = std::min(errors.size(), kMostErrorsTold);
  put_texts(out, {errors.begin(), errors.begin() + static_cast<std::ptrdiff_t>(told)});
  out.put(static_cast<std::uint64_t>(errors.size() - told));
}

RunReport RunReport::decode_errors(Decoder& in) {
  RunReport report;
  report.errors = get_texts(in);
  if (const auto others = in.get<std::uint64_t>(); others > 0)
    report.errors.push_back(std::to_string(others) + " more, which the report of the run has");
  return report;
}

std::string RunReport::error_text() const {
  std::string text;
  for (const std::string& error : errors) text += (text.empty() ? "" : "\n") + error;
  return text;
}

}  // namespace pileus
