#include "publishing/parts/piece_writer.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/error_text.h"
#include "disk/stripes.h"
#include "publishing/chunks/pack_chunk.h"
#include "publishing/parts/write_parts.h"

namespace pileus {
namespace {

/// Pieces go together up to this size, or that of a write: what they hold in memory is given back together.
constexpr Index kBytesTogether = Index{1} << 20;

std::vector<Piece> pieces_of(const auto& all) {
  std::vector<Piece> pieces;
  for (const auto& ready : all) pieces.push_back(ready.piece);
  return pieces;
}

}  // namespace

void PieceWriter::write(FilePeriod key, const OpenParts& file, const Piece& piece, PieceParts& parts) {
  std::vector<Record> records = take_parts(key, piece, parts);
  const bool is_own = own_.is_in_parts(key.file, piece.variable);
  const Target target{file.lane, file.disk, is_own ? file.log : nullptr, file.log_disk};
  if (own_.is_packed(key.file, piece.variable)) {
    const VariableId id = own_.id(key.file, piece.variable);
    const auto shared = std::make_shared<std::vector<Record>>(std::move(records));
    if (compared_.is_for(key, piece.variable)) return compared_.add(key, piece, shared);
    const auto known = learned_.find(id);
    if (plan_[id].storage.information > 0 && known == learned_.end()) return ask(key, piece, shared);
    return pack(key, piece, shared, known == learned_.end() ? 0 : known->second, target);
  }
  Index size = 0;
  const ValueLayout& layout = own_.layout(own_.id(key.file, piece.variable));
  const bool is_slab = own_.is_cut(key.file, piece.variable);
  for (const Record& record : records)
    size +=
        (is_slab ? common(in_file(record.region, layout), own_.chunk_region(key.file, piece)) : record.region)
            .size() *
        static_cast<Index>(size_bytes(layout.type));
  Ready ready{piece, {}, std::move(records), size};
  if (is_own) {
    ready.offset = file.log->allot(file.log->bytes_of(piece));
    ready.placement = place(*file.log, piece, *ready.offset);
  } else {
    ready.placement = *file.places.of(piece);
  }
  add(key, {file.lane, file.disk, file.log, file.log_disk}, std::move(ready));
}

void PieceWriter::add(FilePeriod key, const Target& target, Ready ready) {
  const auto [queue, is_first] = queues_.try_emplace(key, Queue{target, {}});
  queue->second.ready.push_back(std::move(ready));
  // The task goes behind what the strand has to do already, which may make more pieces ready.
  if (is_first) means_.home.post([this, key] { send_ready(key); });
}

/// The boxes of a piece one behind the other.
RecordPlacement PieceWriter::place(PartLog& log, const Piece& piece, std::uint64_t offset) const {
  RecordPlacement placement;
  for (const PartDataset* const box : log.boxes(piece)) {
    placement.blocks.push_back({offset, box->region});
    offset += log.bytes_of_box(*box);
  }
  return placement;
}

/// Takes the parts out, and adds what no model rank holds.
std::vector<Record> PieceWriter::take_parts(FilePeriod key, const Piece& piece, PieceParts& parts) const {
  std::vector<Record> records = std::exchange(parts.parts, {});
  parts.clients = {};
  const VariableId id = own_.id(key.file, piece.variable);
  if (own_.is_in_parts(key.file, piece.variable) && !own_.is_packed(key.file, piece.variable)) return records;
  for (const Region& hole : own_.holes(id)) records.push_back({id, {}, hole, std::nullopt, nullptr});
  return records;
}

void PieceWriter::send_ready(FilePeriod key) {
  Queue& queue = queues_.at(key);
  const Index most = std::max(kBytesTogether, plan_[key.file].on_disk.write_bytes);
  std::vector<Ready> together;
  Index size = 0;
  for (Ready& ready : std::exchange(queue.ready, {})) {
    if (!together.empty() && size + ready.size_bytes > most) {
      send(key, queue, std::exchange(together, {}));
      size = 0;
    }
    size += ready.size_bytes;
    together.push_back(std::move(ready));
  }
  send(key, queue, std::move(together));
}

void PieceWriter::send(FilePeriod key, Queue& queue, std::vector<Ready> together) {
  ++queue.under_way;
  std::vector<Logged> logged;
  for (const Ready& ready : together) {
    if (!ready.offset) continue;
    const std::uint64_t size = ready.packed ? ready.packed->bytes.size() : 0;
    logged.push_back({ready.piece, *ready.offset, size, ready.packed ? ready.packed->skipped_filters : 0});
  }
  const auto log = queue.target.log;
  auto shared = std::make_shared<std::vector<Ready>>(std::move(together));
  queue.target.lane->post_to_disk(
      [this, key, target = queue.target, shared] {
        write_all(key, target, *shared);
        shared->clear();  // gives the senders their memory back
      },
      [this, key, shared, log, logged = std::move(logged),
       pieces = pieces_of(*shared)](const DiskFailure& failure) {
        shared->clear();
        for (const Logged& one : logged) {
          if (failure.text.empty()) log->add(one.piece, one.offset, one.size_bytes, one.skipped_filters);
        }
        sent(key, pieces, failure);
      });
}

/// Pieces that have gathered meanwhile go next, but those of a file that has failed are not written.
void PieceWriter::sent(FilePeriod key, const std::vector<Piece>& pieces, const DiskFailure& failure) {
  Queue& queue = queues_.at(key);
  const bool is_last = --queue.under_way == 0;
  std::vector<Piece> unwritten;
  if (!failure.text.empty()) unwritten = pieces_of(std::exchange(queue.ready, {}));
  if (is_last && queue.ready.empty()) {
    queues_.erase(key);
  } else if (is_last) {
    send_ready(key);
  }
  told_.written(key, pieces, failure);
  if (!unwritten.empty()) told_.written(key, unwritten, failure);
}

/// A writer's lane calls this.
void PieceWriter::write_all(FilePeriod key, const Target& target, const std::vector<Ready>& together) const {
  std::vector<const Ready*> own, others;
  for (const Ready& ready : together) (ready.offset ? own : others).push_back(&ready);
  if (!own.empty()) {
    if (!*target.log_disk) *target.log_disk = new_part(key);
    write_some(key, **target.log_disk, own);
  }
  if (others.empty()) return;
  if (!*target.disk) *target.disk = means_.files.open_parts(names_.temporary_path(key));
  write_some(key, **target.disk, others);
}

void PieceWriter::write_some(FilePeriod key, PartFile& disk, const std::vector<const Ready*>& some) const {
  std::vector<PlacedParts> placed;
  std::vector<PlacedBytes> packed;
  for (const Ready* const ready : some) {
    if (ready->packed) {
      packed.push_back({*ready->offset, ready->packed->bytes});
    } else {
      const ValueLayout& layout = own_.layout(own_.id(key.file, ready->piece.variable));
      const bool is_slab = own_.is_cut(key.file, ready->piece.variable);
      placed.push_back({ready->placement, ready->parts, layout,
                        is_slab ? &own_.chunk_region(key.file, ready->piece) : nullptr});
    }
  }
  const auto write_bytes = static_cast<std::size_t>(plan_[key.file].on_disk.write_bytes);
  disk.set_longest_write(write_bytes);
  write_parts(disk, placed, packed, write_bytes);
}

/// The file of this server. What was there under the name is of nobody: it has the run and its attempt in it.
std::unique_ptr<PartFile> PieceWriter::new_part(FilePeriod key) const {
  const std::string path = names_.path_of_part(key, own_.self());
  for (const std::string& folder : folders_of_name(names_.name_of_part(key, own_.self())))
    means_.files.make_directory(names_.directory() + "/" + folder);
  // It is there where the disk was full after that.
  if (!means_.files.exists(path)) set_stripes(path, plan_[key.file].on_disk);
  means_.files.write_whole(path, {});
  return means_.files.open_parts(path);
}

/// Pieces that learn how far they are rounded wait for the owner, who needs their bits, and no later step.
void PieceWriter::ask(FilePeriod key, const Piece& piece, const Shared& parts) {
  asking_.insert_or_assign({key, piece}, parts);
  means_.workers.submit([this, key, piece, parts] {
    auto counted =
        std::make_shared<PackedPart>(PackedPart{key, piece.record, piece.variable, piece.chunk, {}, {}});
    std::string failure;
    try {
      counted->pairs = pairs_of(key, piece, *parts);
    } catch (...) {
      failure = text_of_current_exception();
    }
    means_.home.post([this, key, piece, counted, failure] {
      if (failure.empty()) return owners_.packed(std::move(*counted));
      if (asking_.erase({key, piece}) > 0) told_.written(key, {piece}, {failure, false});
    });
  });
}

void PieceWriter::learn(FilePeriod key, const Progress::Learned& learned) {
  const VariableId id = own_.id(key.file, learned.variable);
  if (learned.is_final) learned_[id] = learned.bits;
  std::vector<std::pair<FilePeriod, Piece>> ready;
  for (const auto& [waiting, parts] : asking_) {
    const auto& [file, piece] = waiting;
    const bool is_meant = learned.is_final || (file == key && piece.record == learned.record);
    if (is_meant && own_.id(file.file, piece.variable) == id) ready.push_back(waiting);
  }
  for (const auto& waiting : ready) {
    // Others may still be counting what is given back when it is packed.
    const auto parts = std::make_shared<std::vector<Record>>(*asking_.at(waiting));
    asking_.erase(waiting);
    pack(waiting.first, waiting.second, parts, learned.bits, {});
  }
}

void PieceWriter::give_up(FilePeriod key) {
  compared_.give_up(key);
  std::vector<Piece> pieces;
  std::erase_if(asking_, [&](const auto& waiting) {
    if (waiting.first.first != key) return false;
    pieces.push_back(waiting.first.second);
    return true;
  });
  if (!pieces.empty()) means_.home.post([this, key, pieces] { told_.written(key, pieces, {}); });
}

void PieceWriter::pack(FilePeriod key, const Piece& piece, const Shared& shared, int bits,
                       const Target& target) {
  means_.workers.submit([this, key, piece, shared, bits, target] {
    auto packed =
        std::make_shared<PackedPart>(PackedPart{key, piece.record, piece.variable, piece.chunk, {}, {}});
    DiskFailure failure;
    try {
      packed->packed = packed_of(key, piece, *shared, bits);
    } catch (...) {
      failure.text = text_of_current_exception();
    }
    if (!target.log) shared->clear();  // gives the senders their memory back
    means_.home.post([this, key, piece, packed, failure, shared, target] {
      if (failure.text.empty() && target.log) {
        const auto size = static_cast<Index>(packed->packed.bytes.size());
        const std::uint64_t offset = target.log->allot(packed->packed.bytes.size());
        return add(key, target, {piece, {}, std::move(*shared), size, offset, std::move(packed->packed)});
      }
      if (failure.text.empty()) owners_.packed(std::move(*packed));
      told_.written(key, {piece}, failure);
    });
  });
}

PackedChunk PieceWriter::packed_of(FilePeriod key, const Piece& piece, const std::vector<Record>& parts,
                                   int bits) const {
  const VariableId id = own_.id(key.file, piece.variable);
  const Storage& storage = plan_[id].storage;
  if (const auto& level = plan_[id].level)
    return pack_blocks(means_.format, parts, own_.layout(id), own_.chunk_region(key.file, piece),
                       level->lengths, plan_.extents_before(plan_[id]), storage.compression);
  return pack_chunk(means_.format, parts, own_.layout(id), own_.chunk_region(key.file, piece), storage,
                    storage.information > 0 ? bits : 0);
}

BitPairs PieceWriter::pairs_of(FilePeriod key, const Piece& piece, const std::vector<Record>& parts) const {
  const VariableId id = own_.id(key.file, piece.variable);
  std::vector<Index> extents;
  for (const DimensionId dimension : plan_[id].dimensions) extents.push_back(plan_[dimension].size);
  return pairs_in_chunk(parts, own_.layout(id), own_.chunk_region(key.file, piece), extents);
}

}  // namespace pileus
