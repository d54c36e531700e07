#include "publishing/parts/part_writer.h"

#include <algorithm>
#include <utility>

#include "publishing/parts/part_waits.h"

namespace pileus {

PartWriter::PartWriter(const Plan& plan, Share share, const FileNames& names, const WriterMeans& means,
                       FileOwners& owners)
    : plan_(plan),
      names_(names),
      means_(means),
      owners_(owners),
      own_(plan, std::move(share)),
      pieces_(plan, own_, names, means, owners, *this),
      failed_(plan.files.size()),
      last_period_(plan.files.size(), INT64_MAX) {}

/// The pieces that lack in the records below `records`, which has a number for each axis.
Index PartWriter::pieces_missing(FilePeriod key, const OpenParts& file,
                                 const std::vector<Index>& records) const {
  return own_.count_below(key, records) - file.pieces.written_below(records);
}

OpenParts& PartWriter::open_file(FilePeriod key) {
  const auto [found, is_new] = open_.try_emplace(key, own_, key);
  OpenParts& file = found->second;
  if (!is_new) return file;
  file.lane =
      std::make_shared<FileLane>(key, FileLane::Threads{means_.home, nullptr, means_.writers}, means_.full);
  file.disk = std::make_shared<std::unique_ptr<PartFile>>();
  file.log_disk = std::make_shared<std::unique_ptr<PartFile>>();
  if (plan_[key.file].on_disk.is_in_parts)
    file.log = std::make_shared<PartLog>(plan_, own_, key, names_.part_beside(key, own_.self()));
  for (std::size_t axis = 0; axis < plan_[key.file].schedules.size(); ++axis)
    file.certain.push_back(own_.begun(key, axis));
  return file;
}

/// What comes once more replaces what is there.
void PartWriter::put(PieceParts& parts, Record record, ClientRank client, bool is_distributed) {
  if (!is_distributed) {
    parts.parts.assign(1, std::move(record));
    return;
  }
  const auto found = std::ranges::find(parts.clients, client);
  if (found != parts.clients.end()) {
    parts.parts[static_cast<std::size_t>(found - parts.clients.begin())] = std::move(record);
    return;
  }
  parts.clients.push_back(client);
  parts.parts.push_back(std::move(record));
}

void PartWriter::add(Record record, ClientRank client, std::uint32_t chunk) {
  const Variable& variable = plan_[record.variable];
  const FilePeriod key{variable.file, record.mark.period};
  if (key.period > last_period_[key.file.index] || failed_[key.file.index].contains(key.period)) return;
  const std::uint32_t index = own_.index_of(record.variable);
  OpenParts& file = open_file(key);
  if (file.has_failed()) return finish_if_complete(key);
  const Piece piece{index, record.mark.record, chunk};
  if (!file.pieces.is_own(piece)) return;  // parts from other servers are checked before
  if (file.pieces.is_written(piece)) return;
  put(file.pieces[piece], std::move(record), client, own_.is_distributed(key.file, index));
  fill_of_ended(key, file, index, piece.record);
  write_if_complete(key, file, piece);
  finish_if_complete(key);
}

void PartWriter::place(const Placement& placement) {
  // The number of records of a file with compressed variables may be known before all of them have bytes in
  // it. A writer that has no part in the rest is done by then.
  if (done_.contains(placement.file)) return;
  OpenParts& file = open_file(placement.file);
  if (file.has_failed()) return finish_if_complete(placement.file);  // it may be forgotten before a write
  file.places.add(placement);
  const AxisGrowth& growth = placement.growth;
  for (const auto& [variable, records] : growth.variables) {
    for (const std::uint32_t chunk : own_.chunks_here(placement.file.file, variable))
      for (std::size_t i = 0; i < records.size(); ++i)
        placed(placement.file, file, {variable, growth.first_record + static_cast<Index>(i), chunk});
  }
  finish_if_complete(placement.file);
}

void PartWriter::placed(FilePeriod key, OpenParts& file, const Piece& piece) {
  const PieceParts* const parts = file.pieces.find(piece);
  const bool has_parts = parts != nullptr && !parts->parts.empty();
  const bool is_certain = piece.record < file.certain[own_.axis_of(key.file, piece.variable)];
  if (has_parts || is_certain) fill_of_ended(key, file, piece.variable, piece.record);
  if (has_parts) write_if_complete(key, file, piece);
}

void PartWriter::progress(const Progress& progress) {
  const FilePeriod key = progress.file;
  for (const Progress::Learned& learned : progress.learned) pieces_.learn(key, learned);
  if (done_.contains(key) || key.period > last_period_[key.file.index]) return;
  for (const Progress::Decided& decided : progress.decided) pieces_.compared().decide(key, decided);
  OpenParts& file = open_file(key);
  if (progress.certain <= file.certain[progress.axis]) return;
  make_certain(key, file, progress.axis, progress.certain);
  finish_if_complete(key);
}

void PartWriter::close(const Closing& closing) {
  forget_before(closing.file.file, closing.first_open);
  if (closing.is_last) {
    last_period_[closing.file.file.index] = closing.file.period;
    std::erase_if(open_, [&](const auto& open) {
      return open.first.file == closing.file.file && open.first.period > closing.file.period;
    });
    if (closing.records.empty()) return;  // no file of its own, only the word that none follows
  }
  if (done_.contains(closing.file)) return;  // it failed at its owner later
  OpenParts& file = open_file(closing.file);
  file.closing = std::make_unique<Closing>(closing);
  file.pieces_missing = pieces_missing(closing.file, file, closing.records);
  if (closing.is_failed) {
    failed_[closing.file.file.index].add(closing.file.period);
    if (!file.has_failed()) file.failure.text = "the file could not be written";
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
    const auto compared = compared_.find(key);
    const auto log = logs_.find(key);
    return owners_.cut_synced({key, cut.step, done->second,
                               compared == compared_.end() ? std::vector<ComparedChunk>() : compared->second,
                               log == logs_.end() ? PartOfFile() : log->second->part(cut.records)});
  }
  OpenParts& file = open_file(key);
  file.cuts.push_back({cut.step, cut.records, pieces_missing(key, file, cut.records)});
  pieces_.compared().begin_cut(key, cut.step, cut.records);
  for (std::uint32_t axis = 0; axis < file.certain.size(); ++axis)
    make_certain(key, file, axis, cut.records[axis]);
  sync_cuts(key, file);
  finish_if_complete(key);
}

/// The file will have these records, so what ranks that have ended lack of them is filled.
void PartWriter::make_certain(FilePeriod key, OpenParts& file, std::uint32_t axis, Index records) {
  const Index before = file.certain[axis];
  if (records <= before) return;
  file.certain[axis] = records;
  fill_missing(key, file, axis, before);
}

/// Later writes are synced with these records, which does no harm.
void PartWriter::sync_cuts(FilePeriod key, OpenParts& file) {
  if (file.is_syncing || file.has_failed()) return;  // answered when the file is done
  for (OpenCut& cut : file.cuts) {
    if (cut.is_syncing || cut.pieces_missing > 0) continue;
    cut.is_syncing = true;
    file.lane->post_to_disk(
        [this, key, disk = file.disk, log_disk = file.log_disk] {
          if (*disk) (*disk)->sync();
          if (*log_disk) sync_part(key, **log_disk);
        },
        [this, key, step = cut.step](const DiskFailure& failure) { cut_synced(key, step, failure); });
  }
}

void PartWriter::cut_synced(FilePeriod key, std::int64_t step, const DiskFailure& failure) {
  const auto found = open_.find(key);
  if (found == open_.end()) return;  // answered with the file
  OpenParts& file = found->second;
  if (!failure.text.empty()) {
    // Bytes that could not be synced once are lost, whatever a later sync says.
    if (!file.has_failed()) file.failure = failure;
    return finish_if_complete(key);
  }
  const auto cut = std::ranges::find(file.cuts, step, &OpenCut::step);
  CutSynced synced{key, step, missing_parts(key, file, &cut->records), pieces_.compared().take_cut(key, step),
                   file.log ? file.log->part(cut->records) : PartOfFile()};
  file.cuts.erase(cut);
  owners_.cut_synced(std::move(synced));
}

void PartWriter::end_client(ClientRank client) {
  ended_.insert(client);
  std::vector<FilePeriod> keys;
  for (const auto& [key, file] : open_) keys.push_back(key);
  for (FilePeriod key : keys) {
    OpenParts& file = open_.at(key);
    std::set<std::pair<std::uint32_t, Index>> begun;
    std::as_const(file.pieces).for_each([&](const Piece& piece, const PieceParts& parts) {
      if (!parts.parts.empty()) begun.insert({piece.variable, piece.record});
    });
    for (const auto& [variable, record] : begun) fill_of_ended(key, file, variable, record);
    for (std::uint32_t axis = 0; axis < file.certain.size(); ++axis) fill_missing(key, file, axis);
    finish_if_complete(key);
  }
}

void PartWriter::write_if_complete(FilePeriod key, OpenParts& file, const Piece& piece) {
  PieceParts& parts = file.pieces[piece];
  const bool has_bytes = !own_.needs_place(key.file, piece.variable) || file.places.has(piece);
  const std::size_t expected = own_.parts_expected(key.file, piece.variable, piece.chunk);
  if (!has_bytes || parts.is_handed_over || parts.parts.size() != expected) return;
  parts.is_handed_over = true;
  ++file.writes_under_way;
  pieces_.write(key, file, piece, parts);
}

void PartWriter::written(FilePeriod key, const std::vector<Piece>& pieces, const DiskFailure& failure) {
  const auto found = open_.find(key);
  if (found == open_.end()) return;  // of a period that the run did not reach
  OpenParts& file = found->second;
  for (const Piece& piece : pieces) {
    --file.writes_under_way;
    file.places.set_written(piece);
    file.pieces.set_written(piece);
    const std::size_t axis = own_.axis_of(key.file, piece.variable);
    if (file.closing && piece.record < file.closing->records[axis]) --file.pieces_missing;
    for (OpenCut& cut : file.cuts) {
      if (piece.record < cut.records[axis]) --cut.pieces_missing;
    }
  }
  if (!file.has_failed()) file.failure = failure;
  sync_cuts(key, file);
  finish_if_complete(key);
}

void PartWriter::late_written(FilePeriod key, const DiskFailure& failure) {
  const auto found = open_.find(key);
  if (found == open_.end()) return;
  --found->second.writes_under_way;
  if (!found->second.has_failed()) found->second.failure = failure;
  finish_if_complete(key);
}

/// Parts of clients that have ended and never sent them, of all records from `first` that are certain: there
/// may be some of which nothing came. Only what makes records certain, or ends a client, calls it.
void PartWriter::fill_missing(FilePeriod key, OpenParts& file, std::uint32_t axis, Index first) {
  if (ended_.empty() || file.has_failed()) return;
  const PlannedFile& planned = plan_[key.file];
  for (std::uint32_t v = 0; v < planned.variables.size(); ++v) {
    if (own_.axis_of(key.file, v) != axis) continue;
    for (Index record = std::max(first, own_.begun(key, axis)); record < file.certain[axis]; ++record)
      fill_of_ended(key, file, v, record);
  }
}

/// REQUIRES: the file will have the record.
void PartWriter::fill_of_ended(FilePeriod key, OpenParts& file, std::uint32_t variable, Index record) {
  if (ended_.empty() || !own_.is_distributed(key.file, variable)) return;
  for (std::uint32_t chunk : own_.chunks_here(key.file, variable))
    fill_piece(key, file, {variable, record, chunk});
}

void PartWriter::fill_piece(FilePeriod key, OpenParts& file, const Piece& piece) {
  if (file.pieces.is_written(piece)) return;
  if (own_.needs_place(key.file, piece.variable) && !file.places.has(piece)) return;
  PieceParts& parts = file.pieces[piece];
  if (parts.is_handed_over) return;
  const VariableId id = own_.id(key.file, piece.variable);
  for (ClientRank client : ended_) {
    if (parts.has(client) || !own_.has_part(key.file, piece, client)) continue;
    const RecordMark mark{key.period, piece.record, 0, 0, 0};
    put(parts, {id, mark, own_.region_of(id, client), std::nullopt, nullptr}, client, true);
    if (own_.is_named_by(key.file, piece, client))
      file.missing_records[{piece.variable, client}].push_back(piece.record);
  }
  write_if_complete(key, file, piece);
}

void PartWriter::finish_if_complete(FilePeriod key) {
  const auto found = open_.find(key);
  if (found == open_.end()) return;
  OpenParts& file = found->second;
  if (file.has_failed()) {
    // Nothing of a failed file is held: its parts give their memory back at once.
    file.pieces.for_each([](const Piece&, PieceParts& parts) {
      parts.parts.clear();
      parts.clients.clear();
    });
    pieces_.give_up(key);
  }
  if (file.is_syncing) return;
  if (file.has_failed()) file.lane->give_up();
  // An error is told at once: the others' parts of the file would hold their senders' memory until it closes.
  if (!file.has_failed() && (!file.closing || file.pieces_missing > 0)) return;
  if (file.writes_under_way > 0) return;
  if (!file.has_failed()) file.writes_under_way += pieces_.compared().send_last(key, file.closing->records);
  if (file.writes_under_way > 0) return;

  file.is_syncing = true;
  const std::vector<Index> records = file.closing ? file.closing->records : std::vector<Index>();
  file.lane->post_to_disk(
      [this, key, disk = file.disk, log = file.log, log_disk = file.log_disk, records,
       has_failed = file.has_failed()] {
        // The end may be written again where the disk was full.
        if (!has_failed && *log_disk) end_part(key, *log, records, **log_disk);
        log_disk->reset();
        const std::unique_ptr<PartFile> last = std::move(*disk);  // closed in any case
        if (last && !has_failed) last->sync();
      },
      [this, key](const DiskFailure& failure) { synced(key, failure); });
}

void PartWriter::sync_part(FilePeriod key, PartFile& disk) const {
  disk.sync();
  const std::string path = names_.path_of_part(key, own_.self());
  means_.files.sync_directory(path.substr(0, path.rfind('/')));
}

/// A writer's lane calls this, when nothing else is done to the log.
void PartWriter::end_part(FilePeriod key, const PartLog& log, const std::vector<Index>& records,
                          PartFile& disk) const {
  const EndOfPart end =
      means_.format.end_of_part(log.part(records), part_variables(plan_, key.file), log.end());
  disk.write_at(end.offset, end.tail);
  disk.sync();  // whoever finds the head finds what it refers to
  disk.write_at(0, end.head);
  sync_part(key, disk);
}

/// All missing parts, or those of the records below.
std::vector<MissingPart> PartWriter::missing_parts(FilePeriod key, const OpenParts& file,
                                                   const std::vector<Index>* below) const {
  std::vector<MissingPart> parts;
  for (const auto& [source, records] : file.missing_records) {
    const auto [variable, client] = source;
    const Index end = below ? (*below)[own_.axis_of(key.file, variable)] : INT64_MAX;
    const Index count = std::ranges::count_if(records, [&](Index record) { return record < end; });
    if (count == 0) continue;
    parts.push_back({variable, client, own_.region_of(own_.id(key.file, variable), client), count});
  }
  return parts;
}

void PartWriter::synced(FilePeriod key, const DiskFailure& last) {
  OpenParts& file = open_.at(key);
  const DiskFailure& failure = !file.has_failed() ? last : file.failure;
  PartsDone done{key, failure.text, missing_parts(key, file), failure.is_full};
  if (!done.error.empty()) failed_[key.file.index].add(key.period);  // parts that still come are dropped
  std::vector<CutSynced> cuts;
  for (const OpenCut& cut : file.cuts) {
    cuts.push_back({key, cut.step, missing_parts(key, file, &cut.records),
                    pieces_.compared().take_cut(key, cut.step),
                    file.log ? file.log->part(cut.records) : PartOfFile()});
  }
  std::vector<Index> records;
  if (open_.at(key).closing) records = open_.at(key).closing->records;
  if (done.error.empty() && pieces_.compared().is_for_any(key.file)) {
    pieces_.compared().begin_cut(key, INT64_MAX, records);
    compared_[key] = pieces_.compared().take_cut(key, INT64_MAX);
  }
  pieces_.compared().forget(key);
  if (file.log && done.error.empty()) {
    done.part = file.log->part(records);
    for (PartDataset& dataset : done.part.datasets) dataset.chunks.clear();
    logs_[key] = file.log;
  }
  open_.erase(key);
  done_[key] = done.missing;
  owners_.parts_done(std::move(done));  // first: the owner must not take for synced what has failed
  for (CutSynced& cut : cuts) owners_.cut_synced(std::move(cut));
}

/// Their owner says nothing of these any more, and asks nothing.
void PartWriter::forget_before(FileId file, std::int64_t period) {
  done_.erase(done_.lower_bound({file, INT64_MIN}), done_.lower_bound({file, period}));
  compared_.erase(compared_.lower_bound({file, INT64_MIN}), compared_.lower_bound({file, period}));
  logs_.erase(logs_.lower_bound({file, INT64_MIN}), logs_.lower_bound({file, period}));
  failed_[file.index].join_where([&](std::int64_t, std::int64_t last) { return last < period; });
}

std::size_t PartWriter::held_of_done() const {
  std::size_t count = done_.size();
  for (const Periods& periods : failed_) count += periods.ranges().size();
  return count;
}

std::size_t PartWriter::held_of_written() const {
  std::size_t count = 0;
  for (const auto& [key, file] : open_) count += file.pieces.size() + file.places.size();
  return count;
}

std::vector<std::string> PartWriter::open_texts() const { return open_texts_of(plan_, own_, open_); }

std::vector<Wait> PartWriter::waits() const { return waits_of(plan_, own_, open_); }

}  // namespace pileus
