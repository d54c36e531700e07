#include "publishing/parts/compared_pieces.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/error_text.h"
#include "files/file_layout.h"
#include "publishing/chunks/pack_chunk.h"

namespace pileus {
namespace {

std::vector<Index> extents_of(const Plan& plan, VariableId id) {
  std::vector<Index> extents;
  for (const DimensionId dimension : plan[id].dimensions) extents.push_back(plan[dimension].size);
  return extents;
}

}  // namespace

ComparedPieces::ComparedPieces(const Plan& plan, const OwnPieces& own, const WriterMeans& means,
                               FileOwners& owners, PiecesWritten& told)
    : plan_(plan), own_(own), means_(means), owners_(owners), told_(told) {}

const WriteIf& ComparedPieces::limit_of(FileId file, std::uint32_t variable) const {
  return *plan_[own_.id(file, variable)].storage.write_if;
}

/// In a run that continues it goes on where the run before was.
ComparedPieces::Chain& ComparedPieces::chain_of(FilePeriod key, std::uint32_t variable, std::uint32_t chunk) {
  const auto [found, is_new] = files_[key].chains.try_emplace({variable, chunk});
  Chain& chain = found->second;
  if (!is_new) return chain;
  chain.next = own_.begun(key, own_.axis_of(key.file, variable));
  if (chain.next == 0) return chain;
  const ComparedChunk* const before = own_.compared(key, variable, chunk);
  if (before == nullptr) return chain;  // WriterShares refuses such a checkpoint
  chain.written = std::make_shared<const Bytes>(before->written);
  chain.written_s = before->written_s;
  if (!before->last.empty()) chain.last = std::make_shared<const Bytes>(before->last);
  return chain;
}

bool ComparedPieces::is_for_any(FileId file) const {
  for (std::uint32_t v = 0; v < own_.variables(file); ++v)
    if (is_for({file}, v)) return true;
  return false;
}

void ComparedPieces::add(FilePeriod key, const Piece& piece, Shared parts) {
  if (files_[key].is_given_up) return told_.written(key, {piece}, {});
  Chain& chain = chain_of(key, piece.variable, piece.chunk);
  chain.waiting.insert_or_assign(piece.record, std::move(parts));
  go_on(key, piece.variable, piece.chunk, chain);
}

/// Brings the record that is next into the layout of the file, and compares it with the one that was written.
void ComparedPieces::go_on(FilePeriod key, std::uint32_t variable, std::uint32_t chunk, Chain& chain) {
  if (chain.is_busy || chain.compared || !chain.waiting.contains(chain.next)) return;
  const Piece piece{variable, chain.next, chunk};
  const Shared parts = chain.waiting.extract(chain.next).mapped();
  chain.is_busy = true;
  means_.workers.submit([this, key, piece, parts, written = chain.written] {
    const VariableId id = own_.id(key.file, piece.variable);
    auto found = std::make_shared<PackedPart>(PackedPart{key, piece.record, piece.variable, piece.chunk, {}});
    Values values;
    std::string failure;
    try {
      const Region& region = own_.chunk_region(key.file, piece);
      values = std::make_shared<const Bytes>(bytes_of_chunk(*parts, own_.layout(id), region));
      if (written)
        found->difference =
            difference_in_chunk(*values, *written, own_.layout(id), region, extents_of(plan_, id));
    } catch (...) {
      failure = text_of_current_exception();
    }
    parts->clear();  // gives the senders their memory back
    means_.home.post(
        [this, key, found, values, failure] { compared(key, std::move(*found), values, failure); });
  });
}

/// The first record of a file is written, whatever it is.
void ComparedPieces::compared(FilePeriod key, PackedPart part, Values values, const std::string& failure) {
  const auto file = files_.find(key);
  const Piece piece{part.variable, part.record, part.chunk};
  if (file == files_.end() || file->second.is_given_up) return told_.written(key, {piece}, {});
  Chain& chain = file->second.chains.at({part.variable, part.chunk});
  chain.is_busy = false;
  if (!failure.empty()) return told_.written(key, {piece}, {failure, false});
  if (limit_of(key.file, part.variable).is_per_chunk) {
    chain.compared = std::move(values);
    chain.difference = std::move(part.difference);
    return decide_here(key, part.variable, part.chunk);
  }
  if (part.difference) {
    chain.compared = std::move(values);
    return owners_.packed(std::move(part));
  }
  end_comparison(key, piece, chain, values, true);
  send(key, piece, values, false);
}

/// Decides of the next record of the chunk, once it is compared and known.
void ComparedPieces::decide_here(FilePeriod key, std::uint32_t variable, std::uint32_t chunk) {
  File& file = files_.at(key);
  Chain& chain = file.chains.at({variable, chunk});
  const std::map<Index, double>& known = file.known[variable];
  const auto record = known.find(chain.next);
  if (!chain.compared || record == known.end()) return;
  const Piece piece{variable, chain.next, chunk};
  const Values values = chain.compared;
  const bool has_changed = is_written(key, variable, chain, record->second);
  if (has_changed) chain.written_s = record->second;
  chain.difference.reset();
  end_comparison(key, piece, chain, values, has_changed);
  send(key, piece, has_changed ? values : nullptr, false);
}

bool ComparedPieces::is_written(FilePeriod key, std::uint32_t variable, const Chain& chain, double time_s) {
  if (!chain.difference) return true;
  const WriteIf& limit = limit_of(key.file, variable);
  const Index together = records_together(key.file, variable);
  const bool is_due = limit.at_least_every_s > 0 && time_s - chain.written_s >= limit.at_least_every_s;
  return is_due || (together > 0 && chain.next % together == 0) || is_beyond(*chain.difference, limit);
}

/// Before any piece of it has come, too.
void ComparedPieces::know(FilePeriod key, const Progress::Decided& record) {
  const std::vector<std::uint32_t>& chunks = own_.chunks_here(key.file, record.variable);
  if (chunks.empty() || files_[key].is_given_up) return;
  auto& known = files_[key].known[record.variable];
  known.emplace(record.record, record.time_s);
  Index first = INT64_MAX;
  for (const std::uint32_t chunk : chunks)
    first = std::min(first, chain_of(key, record.variable, chunk).next);
  known.erase(known.begin(), known.lower_bound(first));
  for (const std::uint32_t chunk : chunks) {
    if (!files_.contains(key)) return;
    decide_here(key, record.variable, chunk);
  }
}

Index ComparedPieces::records_together(FileId file, std::uint32_t variable) {
  const auto [found, is_new] = together_.try_emplace({file, variable}, 0);
  if (is_new) {
    const FileDefinition definition = file_definition(plan_, file, {}, {});
    found->second = means_.format.records_of_stretch(definition, definition.variables[variable].axis);
  }
  return found->second;
}

/// Goes on with the next record of the chunk.
void ComparedPieces::end_comparison(FilePeriod key, const Piece& piece, Chain& chain, const Values& values,
                                    bool is_written) {
  chain.last = is_written ? nullptr : values;
  if (is_written) chain.written = values;
  chain.compared = nullptr;
  ++chain.next;
  keep_for_cuts(key, piece.variable, piece.chunk, chain);
  go_on(key, piece.variable, piece.chunk, chain);
}

void ComparedPieces::decide(FilePeriod key, const Progress::Decided& decided) {
  if (limit_of(key.file, decided.variable).is_per_chunk) return know(key, decided);
  const auto file = files_.find(key);
  if (file == files_.end() || file->second.is_given_up) return;
  std::vector<std::pair<Piece, Values>> sent;
  for (const std::uint32_t chunk : own_.chunks_here(key.file, decided.variable)) {
    Chain& chain = file->second.chains.at({decided.variable, chunk});
    if (chain.next != decided.record || !chain.compared)
      return told_.written(key, {}, {"a record was decided before it was compared", false});
    const Piece piece{decided.variable, decided.record, chunk};
    const Values values = chain.compared;
    sent.emplace_back(piece, decided.is_written ? values : nullptr);
    end_comparison(key, piece, chain, values, decided.is_written);
  }
  for (const auto& [piece, values] : sent) send(key, piece, values, false);
}

/// Compresses and sends a chunk; without values, that the one before stands for it.
void ComparedPieces::send(FilePeriod key, const Piece& piece, const Values& values, bool is_late) {
  auto packed = std::make_shared<PackedPart>(PackedPart{key, piece.record, piece.variable, piece.chunk, {}});
  packed->is_late = is_late;
  if (!values) {
    owners_.packed(std::move(*packed));
    if (!is_late) return told_.written(key, {piece}, {});
    return means_.home.post([this, key] { told_.late_written(key, {}); });
  }
  means_.workers.submit([this, key, piece, values, is_late, packed] {
    const VariableId id = own_.id(key.file, piece.variable);
    DiskFailure failure;
    try {
      packed->packed = means_.format.pack(*values, own_.layout(id).type, plan_[id].storage.compression);
    } catch (...) {
      failure.text = text_of_current_exception();
    }
    means_.home.post([this, key, piece, is_late, packed, failure] {
      if (failure.text.empty()) owners_.packed(std::move(*packed));
      if (is_late) return told_.late_written(key, failure);
      told_.written(key, {piece}, failure);
    });
  });
}

std::size_t ComparedPieces::send_last(FilePeriod key, const std::vector<Index>& records) {
  std::size_t sent = 0;
  for (std::uint32_t v = 0; v < own_.variables(key.file); ++v) {
    const Index count = records[own_.axis_of(key.file, v)];
    if (!is_for(key, v) || count == 0) continue;
    for (const std::uint32_t chunk : own_.chunks_here(key.file, v)) {
      const Chain& chain = chain_of(key, v, chunk);
      // Chunks that are written each for itself come all, so that the owner knows which are which.
      if (files_[key].has_sent_last || (!chain.last && !limit_of(key.file, v).is_per_chunk)) continue;
      send(key, {v, count - 1, chunk}, chain.last, true);
      ++sent;
    }
  }
  if (sent > 0) files_[key].has_sent_last = true;
  return sent;
}

void ComparedPieces::begin_cut(FilePeriod key, std::int64_t step, const std::vector<Index>& records) {
  if (!is_for_any(key.file)) return;
  files_[key].cuts[step] = {records, {}};
  for (std::uint32_t v = 0; v < own_.variables(key.file); ++v) {
    if (!is_for(key, v)) continue;
    for (const std::uint32_t chunk : own_.chunks_here(key.file, v)) {
      const Chain& chain = chain_of(key, v, chunk);
      const Index wanted = records[own_.axis_of(key.file, v)];
      if (wanted > 0 && chain.next == wanted)
        files_[key].cuts[step].kept.push_back({v, chunk, chain.written, chain.last, chain.written_s});
    }
  }
}

/// Later records may be decided before the writes of those of a cut are through.
void ComparedPieces::keep_for_cuts(FilePeriod key, std::uint32_t variable, std::uint32_t chunk,
                                   const Chain& chain) {
  const std::size_t axis = own_.axis_of(key.file, variable);
  for (auto& [step, cut] : files_[key].cuts) {
    if (cut.records[axis] == chain.next && chain.next > 0)
      cut.kept.push_back({variable, chunk, chain.written, chain.last, chain.written_s});
  }
}

std::vector<ComparedChunk> ComparedPieces::take_cut(FilePeriod key, std::int64_t step) {
  std::vector<ComparedChunk> out;
  const auto file = files_.find(key);
  if (file == files_.end()) return out;
  const auto cut = file->second.cuts.find(step);
  if (cut == file->second.cuts.end()) return out;
  for (const Kept& one : cut->second.kept)
    out.push_back({one.variable, one.chunk, *one.written, one.last ? *one.last : Bytes(), one.written_s});
  file->second.cuts.erase(cut);
  return out;
}

void ComparedPieces::give_up(FilePeriod key) {
  const auto found = files_.find(key);
  if (found == files_.end() || found->second.is_given_up) return;
  found->second.is_given_up = true;
  std::vector<Piece> pieces;
  for (auto& [place, chain] : found->second.chains) {
    const auto& [variable, chunk] = place;
    for (const auto& [record, parts] : chain.waiting) pieces.push_back({variable, record, chunk});
    if (chain.compared) pieces.push_back({variable, chain.next, chunk});
    const bool is_busy = chain.is_busy;
    chain = {};
    chain.is_busy = is_busy;
  }
  if (!pieces.empty()) means_.home.post([this, key, pieces] { told_.written(key, pieces, {}); });
}

void ComparedPieces::forget(FilePeriod key) { files_.erase(key); }

}  // namespace pileus
