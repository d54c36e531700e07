#include "publishing/owner/owned_files.h"

#include <algorithm>
#include <utility>

namespace pileus {

OpenFile::OpenFile(const FileDefinition& definition)
    : planned(definition),
      written(definition.axes.size(), 0),
      marks(definition.axes.size()),
      time_offsets(definition.axes.size()),
      bounds_offsets(definition.axes.size()),
      attributes(definition.attributes) {
  history.chunks.resize(definition.variables.size());
  history.ends.resize(definition.axes.size());
  history.bytes.resize(definition.axes.size());
}

std::vector<Index> OpenFile::records() const {
  std::vector<Index> records;
  for (const auto& of_axis : marks) records.push_back(static_cast<Index>(of_axis.size()));
  return records;
}

OwnedFiles::OwnedFiles(const Plan& plan, ServerRank self, const FileNames& names,
                       std::vector<std::vector<ServerRank>> writers, const OwnerMeans& means,
                       const std::map<VariableId, std::string>& holes, const ContinuedFiles* continued)
    : plan_(plan),
      self_(self),
      names_(names),
      writers_of_(std::move(writers)),
      means_(means),
      continued_(continued) {
  for (std::size_t f = 0; f < plan.files.size(); ++f) {
    if (plan.files[f].owner != self) continue;
    const FileDefinition& definition =
        definitions_.emplace(FileId(f), file_definition(plan, FileId(f), names.run(), holes)).first->second;
    for (const FileVariable& variable : definition.variables) {
      std::vector<Index> extents;
      for (std::uint32_t d : variable.dimensions) extents.push_back(definition.dimensions[d].size);
      const bool is_packed = variable.compression.is_packed();
      chunk_counts_[FileId(f)].push_back(
          is_packed ? means.format.packed_regions(extents, variable.type, variable.compression).size() : 0);
    }
  }
  if (!continued_) return;
  for (const auto& [file, series] : continued_->series) {
    if (plan[file].owner != self) continue;
    if (series.last_period) last_period_[file] = *series.last_period;
    published_[file] = series.published;
    lost_[file] = series.failed;
  }
}

std::size_t OwnedFiles::packed_chunks(FileId file, std::uint32_t axis) const {
  const auto& variables = definition(file).variables;
  std::size_t count = 0;
  for (std::size_t v = 0; v < variables.size(); ++v) {
    if (variables[v].axis == axis) count += chunk_counts_.at(file)[v];
  }
  return count;
}

OpenFile& OwnedFiles::open(FilePeriod key) {
  const FileDefinition& defined = definition(key.file);
  const auto [found, is_new] = open_.try_emplace(key, defined);
  OpenFile& file = found->second;
  if (!is_new) return file;
  file.library = std::make_shared<LibraryFile>(means_.files, defined.axes.size());
  file.lane = std::make_shared<FileLane>(key, FileLane::Threads{means_.home, &means_.library, means_.writers},
                                         means_.full);
  // The window in progress at the end may open a period before the last one.
  const auto last = last_period_.try_emplace(key.file, key.period).first;
  last->second = std::max(last->second, key.period);
  return file;
}

OpenFile* OwnedFiles::find(FilePeriod key) {
  const auto found = open_.find(key);
  return found == open_.end() ? nullptr : &found->second;
}

void OwnedFiles::add_published(FilePeriod key, std::int64_t closed_through) {
  published_[key.file].add(key.period);
  join_over_skipped(key.file, closed_through);
}

void OwnedFiles::add_lost(FilePeriod key, std::int64_t closed_through) {
  lost_[key.file].add(key.period);
  join_over_skipped(key.file, closed_through);
}

/// Periods that the clock has passed without a file count with those beside them, as nobody asks for them.
void OwnedFiles::join_over_skipped(FileId file, std::int64_t closed_through) {
  const auto is_skipped = [&](const Periods& others, std::int64_t first, std::int64_t last) {
    const auto open = open_.lower_bound({file, first});
    const bool is_under_way = open != open_.end() && open->first.file == file && open->first.period <= last;
    return last <= closed_through && !is_under_way && !others.contains_any(first, last);
  };
  Periods &published = published_[file], &lost = lost_[file];
  published.join_where([&](std::int64_t first, std::int64_t last) { return is_skipped(lost, first, last); });
  lost.join_where([&](std::int64_t first, std::int64_t last) { return is_skipped(published, first, last); });
}

bool OwnedFiles::is_lost(FilePeriod key) const {
  const auto found = lost_.find(key.file);
  return found != lost_.end() && found->second.contains(key.period);
}

bool OwnedFiles::is_over(FilePeriod key) const {
  return is_lost(key) || (continued_ != nullptr && continued_->is_over(key));
}

bool OwnedFiles::has_published(FileId file) const {
  const auto found = published_.find(file);
  return found != published_.end() && !found->second.ranges().empty();
}

bool OwnedFiles::is_held_back(FilePeriod key) const {
  if (!plan_[key.file].keeps_newest) return false;
  const auto read = read_.lower_bound({key.file, INT64_MIN});
  const bool is_name_read = read != read_.end() && read->file == key.file;
  if (is_name_read || first_open_period(key.file) < key.period) return true;
  for (auto later = open_.find(key); later != open_.end() && later->first.file == key.file; ++later) {
    if (later->second.before != nullptr) return true;
  }
  return false;
}

std::int64_t OwnedFiles::last_period(FileId file) const {
  const auto found = last_period_.find(file);
  return found == last_period_.end() ? INT64_MIN : found->second;
}

std::int64_t OwnedFiles::first_open_period(FileId file) const {
  const auto first = open_.lower_bound({file, INT64_MIN});
  return first == open_.end() || first->first.file != file ? INT64_MAX : first->first.period;
}

std::int64_t OwnedFiles::first_lost_period(FileId file) const {
  const auto found = lost_.find(file);
  const bool has_some = found != lost_.end() && !found->second.ranges().empty();
  return has_some ? found->second.ranges().begin()->first : INT64_MAX;
}

SeriesState OwnedFiles::series_state(FileId file) const {
  SeriesState state;
  state.names = series_text(plan_[file]);
  state.definition = definition_hash(definition(file));
  if (last_period_.contains(file)) state.last_period = last_period_.at(file);
  if (const auto found = published_.find(file); found != published_.end()) state.published = found->second;
  if (const auto found = lost_.find(file); found != lost_.end()) state.failed = found->second;
  return state;
}

std::size_t OwnedFiles::held_ranges() const {
  std::size_t count = 0;
  for (const auto* by_file : {&published_, &lost_}) {
    for (const auto& [file, periods] : *by_file) count += periods.ranges().size();
  }
  return count;
}

}  // namespace pileus
