#include "publishing/owner/file_cuts.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "publishing/owner/selected_records.h"

namespace pileus {

void FileCuts::begin(std::int64_t step, std::map<FileId, SeriesState> series,
                     std::map<FilePeriod, Wanted> files) {
  Open& cut = open_[step];
  cut.series = std::move(series);
  std::vector<Cut> asked;
  for (auto& [file, wanted] : files) {
    asked.push_back({file, step, wanted.counts});
    cut.waiting[file].wanted = std::move(wanted);
  }
  for (const Cut& ask : asked) writers_.cut(ask);
  finish_if_through(step);
}

void FileCuts::writer_synced(const CutSynced& synced, const FileHistory* history) {
  const auto cut = open_.find(synced.step);
  if (cut == open_.end()) return;
  const auto found = cut->second.waiting.find(synced.file);
  if (found == cut->second.waiting.end() || found->second.wanted.writers == 0) return;
  Wanted& wanted = found->second.wanted;
  wanted.state.missing.insert(wanted.state.missing.end(), synced.missing.begin(), synced.missing.end());
  if (!synced.part.name.empty()) wanted.state.parts.push_back(synced.part);
  for (const ComparedChunk& one : synced.compared)
    wanted.compared.push_back(entry_of(plan_[synced.file.file], synced.file.period, one));
  if (--wanted.writers > 0) return;
  if (const auto published = found->second.published) {
    owner_synced(synced.step, synced.file, *published);
    forget(synced.file);
  } else if (history) {
    progressed(synced.file, *history);
  }
}

void FileCuts::progressed(FilePeriod file, const FileHistory& history) {
  for (std::int64_t step : steps()) {
    const auto found = open_.at(step).waiting.find(file);
    if (found == open_.at(step).waiting.end()) continue;
    Waiting& waiting = found->second;
    const bool is_written = history.layouts.size() >= waiting.wanted.changes;
    if (waiting.is_syncing || waiting.wanted.writers > 0 || !is_written) continue;
    waiting.is_syncing = true;
    keeper_.sync(step, file, std::vector(waiting.wanted.counts));
  }
}

void FileCuts::owner_synced(std::int64_t step, FilePeriod file, const FileHistory& history) {
  const auto cut = open_.find(step);
  if (cut == open_.end() || !cut->second.waiting.contains(file)) return;
  through(cut->second, file, history);
  finish_if_through(step);
}

void FileCuts::published(FilePeriod file, const FileHistory& history) {
  for (std::int64_t step : steps()) {
    const auto found = open_.at(step).waiting.find(file);
    if (found == open_.at(step).waiting.end()) continue;
    if (found->second.wanted.writers == 0) {
      owner_synced(step, file, history);
    } else {
      found->second.published = history;
    }
  }
}

void FileCuts::failed(FilePeriod file) {
  for (std::int64_t step : steps()) {
    Open& cut = open_.at(step);
    if (cut.waiting.erase(file) > 0) cut.series[file.file].failed.add(file.period);
    finish_if_through(step);
  }
}

bool FileCuts::is_waiting_for(FilePeriod file) const {
  return std::ranges::any_of(open_, [&](const auto& cut) { return cut.second.waiting.contains(file); });
}

void FileCuts::through(Open& cut, FilePeriod file, const FileHistory& history) {
  Wanted wanted = std::move(cut.waiting.at(file).wanted);
  cut.waiting.erase(file);
  FileUnderWay& state = wanted.state;
  const PlannedFile& planned = plan_[file.file];
  for (std::size_t v = 0; v < history.chunks.size(); ++v) {
    const auto axis = std::ranges::find(planned.schedules, plan_[planned.variables[v]].schedule);
    const Index records = wanted.counts[static_cast<std::size_t>(axis - planned.schedules.begin())];
    const std::vector<ChunkLayout>& all = history.chunks[v];
    const auto count = static_cast<std::ptrdiff_t>(wanted.chunks_of_record[v]) * records;
    state.chunks.emplace_back(all.begin(), all.begin() + count);
  }
  state.layout = wanted.changes == 0 ? 0 : history.layouts[wanted.changes - 1];
  for (std::size_t axis = 0; axis < wanted.counts.size(); ++axis) {
    for (Index record = 0; record < wanted.counts[axis]; ++record) {
      state.needed_bytes = std::max(state.needed_bytes, history.ends[axis][static_cast<std::size_t>(record)]);
    }
  }
  std::vector<std::size_t> next(wanted.counts.size(), 0);
  for (KeptRecord& record : state.records)
    record.bytes = history.bytes.at(record.axis).at(next.at(record.axis)++);
  cut.entries.push_back(entry_of(planned, file.period, state));
  std::ranges::move(wanted.compared, std::back_inserter(cut.entries));
  kept_.insert(file);
}

void FileCuts::finish_if_through(std::int64_t step) {
  const auto found = open_.find(step);
  if (!found->second.waiting.empty()) return;
  Open cut = std::move(found->second);
  open_.erase(found);
  for (const auto& [file, state] : cut.series) cut.entries.push_back(entry_of(plan_[file], state));
  keeper_.keep(step, std::move(cut.entries));
}

std::vector<std::int64_t> FileCuts::steps() const {
  std::vector<std::int64_t> steps;
  for (const auto& [step, cut] : open_) steps.push_back(step);
  return steps;
}

std::string FileCuts::text(std::int64_t step, FilePeriod file, const Waiting& waiting) const {
  const std::size_t writers = waiting.wanted.writers;
  const std::string what = writers == 0   ? "the disk"
                           : writers == 1 ? "1 server to write its part"
                                          : std::to_string(writers) + " servers to write their parts";
  return "the state after step " + std::to_string(step) + " waits for " + what + " of " +
         plan_[file.file].name + ", period " + std::to_string(file.period);
}

std::vector<std::string> FileCuts::open_texts() const {
  std::vector<std::string> texts;
  for (const auto& [step, cut] : open_) {
    for (const auto& [file, waiting] : cut.waiting) texts.push_back(text(step, file, waiting));
  }
  return texts;
}

std::vector<Wait> FileCuts::waits() const {
  std::map<FileId, Wait> by_file;
  for (const auto& [step, cut] : open_) {
    for (const auto& [file, waiting] : cut.waiting) {
      Wait& wait = by_file[file.file];
      if (wait.numbers.empty())
        wait = {"the state of " + plan_[file.file].name, {}, text(step, file, waiting)};
      if (wait.numbers.empty() || wait.numbers.back() != step) wait.numbers.push_back(step);
    }
  }
  std::vector<Wait> waits;
  for (auto& [file, wait] : by_file) waits.push_back(std::move(wait));
  return waits;
}

}  // namespace pileus
