#pragma once
// The pieces of one file that a server has parts of and that are not on the disk. Those that are there cost
// nothing, so that a file may have any number of records.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "publishing/parts/own_pieces.h"
#include "time/record.h"

namespace pileus {

/// All parts of a piece.
struct PieceParts {
  std::vector<Record> parts;        ///< in the order in which they came
  std::vector<ClientRank> clients;  ///< whose they are; empty for what is not distributed
  bool is_handed_over = false;      ///< to be written
  bool is_written = false;

  bool has(ClientRank client) const { return std::ranges::find(clients, client) != clients.end(); }
};

class OpenPieces {
 public:
  /// `own` outlives it.
  OpenPieces(const OwnPieces& own, FilePeriod key);

  /// Makes a place for it. REQUIRES: is_own(piece), as for all calls below but is_own; and it is not written.
  PieceParts& operator[](const Piece& piece);
  /// Gives what is there of it, and null where nothing is.
  PieceParts* find(const Piece& piece);
  const PieceParts* find(const Piece& piece) const;
  /// Tells whether this server makes the piece. Nobody should send it parts of others.
  bool is_own(const Piece& piece) const;
  bool is_written(const Piece& piece) const;
  void set_written(const Piece& piece);
  /// All records of the variable below are written.
  Index first_open(std::uint32_t variable) const;
  /// Counts the pieces that are written of the records below `records`, by axis.
  Index written_below(const std::vector<Index>& records) const;
  /// Counts what has a place here, for a test that it stays small.
  std::size_t size() const;

  /// Calls do_it(piece, parts) of all that are not written, by variable, record and chunk.
  template <class DoIt>
  void for_each(const DoIt& do_it) {
    for (std::uint32_t v = 0; v < first_row_.size() - 1; ++v) {
      for (const Piece& piece : open_of(v)) do_it(piece, *find(piece));
    }
  }
  template <class DoIt>
  void for_each(const DoIt& do_it) const {
    for (std::uint32_t v = 0; v < first_row_.size() - 1; ++v) {
      for (const Piece& piece : open_of(v)) do_it(piece, *find(piece));
    }
  }

 private:
  struct Kept {
    Index record = 0;
    PieceParts parts;
  };
  /// Of one variable, or one chunk of a compressed one.
  struct Row {
    std::uint32_t variable = 0, chunk = 0;
    Index begun = 0;        ///< the first record of this run
    Index first = 0;        ///< all records below are written
    std::deque<Kept> kept;  ///< of records from there on; by record
  };

  std::size_t row_of(const Piece& piece) const;
  std::vector<Piece> open_of(std::uint32_t variable) const;

  const OwnPieces& own_;
  FilePeriod key_;
  std::vector<std::size_t> first_row_;  ///< by variable of the file, and one more
  std::vector<Row> rows_;
};

}  // namespace pileus
