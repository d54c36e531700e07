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
  if (own_.is_packed(key.file, piece.variable)) return pack(key, piece, std::move(records));
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

void PieceWriter::pack(FilePeriod key, const Piece& piece, std::vector<Record> parts) {
  auto shared = std::make_shared<std::vector<Record>>(std::move(parts));
  means_.workers.submit([this, key, piece, shared] {
    auto packed =
        std::make_shared<PackedPart>(PackedPart{key, piece.record, piece.variable, piece.chunk, {}});
    DiskFailure failure;
    try {
      packed->packed = packed_of(key, piece, *shared);
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

PackedChunk PieceWriter::packed_of(FilePeriod key, const Piece& piece,
                                   const std::vector<Record>& parts) const {
  const VariableId id = own_.id(key.file, piece.variable);
  const Storage& storage = plan_[id].storage;
  return pack_chunk(means_.format, parts, own_.layout(id), own_.chunk_region(key.file, piece),
                    storage.compression);
}

}  // namespace pileus
