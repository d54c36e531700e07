#include "report/event_log.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>

#include "core/error_text.h"
#include "core/log.h"

namespace pileus {
namespace {

using Json = nlohmann::ordered_json;

/// "2026-11-21T18:40:01.123Z"
std::string now_text() {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char day[32], text[48];
  std::strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &utc);
  std::snprintf(text, sizeof text, "%s.%03dZ", day, static_cast<int>(since % 1000));
  return text;
}

Json begin(const char* event) { return {{"event", event}, {"at", now_text()}}; }

/// A number that is none is null in JSON. A name may hold any bytes; what is not UTF-8 is marked.
std::string line(const Json& event) {
  return event.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string path_of(const RunDescription& run, ServerRank self) {
  if (self != 0 || run.events.empty() || run.events.front() == '/') return self == 0 ? run.events : "";
  return run.directory + "/" + run.events;
}

/// `said`, and behind it what `more` has.
Json joined(Json said, const Json& more) {
  said.update(more);
  return said;
}

Json of_file(const Plan& plan, const char* what, const Event& event) {
  return joined(begin(what), {{"file", event.path}, {"series", plan[event.file].name}});
}

Json of_period(const Plan& plan, const char* what, const Event& event) {
  return joined(of_file(plan, what, event), {{"period", event.period}});
}

Json said_of_published(const Plan& plan, const Event& event) {
  Json said = joined(of_period(plan, "published", event), {{"records", event.records},
                                                           {"first_record_s", event.first_record_s},
                                                           {"last_record_s", event.last_record_s},
                                                           {"publication", event.publication},
                                                           {"latency_s", event.lasted_s},
                                                           {"complete_through_s", event.complete_through_s}});
  if (event.dropped > 0) said["dropped_records"] = event.dropped;
  if (!event.text.empty()) said["missing"] = event.text;
  return said;
}

/// Null for what is no line.
Json said_of(const Plan& plan, const Event& event) {
  const Json why = {{"why", event.text}}, server = {{"server", event.server}},
             lasted = {{"lasted_s", event.lasted_s}}, step = {{"step", event.period}};
  switch (event.kind) {
    case Event::Kind::published: return said_of_published(plan, event);
    case Event::Kind::progressed: return {};
    case Event::Kind::skipped: return joined(of_period(plan, "skipped", event), why);
    case Event::Kind::late: return joined(joined(of_period(plan, "late", event), server), lasted);
    case Event::Kind::came:
    case Event::Kind::waiting: {
      const char* what = event.kind == Event::Kind::came ? "came" : "waiting";
      return joined(joined(joined(begin(what), server), lasted), {{"for", event.text}});
    }
    case Event::Kind::hook_failed:
      if (!event.file.is_valid()) return joined(begin("hook_failed"), why);
      return joined(joined(of_file(plan, "hook_failed", event), {{"publication", event.publication}}), why);
    case Event::Kind::checkpointed:
      return joined(joined(begin("checkpointed"), step),
                    {{"time_s", event.last_record_s}, {"checkpoint", event.path}});
    case Event::Kind::checkpoint_failed: return joined(joined(begin("checkpoint_failed"), step), why);
    case Event::Kind::disk_full: {
      const Json policy = {{"when_full", name(plan[event.file].when_full)}};
      return joined(joined(joined(of_period(plan, "disk_full", event), server), policy), why);
    }
    case Event::Kind::disk_has_space:
      return joined(joined(of_period(plan, "disk_has_space", event), server), lasted);
    case Event::Kind::overloaded:
      return joined(joined(joined(begin("overloaded"), server), step),
                    {{"time_s", event.last_record_s}, {"why", event.text}});
    case Event::Kind::overload_over:
      return joined(joined(joined(joined(begin("overload_over"), server), step), lasted),
                    {{"time_s", event.last_record_s}, {"dropped_records", event.records}});
    case Event::Kind::dropped:
      return joined(begin("dropped"), {{"series", plan[event.file].name},
                                       {"records", event.records},
                                       {"first_record_s", event.first_record_s},
                                       {"last_record_s", event.last_record_s}});
    case Event::Kind::spilling:
      return joined(joined(joined(begin("spilling"), server), step), {{"spill_directory", event.path}});
    case Event::Kind::spilled:
      return joined(joined(joined(begin("spilled"), server), lasted), {{"first_step", event.period},
                                                                       {"last_step", event.last_step},
                                                                       {"parcels", event.records},
                                                                       {"bytes", event.bytes}});
    case Event::Kind::spill_failed: return joined(joined(begin("spill_failed"), server), why);
    case Event::Kind::triggered:
      return joined(joined(begin("triggered"), {{"trigger", event.text}, {"is_on", event.records > 0}}),
                    joined(step, {{"time_s", event.last_record_s}}));
    case Event::Kind::happened:
      return joined(joined(begin("happened"), {{"word", event.text}}),
                    joined(step, {{"time_s", event.last_record_s}}));
    case Event::Kind::controlled: {
      Json said =
          joined(begin(event.path.empty() ? "controlled" : "control_refused"), {{"asked", event.text}});
      if (!event.path.empty()) said["why"] = event.path;
      return joined(joined(std::move(said), step), {{"time_s", event.last_record_s}});
    }
    case Event::Kind::stopping: return joined(begin("stopping"), why);
  }
  return {};
}

}  // namespace

EventLog::EventLog(const Plan& plan, const RunDescription& run, ServerRank self, WholeFiles& files,
                   Executor& writers)
    : plan_(plan),
      run_id_(run.identity.id),
      configuration_(run.configuration_name),
      continued_after_(run.model.common_of(0).continue_after),
      files_(files),
      path_(path_of(run, self)),
      strand_(writers),
      through_s_(plan.files.size(), -std::numeric_limits<double>::infinity()) {}

void EventLog::start() {
  if (!is_wanted()) return;
  Json event = begin("started");
  event["run"] = run_id_;
  event["pileus"] = PILEUS_VERSION;
  event["configuration"] = configuration_;
  event["model_ranks"] = plan_.layout.clients;
  event["servers"] = plan_.layout.servers;
  if (continued_after_) event["continued_after_step"] = *continued_after_;
  Json series = Json::array();
  for (const PlannedFile& file : plan_.files) series.push_back(file.name);
  event["series"] = std::move(series);
  write(line(event));
}

void EventLog::take(const Event& event) {
  if (event.kind == Event::Kind::skipped) lost_.emplace(event.path, event.text);
  if (is_wanted()) {
    if (const Json said = said_of(plan_, event); !said.is_null()) write(line(said));
  }
  if (event.kind != Event::Kind::published && event.kind != Event::Kind::progressed) return;
  double& through_s = through_s_[event.file.index];
  through_s = std::max(through_s, event.complete_through_s);
  grow_epoch();
}

double EventLog::epoch_s() const {
  const auto least = std::ranges::min_element(through_s_);
  return least == through_s_.end() ? -std::numeric_limits<double>::infinity() : *least;
}

std::vector<std::string> EventLog::slowest_series() const {
  std::vector<std::string> names;
  for (std::size_t f = 0; f < through_s_.size(); ++f) {
    if (through_s_[f] == epoch_s()) names.push_back(plan_.files[f].name);
  }
  return names;
}

void EventLog::grow_epoch() {
  if (!(epoch_s() > epoch_s_)) return;
  epoch_s_ = epoch_s();
  if (!is_wanted()) return;
  Json said = begin("epoch");
  said["complete_through_s"] = epoch_s_;
  said["held_back_by"] = slowest_series();
  write(line(said));
}

void EventLog::finish(const std::vector<std::string>& errors) {
  if (!is_wanted()) return;
  Json said = begin("finished");
  said["run"] = run_id_;
  said["status"] = errors.empty() ? "ok" : "errors";
  said["complete_through_s"] = epoch_s();
  Json lost = Json::array();
  for (const auto& [path, why] : lost_) lost.push_back(path);
  said["skipped_files"] = std::move(lost);
  said["errors"] = errors;
  append(line(said));
}

void EventLog::write(std::string text) {
  strand_.post([this, text = std::move(text)] { append(text); });
}

void EventLog::append(const std::string& text) {
  try {
    files_.append_lines(path_, text);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!problem_.empty()) return;
    problem_ = std::string("events are missing: ") + text_of_current_exception();
    log::warning(problem_);
  }
}

std::string EventLog::problem() const {
  const std::lock_guard lock(mutex_);
  return problem_;
}

}  // namespace pileus
