#pragma once
// The file of this server where each server writes one: pieces follow each other as they come, so that what
// is ready at once is one long write, and nothing that is written is written again. Belongs to the strand of
// its writer.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "files/file_layout.h"
#include "formats/parts.h"
#include "publishing/parts/own_pieces.h"

namespace pileus {

/// The boxes that this server writes of the variables of a file that are in parts, without chunks.
std::vector<PartDataset> boxes_here(const Plan& plan, const OwnPieces& own, FileId file);

class PartLog {
 public:
  /// `name`: as of PartOfFile. `own` outlives it.
  PartLog(const Plan& plan, const OwnPieces& own, FilePeriod file, std::string name);

  /// So much space behind all others: where it begins.
  std::uint64_t allot(std::uint64_t bytes);
  /// The boxes of a piece in the order in which they follow each other.
  std::vector<const PartDataset*> boxes(const Piece& piece) const;
  std::uint64_t bytes_of(const Piece& piece) const;
  std::uint64_t bytes_of_box(const PartDataset& box) const;
  /// The piece is written from `offset` on. `size_bytes`, `skipped_filters`: if it is compressed.
  void add(const Piece& piece, std::uint64_t offset, std::uint64_t size_bytes, std::uint32_t skipped_filters);

  /// All that it has of the first records, so many of each axis; no name if that is nothing.
  PartOfFile part(const std::vector<Index>& records) const;
  /// So long it is, with what is not written yet.
  std::uint64_t end() const { return end_; }

 private:
  struct Box {
    PartDataset dataset;
    std::size_t axis = 0;
    std::uint64_t bytes = 0;  ///< of a record that is not compressed
  };
  std::pair<std::size_t, std::size_t> range_of(const Piece& piece) const;

  const OwnPieces& own_;
  FilePeriod file_;
  std::string name_;
  std::uint64_t alignment_, aligned_from_;
  std::uint64_t end_ = kHeadOfPart;
  std::vector<Box> boxes_;           ///< by variable and number
  std::vector<std::size_t> begins_;  ///< by variable of the file, and one more: its first box
  std::vector<bool> is_packed_;      ///< by variable
};

}  // namespace pileus
