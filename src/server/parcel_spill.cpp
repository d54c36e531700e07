#include "server/parcel_spill.h"

#include <unistd.h>

#include <bit>
#include <cstdio>
#include <utility>

#include "core/error.h"
#include "core/log.h"
#include "server/gate/run_memory.h"
#include "watch/wait_watch.h"

namespace pileus {
namespace {

std::string host() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "a host without a name";
}

std::unique_ptr<ScratchFile> open(const SpillConfig& config, ServerRank self, FileSystem& files) {
  try {
    return files.open_scratch(config.directory.value);
  } catch (const OutputError& error) {
    Findings findings;
    findings.error(config.directory.where,
                   "spill_directory: server " + std::to_string(self) + " on " + host() + ": " + error.what() +
                       "; name a folder that is there on the host of every server, and can be written to");
    throw ConfigError(findings);
  }
}

std::string mib(std::uint64_t bytes) {
  char text[64];
  std::snprintf(text, sizeof text, "%.1f MiB", static_cast<double>(bytes) / (1 << 20));
  return text;
}

/// The first, the second, the fourth …: a run may spill now and again as long as it lasts.
bool is_said_in_log(std::uint64_t times) { return std::has_single_bit(times); }

}  // namespace

ParcelSpill::ParcelSpill(const Config& config, const RunMemory& memory, const ServerState& state,
                         Executor& disk, const News& news, ParcelReader& reader, Gauge& parcel_bytes,
                         OpenSteps& steps)
    : state_(state),
      news_(news),
      directory_(config.spill->directory.value),
      spill_(open(*config.spill, state.settings.self, state.files),
             {static_cast<std::uint64_t>(config.spill->limit_bytes), most_spilled_messages(config)}, disk),
      spilling_{spill_, most_early_bytes(memory, state.settings.self),
                [&](ClientRank client, std::shared_ptr<const Message> message, bool was_read) {
                  return parcel_again(reader, client, std::move(message), was_read, parcel_bytes, steps);
                }} {}

void ParcelSpill::lay_aside_for(Analysis& analysis) {
  analysis_ = &analysis;
  analysis.lay_early_aside(spilling_);
}

bool ParcelSpill::poll() {
  const bool has_moved = take_notice();
  if (has_moved) analysis_->go_on();
  look();
  return has_moved;
}

bool ParcelSpill::take_notice() {
  try {
    return spill_.poll();
  } catch (const OutputError& error) {
    throw OutputError(std::string("what was spilled is lost: ") + error.what());
  }
}

void ParcelSpill::look() {
  if (spill_.figures().failures > failures_seen_) note_failure();
  if (spill_.waiting() > 0 && !since_) begin();
  if (spill_.waiting() == 0 && since_) finish();
}

void ParcelSpill::begin() {
  since_ = state_.now();
  ++times_;
  const std::int64_t step = spill_.figures().first_step;
  if (is_said_in_log(times_)) {
    log::warning("spilling from step " + std::to_string(step) + " on: the memory of server " +
                 std::to_string(state_.settings.self) +
                 " is full, so what its model ranks hand over goes to " + directory_);
  }
  news_.spilling(step, directory_);
}

void ParcelSpill::finish() {
  const Spill::Figures& figures = spill_.figures();
  const double lasted_s = std::chrono::duration<double>(state_.now() - *since_).count();
  const std::uint64_t bytes = figures.bytes - std::exchange(told_bytes_, figures.bytes);
  const std::uint64_t parcels = figures.messages - std::exchange(told_messages_, figures.messages);
  if (is_said_in_log(times_)) {
    log::info("server " + std::to_string(state_.settings.self) +
              " has taken all that was spilled: " + std::to_string(parcels) + " parcels of steps " +
              std::to_string(figures.first_step) + " to " + std::to_string(figures.last_step) + ", " +
              mib(bytes) + ", after " + in_seconds(lasted_s) + " s");
  }
  news_.spilled({figures.first_step, figures.last_step, static_cast<std::int64_t>(parcels),
                 static_cast<std::int64_t>(bytes), lasted_s});
  since_.reset();
}

/// Messages that were on their way fail together.
void ParcelSpill::note_failure() {
  failures_seen_ = spill_.figures().failures;
  ++times_failed_;
  const std::string why =
      spill_.figures().last_failure + "; the model waits for memory until what is there has been taken";
  if (is_said_in_log(times_failed_)) log::warning("nothing more is spilled: " + why);
  news_.spill_failed(why);
}

void ParcelSpill::add_to(ServerFigures& figures) const {
  figures.spilled_parcels = static_cast<std::int64_t>(spill_.figures().messages);
  figures.spilled_bytes = static_cast<std::int64_t>(spill_.figures().bytes);
  figures.most_spilled_bytes = static_cast<std::int64_t>(spill_.figures().most_bytes);
}

std::vector<std::string> ParcelSpill::failure_texts() const {
  if (times_failed_ == 0) return {};
  return {"server " + std::to_string(state_.settings.self) + " could not spill " +
          std::to_string(times_failed_) + (times_failed_ == 1 ? " time" : " times") +
          ", and the model waited for memory instead: " + spill_.figures().last_failure};
}

}  // namespace pileus
