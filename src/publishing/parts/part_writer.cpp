#include "publishing/parts/part_writer.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/error_text.h"
#include "publishing/parts/write_parts.h"

namespace pileus {

PartWriter::PartWriter(const Plan& plan, Share share, FileSystem& files, Executor& writers, Hooks hooks,
                       FullDisks* full)
    : plan_(plan),
      share_(std::move(share)),
      files_(files),
      writers_(writers),
      hooks_(std::move(hooks)),
      full_(full),
      last_period_(plan.files.size(), INT64_MAX) {
  for (std::size_t v = 0; v < plan.variables.size(); ++v) {
    forms_.push_back(file_form(plan, VariableId(v)));
    chunks_here_.push_back(chunks_here(VariableId(v)));
  }
}

/// What this server makes of a record of the variable: chunks to compress, or all of it at once, or nothing.
std::vector<std::uint32_t> PartWriter::chunks_here(VariableId id) const {
  const FileId file = plan_[id].file;
  const auto& variables = plan_[file].variables;
  const auto place = static_cast<std::uint32_t>(std::ranges::find(variables, id) - variables.begin());
  std::vector<std::uint32_t> here;
  if (!is_packed(place, file)) {
    if (parts_expected(place, file) > 0) here.push_back(0);
    return here;
  }
  const auto& chunks = share_.packing->chunks(id);
  for (std::uint32_t chunk = 0; chunk < chunks.size(); ++chunk) {
    if (chunks[chunk].packer == share_.self) here.push_back(chunk);
  }
  return here;
}

const std::vector<std::uint32_t>& PartWriter::chunks_here(std::uint32_t variable, FileId file) const {
  return chunks_here_[plan_[file].variables[variable].index];
}

bool PartWriter::is_distributed(std::uint32_t variable, FileId file) const {
  return plan_[plan_[plan_[file].variables[variable]].value].spread == Spread::distributed;
}

bool PartWriter::is_packed(std::uint32_t variable, FileId file) const {
  return plan_[plan_[file].variables[variable]].storage.deflate > 0;
}

/// Whether the part of the model rank belongs to the piece.
bool PartWriter::has_part(const Piece& piece, FileId file, ClientRank client) const {
  if (is_packed(piece.variable, file)) {
    return share_.packing->has_part(plan_[file].variables[piece.variable], piece.chunk, client);
  }
  return std::ranges::binary_search(share_.clients, client);
}

/// A part that was filled is named once, though several servers compress chunks of it: with the first of
/// these.
bool PartWriter::is_named_by(const Piece& piece, FileId file, ClientRank client) const {
  for (std::uint32_t chunk = 0; chunk < piece.chunk; ++chunk) {
    if (has_part({piece.variable, piece.record, chunk}, file, client)) return false;
  }
  return true;
}

std::size_t PartWriter::axis_of(std::uint32_t variable, FileId file) const {
  const PlannedFile& planned = plan_[file];
  const ScheduleId schedule = plan_[planned.variables[variable]].schedule;
  return static_cast<std::size_t>(std::ranges::find(planned.schedules, schedule) - planned.schedules.begin());
}

std::size_t PartWriter::parts_expected(std::uint32_t variable, FileId file, std::uint32_t chunk) const {
  if (is_packed(variable, file)) {
    const auto& found = share_.packing->chunks(plan_[file].variables[variable])[chunk];
    return found.packer == share_.self ? found.part_count : 0;
  }
  const bool is_owner = share_.is_owner[file.index];
  if (!is_distributed(variable, file)) return is_owner ? 1 : 0;
  return is_owner || !share_.owners_write_all ? share_.clients.size() : 0;
}

/// Of the records below `records`, by axis.
std::size_t PartWriter::pieces_missing(FilePeriod key, const OpenFile& file,
                                       const std::vector<Index>& records) const {
  Index missing = 0;
  for (std::uint32_t v = 0; v < plan_[key.file].variables.size(); ++v) {
    const std::size_t axis = axis_of(v, key.file);
    missing += std::max<Index>(0, records[axis] - begun(key, axis)) * std::ssize(chunks_here(v, key.file));
  }
  for (const auto& [piece, parts] : file.pieces) {
    if (parts.is_written && piece.record < records[axis_of(piece.variable, key.file)]) --missing;
  }
  return static_cast<std::size_t>(missing);
}

Index PartWriter::begun(FilePeriod key, std::size_t axis) const {
  const auto found = share_.begun.find(key);
  return found == share_.begun.end() ? 0 : found->second[axis];
}

PartWriter::OpenFile& PartWriter::open_file(FilePeriod key) {
  OpenFile& file = open_[key];
  if (!file.lane) {
    const FileLane::Places places = {
        hooks_.post, {}, [this](Task task) { writers_.submit(std::move(task)); }};
    file.lane = std::make_shared<FileLane>(key, places, full_);
    file.disk = std::make_shared<std::unique_ptr<PartFile>>();
    for (std::size_t axis = 0; axis < plan_[key.file].schedules.size(); ++axis) {
      file.certain.push_back(begun(key, axis));
    }
  }
  return file;
}

void PartWriter::add(Record record, ClientRank client, std::uint32_t chunk) {
  const Variable& variable = plan_[record.variable];
  const FilePeriod key{variable.file, record.mark.period};
  if (key.period > last_period_[key.file.index] || failed_.contains(key)) return;
  const auto& variables = plan_[key.file].variables;
  const auto place =
      static_cast<std::uint32_t>(std::ranges::find(variables, record.variable) - variables.begin());
  OpenFile& file = open_file(key);
  if (!file.failure.text.empty()) return finish_if_complete(key);
  const Index index = record.mark.record;
  const ClientRank source = is_distributed(place, key.file) ? client : 0;
  file.pieces[{place, index, chunk}].parts.insert_or_assign(source, std::move(record));
  fill_of_ended(key, file, place, index);
  write_if_complete(key, file, {place, index, chunk});
  finish_if_complete(key);
}

void PartWriter::place(const Placement& placement) {
  // Of a file with compressed variables the number of records may be known before there is room for all of
  // them; a writer that has no part in the rest is done by then.
  if (done_.contains(placement.file)) return;
  OpenFile& file = open_file(placement.file);
  file.placements.push_back(std::make_unique<Placement>(placement));
  const AxisGrowth& growth = file.placements.back()->growth;
  for (const auto& [variable, records] : growth.variables) {
    if (parts_expected(variable, placement.file.file) == 0) continue;
    for (std::size_t i = 0; i < records.size(); ++i) {
      const Index record = growth.first_record + static_cast<Index>(i);
      PieceParts& parts = file.pieces[{variable, record}];
      parts.placement = &records[i];
      const bool is_certain = record < file.certain[placement.axis];
      if (is_certain || !parts.parts.empty()) fill_of_ended(placement.file, file, variable, record);
      write_if_complete(placement.file, file, {variable, record});
    }
  }
  finish_if_complete(placement.file);
}

void PartWriter::progress(const Progress& progress) {
  const FilePeriod key = progress.file;
  if (done_.contains(key) || key.period > last_period_[key.file.index]) return;
  OpenFile& file = open_file(key);
  const Index before = file.certain[progress.axis];
  if (progress.certain <= before) return;
  file.certain[progress.axis] = progress.certain;
  fill_missing(key, file, progress.axis, before);
  finish_if_complete(key);
}

void PartWriter::close(const Closing& closing) {
  if (closing.is_last) {
    last_period_[closing.file.file.index] = closing.file.period;
    std::erase_if(open_, [&](const auto& open) {
      return open.first.file == closing.file.file && open.first.period > closing.file.period;
    });
    if (closing.records.empty()) return;  // no file of its own, only the word that none follows
  }
  if (done_.contains(closing.file)) return;  // it failed at its owner later
  OpenFile& file = open_file(closing.file);
  file.closing = std::make_unique<Closing>(closing);
  file.pieces_missing = pieces_missing(closing.file, file, closing.records);
  if (closing.is_failed) {
    failed_.insert(closing.file);
    if (file.failure.text.empty()) file.failure.text = "the file could not be written";
  }
  for (std::uint32_t axis = 0; axis < file.certain.size(); ++axis) {
    file.certain[axis] = closing.records[axis];
    fill_missing(closing.file, file, axis);
  }
  finish_if_complete(closing.file);
}

void PartWriter::cut(const Cut& cut) {
  const FilePeriod key = cut.file;
  if (const auto done = done_.find(key); done != done_.end()) {
    return hooks_.cut_synced({key, cut.step, done->second});
  }
  OpenFile& file = open_file(key);
  file.cuts.push_back({cut.step, cut.records, pieces_missing(key, file, cut.records)});
  // The file will have these records, so what ranks that have ended lack of them is filled.
  for (std::uint32_t axis = 0; axis < file.certain.size(); ++axis) {
    const Index before = file.certain[axis];
    if (cut.records[axis] <= before) continue;
    file.certain[axis] = cut.records[axis];
    fill_missing(key, file, axis, before);
  }
  sync_cuts(key, file);
  finish_if_complete(key);
}

/// What is written after these records is synced with them, which does no harm.
void PartWriter::sync_cuts(FilePeriod key, OpenFile& file) {
  if (file.is_syncing || !file.failure.text.empty()) return;  // answered when the file is done
  for (OpenCut& cut : file.cuts) {
    if (cut.is_syncing || cut.pieces_missing > 0) continue;
    cut.is_syncing = true;
    file.lane->post(
        FileLane::Place::disk,
        [disk = file.disk] {
          if (*disk) (*disk)->sync();
        },
        [this, key, step = cut.step](const DiskFailure& failure) { cut_synced(key, step, failure); });
  }
}

void PartWriter::cut_synced(FilePeriod key, std::int64_t step, const DiskFailure& failure) {
  const auto found = open_.find(key);
  if (found == open_.end()) return;  // answered with the file
  OpenFile& file = found->second;
  if (!failure.text.empty()) {
    // What could not be synced once is lost, whatever a later sync says.
    if (file.failure.text.empty()) file.failure = failure;
    return finish_if_complete(key);
  }
  const auto cut = std::ranges::find(file.cuts, step, &OpenCut::step);
  CutSynced synced{key, step, missing_parts(key, file, &cut->records)};
  file.cuts.erase(cut);
  hooks_.cut_synced(std::move(synced));
}

void PartWriter::end_client(ClientRank client) {
  ended_.insert(client);
  std::vector<FilePeriod> keys;
  for (const auto& [key, file] : open_) keys.push_back(key);
  for (FilePeriod key : keys) {
    OpenFile& file = open_.at(key);
    std::set<std::pair<std::uint32_t, Index>> begun;
    for (const auto& [piece, parts] : file.pieces) {
      if (!parts.parts.empty()) begun.insert({piece.variable, piece.record});
    }
    for (const auto& [variable, record] : begun) fill_of_ended(key, file, variable, record);
    for (std::uint32_t axis = 0; axis < file.certain.size(); ++axis) fill_missing(key, file, axis);
    finish_if_complete(key);
  }
}

void PartWriter::write_if_complete(FilePeriod key, OpenFile& file, const Piece& piece) {
  PieceParts& parts = file.pieces[piece];
  const bool has_place = parts.placement || is_packed(piece.variable, key.file);
  const bool is_complete =
      has_place && parts.parts.size() == parts_expected(piece.variable, key.file, piece.chunk);
  if (is_complete && !parts.is_handed_over) start_writing(key, file, piece);
}

void PartWriter::start_writing(FilePeriod key, OpenFile& file, const Piece& piece) {
  PieceParts& parts = file.pieces[piece];
  parts.is_handed_over = true;
  auto records = std::make_shared<std::vector<Record>>();
  for (auto& [client, record] : parts.parts) records->push_back(std::move(record));
  parts.parts.clear();
  const VariableId id = plan_[key.file].variables[piece.variable];
  if (const auto holes = share_.holes.find(id); holes != share_.holes.end()) {
    for (const Region& hole : holes->second) records->push_back({id, {}, hole, std::nullopt, nullptr});
  }
  ++file.writes_under_way;
  if (is_packed(piece.variable, key.file)) return start_packing(key, piece, records);
  file.lane->post(
      FileLane::Place::disk,
      [this, records, placement = parts.placement, disk = file.disk, &form = forms_[id.index],
       path = hooks_.temporary_path(key)] {
        if (!*disk) *disk = files_.open_parts(path);
        write_parts(**disk, *placement, *records, form);
        records->clear();  // gives the senders their room back
      },
      [this, key, piece, records](const DiskFailure& failure) {
        records->clear();
        written(key, piece, failure);
      });
}

void PartWriter::start_packing(FilePeriod key, const Piece& piece,
                               std::shared_ptr<std::vector<Record>> parts) {
  hooks_.work([this, key, piece, parts, id = plan_[key.file].variables[piece.variable]] {
    auto packed =
        std::make_shared<PackedPart>(PackedPart{key, piece.record, piece.variable, piece.chunk, {}});
    DiskFailure failure;
    try {
      packed->packed = hooks_.pack(id, share_.packing->chunks(id)[piece.chunk].region, *parts);
    } catch (...) {
      failure.text = text_of_current_exception();
    }
    parts->clear();  // gives the senders their room back
    hooks_.post([this, key, piece, packed, failure] {
      if (failure.text.empty()) hooks_.packed(std::move(*packed));
      written(key, piece, failure);
    });
  });
}

void PartWriter::written(FilePeriod key, const Piece& piece, const DiskFailure& failure) {
  const auto found = open_.find(key);
  if (found == open_.end()) return;  // of a period that the run did not reach
  OpenFile& file = found->second;
  --file.writes_under_way;
  file.pieces[piece].is_written = true;
  const std::size_t axis = axis_of(piece.variable, key.file);
  if (file.closing && piece.record < file.closing->records[axis]) --file.pieces_missing;
  for (OpenCut& cut : file.cuts) {
    if (piece.record < cut.records[axis]) --cut.pieces_missing;
  }
  if (file.failure.text.empty()) file.failure = failure;
  sync_cuts(key, file);
  finish_if_complete(key);
}

/// Parts of clients that have ended and never sent them, of all records from `first` that are certain: there
/// may be some of which nothing came. Only what makes records certain, or ends a client, calls it.
void PartWriter::fill_missing(FilePeriod key, OpenFile& file, std::uint32_t axis, Index first) {
  if (ended_.empty() || !file.failure.text.empty()) return;
  const PlannedFile& planned = plan_[key.file];
  for (std::uint32_t v = 0; v < planned.variables.size(); ++v) {
    if (axis_of(v, key.file) != axis) continue;
    for (Index record = std::max(first, begun(key, axis)); record < file.certain[axis]; ++record)
      fill_of_ended(key, file, v, record);
  }
}

/// REQUIRES: the file will have the record.
void PartWriter::fill_of_ended(FilePeriod key, OpenFile& file, std::uint32_t variable, Index record) {
  if (ended_.empty() || !is_distributed(variable, key.file)) return;
  for (std::uint32_t chunk : chunks_here(variable, key.file))
    fill_piece(key, file, {variable, record, chunk});
}

void PartWriter::fill_piece(FilePeriod key, OpenFile& file, const Piece& piece) {
  PieceParts& parts = file.pieces[piece];
  if (parts.is_handed_over || (!parts.placement && !is_packed(piece.variable, key.file))) return;
  const VariableId id = plan_[key.file].variables[piece.variable];
  for (ClientRank client : ended_) {
    if (parts.parts.contains(client) || !has_part(piece, key.file, client)) continue;
    parts.parts[client] = {
        id, {key.period, piece.record, 0, 0, 0}, hooks_.region_of(id, client), std::nullopt, nullptr};
    if (is_named_by(piece, key.file, client))
      file.missing_records[{piece.variable, client}].push_back(piece.record);
  }
  write_if_complete(key, file, piece);
}

void PartWriter::finish_if_complete(FilePeriod key) {
  const auto found = open_.find(key);
  if (found == open_.end()) return;
  OpenFile& file = found->second;
  if (!file.failure.text.empty()) {
    // Nothing of a failed file is kept: its parts give their room back at once.
    for (auto& [piece, parts] : file.pieces) parts.parts.clear();
  }
  if (file.is_syncing) return;
  if (!file.failure.text.empty()) file.lane->give_up();
  // An error is told at once: the others' parts of the file would keep their senders' room until it closes.
  if (file.failure.text.empty() && (!file.closing || file.pieces_missing > 0)) return;
  if (file.writes_under_way > 0) return;

  file.is_syncing = true;
  file.lane->post(
      FileLane::Place::disk,
      [disk = file.disk, has_failed = !file.failure.text.empty()] {
        const std::unique_ptr<PartFile> last = std::move(*disk);  // closed in any case
        if (last && !has_failed) last->sync();
      },
      [this, key](const DiskFailure& failure) { synced(key, failure); });
}

/// All of them, or those of the records below.
std::vector<MissingPart> PartWriter::missing_parts(FilePeriod key, const OpenFile& file,
                                                   const std::vector<Index>* below) const {
  std::vector<MissingPart> parts;
  for (const auto& [source, records] : file.missing_records) {
    const auto [variable, client] = source;
    const Index end = below ? (*below)[axis_of(variable, key.file)] : INT64_MAX;
    const Index count = std::ranges::count_if(records, [&](Index record) { return record < end; });
    if (count == 0) continue;
    parts.push_back({variable, client, hooks_.region_of(plan_[key.file].variables[variable], client), count});
  }
  return parts;
}

void PartWriter::synced(FilePeriod key, const DiskFailure& last) {
  OpenFile& file = open_.at(key);
  const DiskFailure& failure = file.failure.text.empty() ? last : file.failure;
  PartsDone done{key, failure.text, missing_parts(key, file), failure.is_full};
  if (!done.error.empty()) failed_.insert(key);  // parts that still come are dropped
  std::vector<CutSynced> cuts;
  for (const OpenCut& cut : file.cuts) {
    cuts.push_back({key, cut.step, missing_parts(key, file, &cut.records)});
  }
  open_.erase(key);
  done_[key] = done.missing;
  hooks_.done(std::move(done));  // first: the owner must not take for synced what has failed
  for (CutSynced& cut : cuts) hooks_.cut_synced(std::move(cut));
}

}  // namespace pileus
