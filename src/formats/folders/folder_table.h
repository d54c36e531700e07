#pragma once
// A folder of files that is written and read as one: each of its files, or a piece of one, has its place in
// one range of bytes, so that everything that knows files by their bytes (who writes what, checkpoints, marks
// of what has been published) knows folders too. Which piece lies where stands in a file of the folder, the
// table, a line for each piece.

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "disk/file_system.h"

namespace pileus::folders {

/// A piece of a file of the folder.
struct Piece {
  std::uint64_t first = 0;   ///< of its bytes in the range of the folder
  std::uint64_t length = 0;  ///< at least 1
  std::uint64_t offset = 0;  ///< in its file
  std::string name;          ///< of the file, below the folder
  friend bool operator==(const Piece&, const Piece&) = default;
};

/// Pieces by increasing place; where there is none the range reads as 0.
class FolderTable {
 public:
  /// Errors: OutputError where the text is no table, with `path` in it.
  static FolderTable read(const std::string& path, std::string_view text);

  /// Behind all others, and returns its place.
  std::uint64_t add(std::string name, std::uint64_t offset, std::uint64_t length);
  /// Leaves out the pieces from there on.
  void drop_from(std::size_t piece) { pieces_.resize(std::min(piece, pieces_.size())); }
  /// Keeps of each piece what lies in the first bytes of its file. `lengths`: of files that were cut.
  void cut(const std::map<std::string, std::uint64_t>& lengths);

  const std::vector<Piece>& pieces() const { return pieces_; }
  /// Past the last byte.
  std::uint64_t end() const { return pieces_.empty() ? 0 : pieces_.back().first + pieces_.back().length; }

  /// Calls do_it(piece or null, offset in its file, done, length) for the bytes of a stretch of the range,
  /// one piece after the other, as far as the table goes. Returns how many of the bytes these are.
  template <class DoIt>
  std::uint64_t for_each(std::uint64_t first, std::uint64_t length, const DoIt& do_it) const {
    std::uint64_t done = 0;
    for (std::size_t p = place_of(first); p < pieces_.size() && done < length; ++p) {
      const Piece& piece = pieces_[p];
      const std::uint64_t at = first + done;
      if (at < piece.first) {
        const std::uint64_t gap = std::min(length - done, piece.first - at);
        do_it(static_cast<const Piece*>(nullptr), std::uint64_t{0}, done, gap);
        done += gap;
        if (done == length) break;
      }
      const std::uint64_t in_piece = first + done - piece.first;
      const std::uint64_t count = std::min(length - done, piece.length - in_piece);
      do_it(&piece, piece.offset + in_piece, done, count);
      done += count;
    }
    return done;
  }

  /// The lines of the pieces from `first` on.
  std::string text(std::size_t first = 0) const;

 private:
  /// The first piece that ends past the byte.
  std::size_t place_of(std::uint64_t byte) const;

  std::vector<Piece> pieces_;
};

/// The name of the table in a folder that is being written.
inline constexpr std::string_view kTable = ".pieces";

/// Folders below that of the store in which it may lie.
inline constexpr int kTableDepth = 2;

/// Where the table of a folder lies: under the name above in the folder, or in one below. "": it has none.
std::string table_of(FileSystem& files, const std::string& folder);

}  // namespace pileus::folders
