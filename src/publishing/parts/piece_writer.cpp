#include "publishing/parts/piece_writer.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/error_text.h"
#include "publishing/chunks/pack_chunk.h"
#include "publishing/parts/write_parts.h"

namespace pileus {
namespace {

/// Pieces go together up to this size: what they hold in memory is given back together.
constexpr Index kBytesTogether = Index{1} << 20;

std::vector<Piece> pieces_of(const auto& all) {
  std::vector<Piece> pieces;
  for (const auto& ready : all) pieces.push_back(ready.piece);
  return pieces;
}

}  // namespace

void PieceWriter::write(FilePeriod key, const OpenParts& file, const Piece& piece, PieceParts& parts) {
  std::vector<Record> records = take_parts(key, piece, parts);
  if (own_.is_packed(key.file, piece.variable)) {
    const VariableId id = own_.id(key.file, piece.variable);
    const auto shared = std::make_shared<std::vector<Record>>(std::move(records));
    if (compared_.is_for(key, piece.variable)) return compared_.add(key, piece, shared);
    const auto known = learned_.find(id);
    if (plan_[id].storage.information > 0 && known == learned_.end()) return ask(key, piece, shared);
    return pack(key, piece, shared, known == learned_.end() ? 0 : known->second);
  }
  Index size = 0;
  const auto element = static_cast<Index>(size_bytes(own_.layout(own_.id(key.file, piece.variable)).type));
  for (const Record& record : records) size += record.region.size() * element;
  const auto [queue, is_first] = queues_.try_emplace(key, Queue{file.lane, file.disk, {}});
  queue->second.ready.push_back({piece, *file.places.of(piece), std::move(records), size});
  // The task goes behind what the strand has to do already, which may make more pieces ready.
  if (is_first) means_.home.post([this, key] { send_ready(key); });
}

/// Takes the parts out, and adds what no model rank holds.
std::vector<Record> PieceWriter::take_parts(FilePeriod key, const Piece& piece, PieceParts& parts) const {
  std::vector<Record> records = std::exchange(parts.parts, {});
  parts.clients = {};
  const VariableId id = own_.id(key.file, piece.variable);
  for (const Region& hole : own_.holes(id)) records.push_back({id, {}, hole, std::nullopt, nullptr});
  return records;
}

void PieceWriter::send_ready(FilePeriod key) {
  Queue& queue = queues_.at(key);
  std::vector<Ready> together;
  Index size = 0;
  for (Ready& ready : std::exchange(queue.ready, {})) {
    if (!together.empty() && size + ready.size_bytes > kBytesTogether) {
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
  auto shared = std::make_shared<std::vector<Ready>>(std::move(together));
  queue.lane->post_to_disk(
      [this, key, disk = queue.disk, shared] {
        write_all(key, *disk, *shared);
        shared->clear();  // gives the senders their memory back
      },
      [this, key, shared, pieces = pieces_of(*shared)](const DiskFailure& failure) {
        shared->clear();
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
void PieceWriter::write_all(FilePeriod key, std::unique_ptr<PartFile>& disk,
                            std::vector<Ready>& together) const {
  if (!disk) disk = means_.files.open_parts(names_.temporary_path(key));
  std::vector<PlacedParts> placed;
  for (const Ready& ready : together) {
    const ValueLayout& layout = own_.layout(own_.id(key.file, ready.piece.variable));
    placed.push_back({ready.placement, ready.parts, layout});
  }
  write_parts(*disk, placed);
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
    pack(waiting.first, waiting.second, parts, learned.bits);
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

void PieceWriter::pack(FilePeriod key, const Piece& piece, const Shared& shared, int bits) {
  means_.workers.submit([this, key, piece, shared, bits] {
    auto packed =
        std::make_shared<PackedPart>(PackedPart{key, piece.record, piece.variable, piece.chunk, {}, {}});
    DiskFailure failure;
    try {
      packed->packed = packed_of(key, piece, *shared, bits);
    } catch (...) {
      failure.text = text_of_current_exception();
    }
    shared->clear();  // gives the senders their memory back
    means_.home.post([this, key, piece, packed, failure] {
      if (failure.text.empty()) owners_.packed(std::move(*packed));
      told_.written(key, {piece}, failure);
    });
  });
}

PackedChunk PieceWriter::packed_of(FilePeriod key, const Piece& piece, const std::vector<Record>& parts,
                                   int bits) const {
  const VariableId id = own_.id(key.file, piece.variable);
  const Storage& storage = plan_[id].storage;
  const Region& region = own_.chunk_region(key.file, piece);
  if (storage.information > 0)
    return pack_rounded(means_.format, parts, own_.layout(id), region, storage.compression, bits);
  return pack_chunk(means_.format, parts, own_.layout(id), region, storage.compression);
}

BitPairs PieceWriter::pairs_of(FilePeriod key, const Piece& piece, const std::vector<Record>& parts) const {
  const VariableId id = own_.id(key.file, piece.variable);
  std::vector<Index> extents;
  for (const DimensionId dimension : plan_[id].dimensions) extents.push_back(plan_[dimension].size);
  return pairs_in_chunk(parts, own_.layout(id), own_.chunk_region(key.file, piece), extents);
}

}  // namespace pileus
