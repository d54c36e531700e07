#include "publishing/parts/open_pieces.h"

namespace pileus {
namespace {

/// Where the record is, or would be.
auto place_of(auto& kept, Index record) {
  // Nearly always it is the last one, or follows it.
  if (kept.empty() || kept.back().record < record) return kept.end();
  return std::ranges::lower_bound(kept, record, {}, [](const auto& one) { return one.record; });
}

}  // namespace

OpenPieces::OpenPieces(const OwnPieces& own, FilePeriod key) : own_(own), key_(key) {
  first_row_.push_back(0);
  for (std::uint32_t v = 0; v < own.variables(key.file); ++v) {
    const Index begun = own.begun(key, own.axis_of(key.file, v));
    for (std::uint32_t chunk : own.chunks_here(key.file, v)) rows_.push_back({v, chunk, begun, begun, {}});
    first_row_.push_back(rows_.size());
  }
}

std::size_t OpenPieces::row_of(const Piece& piece) const {
  const auto& chunks = own_.chunks_here(key_.file, piece.variable);
  const auto place = std::ranges::lower_bound(chunks, piece.chunk) - chunks.begin();
  return first_row_[piece.variable] + static_cast<std::size_t>(place);
}

bool OpenPieces::is_own(const Piece& piece) const {
  return std::ranges::binary_search(own_.chunks_here(key_.file, piece.variable), piece.chunk);
}

PieceParts& OpenPieces::operator[](const Piece& piece) {
  auto& kept = rows_[row_of(piece)].kept;
  const auto place = place_of(kept, piece.record);
  if (place != kept.end() && place->record == piece.record) return place->parts;
  return kept.insert(place, {piece.record, {}})->parts;
}

PieceParts* OpenPieces::find(const Piece& piece) {
  auto& kept = rows_[row_of(piece)].kept;
  const auto place = place_of(kept, piece.record);
  return place != kept.end() && place->record == piece.record ? &place->parts : nullptr;
}

const PieceParts* OpenPieces::find(const Piece& piece) const {
  return const_cast<OpenPieces*>(this)->find(piece);
}

bool OpenPieces::is_written(const Piece& piece) const {
  if (piece.record < rows_[row_of(piece)].first) return true;
  const PieceParts* const parts = find(piece);
  return parts != nullptr && parts->is_written;
}

void OpenPieces::set_written(const Piece& piece) {
  Row& row = rows_[row_of(piece)];
  (*this)[piece].is_written = true;
  while (!row.kept.empty() && row.kept.front().record == row.first && row.kept.front().parts.is_written) {
    row.kept.pop_front();
    ++row.first;
  }
}

Index OpenPieces::first_open(std::uint32_t variable) const {
  Index first = INT64_MAX;
  for (std::size_t r = first_row_[variable]; r < first_row_[variable + 1]; ++r)
    first = std::min(first, rows_[r].first);
  return first;
}

Index OpenPieces::written_below(const std::vector<Index>& records) const {
  Index count = 0;
  for (const Row& row : rows_) {
    const Index end = records[own_.axis_of(key_.file, row.variable)];
    count += std::max<Index>(0, std::min(row.first, end) - row.begun);
    count += std::ranges::count_if(
        row.kept, [&](const Kept& kept) { return kept.record < end && kept.parts.is_written; });
  }
  return count;
}

std::size_t OpenPieces::size() const {
  std::size_t count = 0;
  for (const Row& row : rows_) count += row.kept.size();
  return count;
}

std::vector<Piece> OpenPieces::open_of(std::uint32_t variable) const {
  std::vector<Piece> pieces;
  for (std::size_t r = first_row_[variable]; r < first_row_[variable + 1]; ++r) {
    for (const Kept& kept : rows_[r].kept) {
      if (!kept.parts.is_written) pieces.push_back({variable, kept.record, rows_[r].chunk});
    }
  }
  std::ranges::sort(pieces);
  return pieces;
}

}  // namespace pileus
