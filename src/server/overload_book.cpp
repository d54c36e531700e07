#include "server/overload_book.h"

#include <algorithm>
#include <bit>
#include <cstdio>

#include "core/log.h"
#include "server/wiring.h"
#include "watch/wait_watch.h"

namespace pileus {
namespace {

std::string at(const Step& step) {
  char time[32];
  std::snprintf(time, sizeof time, "%.10g", step.time);
  return "step " + std::to_string(step.done()) + " (" + time + " s)";
}

std::string records(std::int64_t count) {
  return std::to_string(count) + (count == 1 ? " record" : " records");
}

}  // namespace

void OverloadBook::look(const std::optional<ServerRank>& overloaded, const Step& step) {
  step_ = step;
  if (overloaded && !now_) begin(*overloaded, step);
  if (!overloaded && now_) finish();
}

/// The first, the second, the fourth …: a run may be overloaded now and again as long as it lasts.
bool OverloadBook::is_said_in_log() const {
  return std::has_single_bit(static_cast<std::uint64_t>(all_.times));
}

std::string OverloadBook::what_becomes_of_records() const {
  std::string thinned, dropped;
  for (const PlannedFile& file : state_.wiring->plan.files) {
    if (!file.drops_records()) continue;
    std::string& names = file.when_memory_full == WhenMemoryFull::thin ? thinned : dropped;
    names += (names.empty() ? "" : ", ") + file.name;
  }
  std::string text;
  if (!thinned.empty()) text += "; every second record of " + thinned + " is left out";
  if (!dropped.empty()) text += "; no record of " + dropped + " is written";
  const auto& spill = state_.wiring->config.spill;
  const std::string rest = spill ? "; what the model hands over is spilled to " + spill->directory.value
                                 : "; the model waits for memory";
  return text.empty() ? rest : text + " until there is memory" + (spill ? rest : "");
}

void OverloadBook::begin(ServerRank server, const Step& step) {
  now_ = Now{server, step, state_.now(), {}};
  ++all_.times;
  const std::string why =
      "server " + std::to_string(server) + " is behind, and its memory is full" + what_becomes_of_records();
  if (is_said_in_log()) log::warning("overloaded from " + at(step) + " on: " + why);
  state_.wiring->news.overloaded(server, step, why);
}

void OverloadBook::note_dropped(const Step& step, const DroppedAxes& axes) {
  for (const DroppedAxes::Axis& one : axes.axes()) {
    const FileId file = state_.wiring->plan[one.axis].file;
    ++dropped_[file];
    if (!now_) continue;
    Dropped& dropped = now_->dropped[file];
    if (dropped.records++ == 0) dropped.first_s = step.time;
    dropped.last_s = step.time;
  }
}

void OverloadBook::finish() {
  const double lasted_s = std::chrono::duration<double>(state_.now() - now_->since).count();
  std::string left_out;
  std::int64_t count = 0;
  for (const auto& [file, dropped] : now_->dropped) {
    const std::string& name = state_.wiring->plan[file].name;
    left_out += (left_out.empty() ? "; left out: " : ", ") + records(dropped.records) + " of " + name;
    count += dropped.records;
    state_.wiring->news.dropped(file, dropped.records, dropped.first_s, dropped.last_s);
  }
  if (is_said_in_log())
    log::info("the overload is over at " + at(step_) + ", after " + in_seconds(lasted_s) + " s" + left_out);
  state_.wiring->news.overload_over(now_->server, step_, lasted_s, count);
  all_.all_s += lasted_s;
  if (lasted_s > all_.longest_s || all_.longest_since.empty()) {
    all_.longest_s = lasted_s;
    all_.longest_since = time_of_day(lasted_s);
    all_.longest_first_step = now_->began.done();
    all_.longest_server = now_->server;
  }
  now_.reset();
}

void OverloadBook::end() {
  if (now_) finish();
}

void OverloadBook::add_to(RunReport& report) const {
  report.overloads = all_;
  for (const auto& [file, count] : dropped_) report.dropped[state_.wiring->plan[file].name] += count;
}

}  // namespace pileus
