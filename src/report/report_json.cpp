// The report of a run for programs.

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

#include "report/advice.h"
#include "report/report.h"

namespace pileus {
namespace {

using Json = nlohmann::ordered_json;

Json of(const RunReport::Client& client) {
  return {{"rank", client.rank},
          {"wall_s", client.end.wall_s},
          {"inside_s", client.end.inside_s},
          {"put_s", client.end.put_s},
          {"waiting_s", client.end.waiting_s},
          {"bytes", client.end.bytes},
          {"lent_bytes", client.end.lent_bytes},
          {"taken_back_bytes", client.end.taken_back_bytes},
          {"loan_waiting_s", client.end.loan_waiting_s},
          {"input_waiting_s", client.end.input_waiting_s},
          {"steps", client.end.steps},
          {"is_broken_off", client.end.is_broken_off != 0}};
}

Json of(const Traffic& traffic) { return {{"messages", traffic.messages}, {"bytes", traffic.bytes}}; }

Json of(const TrafficByKind& kinds) {
  Json all = Json::object();
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    if (kinds[kind].messages > 0) all[std::string(kServerFrameNames[kind])] = of(kinds[kind]);
  }
  return all;
}

Json of(const ServerFigures& server) {
  return {{"server", server.server},
          {"workers", server.workers},
          {"is_attached", server.is_attached != 0},
          {"wall_s", server.wall_s},
          {"idle_s", server.idle_s},
          {"analysis_s", server.analysis_s},
          {"messages_s", server.messages_s},
          {"writing_s", server.writing_s},
          {"after_model_s", server.after_model_s},
          {"most_parcel_bytes", server.most_parcel_bytes},
          {"window_bytes", server.window_bytes},
          {"most_record_bytes", server.most_record_bytes},
          {"spilled_parcels", server.spilled_parcels},
          {"spilled_bytes", server.spilled_bytes},
          {"most_spilled_bytes", server.most_spilled_bytes},
          {"most_tasks", server.most_tasks},
          {"most_memory_bytes", server.most_memory_bytes},
          {"memory_at_start_bytes", server.memory_at_start_bytes},
          {"messages", server.messages},
          {"message_bytes", server.message_bytes},
          {"to_servers", of(server.to_servers)},
          {"from_model", of(server.from_model)},
          {"inputs", of(server.of_inputs)}};
}

Json of(const RunReport::Series& series) {
  return {{"name", series.name},
          {"published", series.published},
          {"records", series.records},
          {"median_latency_s", series.median_latency_s},
          {"most_latency_s", series.most_latency_s}};
}

Json of(const PublishedFile& file) {
  return {{"path", file.path}, {"records", file.records}, {"latency_s", file.latency_s}};
}

Json of(const RunReport::NamedCost& named) {
  return {{"name", named.first}, {"runs", named.second.runs}, {"time_s", named.second.seconds()}};
}

Json of(const RunReport::Wait& wait) {
  return {{"server", wait.server},
          {"for", wait.text},
          {"lasted_s", wait.lasted_s},
          {"since", wait.since},
          {"has_come", wait.has_come != 0}};
}

Json of(const RunReport::Overloads& all, const std::map<std::string, std::int64_t>& dropped) {
  Json overloads = {{"times", all.times}, {"all_s", all.all_s}, {"longest_s", all.longest_s}};
  if (all.times > 0) {
    overloads["longest_since"] = all.longest_since;
    overloads["longest_first_step"] = all.longest_first_step;
    overloads["longest_server"] = all.longest_server;
  }
  Json records = Json::object();
  for (const auto& [series, count] : dropped) records[series] = count;
  overloads["dropped_records"] = std::move(records);
  return overloads;
}

template <class T>
Json all_of(const std::vector<T>& many) {
  Json all = Json::array();
  for (const T& one : many) all.push_back(of(one));
  return all;
}

/// One line for each column, as programs draw them and nobody reads them.
std::string timeline_text(const RunReport::ServerTimeline& timeline) {
  std::string out = "    {\n      \"server\": " + std::to_string(timeline.server);
  for (const TimelineColumn& column : kTimelineColumns) {
    out += ",\n      \"" + std::string(column.name) + "\": [";
    for (const TimelinePoint& point : timeline.points) {
      char number[64];
      std::snprintf(number, sizeof number, "%.*f", column.decimals, point.*column.value);
      out += (&point == timeline.points.data() ? "" : ", ") + std::string(number);
    }
    out += "]";
  }
  return out + "\n    }";
}

std::string timelines_text(std::vector<RunReport::ServerTimeline> timelines) {
  std::ranges::sort(timelines, {}, &RunReport::ServerTimeline::server);
  std::string out;
  for (const RunReport::ServerTimeline& timeline : timelines)
    out += (out.empty() ? "\n" : ",\n") + timeline_text(timeline);
  return "[" + out + (out.empty() ? "]" : "\n  ]");
}

}  // namespace

std::string RunReport::json() const {
  std::vector<std::string> warned = all_warnings();
  warned.insert(warned.end(), logged_warnings.begin(), logged_warnings.end());
  std::vector<Client> ranks = clients;
  std::ranges::sort(ranks, {}, &Client::rank);
  std::vector<ServerFigures> by_number = servers;
  std::ranges::sort(by_number, {}, &ServerFigures::server);
  const Json all = {{"pileus", PILEUS_VERSION},
                    {"component", component},
                    {"errors", errors},
                    {"warnings", warned},
                    {"model_ranks", all_of(ranks)},
                    {"servers", all_of(by_number)},
                    {"files", all_of(series())},
                    {"published", all_of(sorted_files())},
                    {"analysis", all_of(sorted_costs())},
                    {"waits", all_of(sorted_waits())},
                    {"overloads", of(overloads, dropped)},
                    {"advice", advice(*this)}};
  // A name may hold any bytes; what is not UTF-8 is marked, for this is read after everything else is over.
  std::string text = all.dump(2, ' ', false, Json::error_handler_t::replace);
  text.erase(text.rfind("\n}"));
  return text + ",\n  \"timelines\": " + timelines_text(timelines) + "\n}\n";
}

}  // namespace pileus
