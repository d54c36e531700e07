#include "publishing/owner/selected_records.h"

#include <utility>

#include "core/encoder.h"

namespace pileus {

StateEntry entry_of(const PlannedFile& file, std::int64_t period, const ComparedChunk& chunk) {
  StateEntry entry{kComparedKind, file_key(file, period), {}, {}};
  Encoder out(entry.bytes);
  put(out, chunk);
  return entry;
}

ComparedChunks compared_chunks(const StateEntries& entries, const PlannedFile& file, std::int64_t period) {
  ComparedChunks out;
  for (const StateEntry& entry : entries.find(kComparedKind, file_key(file, period))) {
    Decoder in(entry.bytes);
    ComparedChunk one = get_compared(in);
    const std::pair place(one.variable, one.chunk);
    out.insert_or_assign(place, std::move(one));
  }
  return out;
}

/// The first record of a file is written, whatever it is. In a run that continues, the chunks that the file
/// has say which record was the last one.
double SelectedRecords::last_written_s(FilePeriod key, std::uint32_t variable, Index before) const {
  const OpenFile& file = book_.at(key);
  const auto& all = file.before ? file.before->chunks : file.history.chunks;
  const std::size_t of_record = book_.chunk_counts(key.file)[variable];
  Index last = before == 0 ? 0 : before - 1;
  while (last > 0 && all.at(variable).at(static_cast<std::size_t>(last) * of_record).size_bytes == 0) --last;
  const std::uint32_t axis = book_.definition(key.file).variables[variable].axis;
  return file.marks[axis].at(static_cast<std::size_t>(last)).time_s;
}

void SelectedRecords::add_record(FilePeriod key, std::uint32_t axis, Index record) {
  const Plan& plan = book_.plan();
  const auto& variables = book_.definition(key.file).variables;
  for (std::uint32_t v = 0; v < variables.size(); ++v) {
    const auto& write_if = plan[plan[key.file].variables[v]].storage.write_if;
    if (variables[v].axis != axis || !write_if) continue;
    if (write_if->is_per_chunk) {
      Progress progress{key, axis, 0, 0};
      progress.decided.push_back(
          {v, record, false, book_.at(key).marks[axis].at(static_cast<std::size_t>(record)).time_s});
      writers_.progress(progress);
      continue;
    }
    Series& series = files_[key][v];  // chunks may have come before
    if (!std::exchange(series.is_begun, true)) series.written_s = last_written_s(key, v, record);
    if (record == 0) continue;
    const double time_s = book_.at(key).marks[axis].at(static_cast<std::size_t>(record)).time_s;
    series.records.emplace_back(record, time_s);
    decide(key, v, series);
  }
}

void SelectedRecords::add(const PackedPart& compared) {
  const FilePeriod key = compared.file;
  Series& series = files_[key][compared.variable];
  Counted& record = series.counted[compared.record];
  if (record.chunks.insert(compared.chunk).second) record.difference += *compared.difference;
  decide(key, compared.variable, series);
}

void SelectedRecords::decide(FilePeriod key, std::uint32_t variable, Series& series) {
  const Plan& plan = book_.plan();
  const WriteIf& limit = *plan[plan[key.file].variables[variable]].storage.write_if;
  const FileDefinition& definition = book_.definition(key.file);
  const std::uint32_t axis = definition.variables[variable].axis;
  const Index together = format_.records_of_stretch(definition, axis);
  while (!series.records.empty()) {
    const auto [record, time_s] = series.records.front();
    const auto counted = series.counted.find(record);
    if (counted == series.counted.end() ||
        counted->second.chunks.size() < book_.chunk_counts(key.file)[variable])
      return;
    const bool is_due = limit.at_least_every_s > 0 && time_s - series.written_s >= limit.at_least_every_s;
    const bool begins = together > 0 && record % together == 0;
    const bool is_written = is_due || begins || is_beyond(counted->second.difference, limit);
    if (is_written) series.written_s = time_s;
    series.counted.erase(counted);
    series.records.pop_front();
    Progress progress{key, axis, 0, 0};
    progress.decided.push_back({variable, record, is_written});
    writers_.progress(progress);
  }
}

}  // namespace pileus
