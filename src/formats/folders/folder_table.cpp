#include "formats/folders/folder_table.h"

#include <charconv>
#include <filesystem>

#include "core/error.h"

namespace pileus::folders {
namespace {

/// Takes a number and the blank behind it off the line. False: there is none.
bool take(std::string_view& line, std::uint64_t& number) {
  const auto [end, reason] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (reason != std::errc() || end == line.data() + line.size() || *end != ' ') return false;
  line.remove_prefix(static_cast<std::size_t>(end + 1 - line.data()));
  return true;
}

}  // namespace

FolderTable FolderTable::read(const std::string& path, std::string_view text) {
  FolderTable table;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == text.npos) break;  // somebody writes it just now
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    Piece piece;
    const bool is_read = take(line, piece.first) && take(line, piece.length) && take(line, piece.offset);
    const bool is_possible = is_read && piece.length > 0 && !line.empty() && piece.first >= table.end() &&
                             piece.first <= UINT64_MAX - piece.length;
    if (!is_possible) throw OutputError(path + ": could not read it: it is no table of a folder's pieces");
    piece.name = line;
    table.pieces_.push_back(std::move(piece));
  }
  return table;
}

std::uint64_t FolderTable::add(std::string name, std::uint64_t offset, std::uint64_t length) {
  const std::uint64_t first = end();
  pieces_.push_back({first, length, offset, std::move(name)});
  return first;
}

void FolderTable::cut(const std::map<std::string, std::uint64_t>& lengths) {
  std::vector<Piece> kept;
  for (Piece& piece : pieces_) {
    const auto cut = lengths.find(piece.name);
    if (cut != lengths.end() && cut->second <= piece.offset) continue;
    if (cut != lengths.end()) piece.length = std::min(piece.length, cut->second - piece.offset);
    kept.push_back(std::move(piece));
  }
  pieces_ = std::move(kept);
}

std::size_t FolderTable::place_of(std::uint64_t byte) const {
  const auto found = std::ranges::upper_bound(pieces_, byte, {},
                                              [](const Piece& piece) { return piece.first + piece.length; });
  return static_cast<std::size_t>(found - pieces_.begin());
}

std::string FolderTable::text(std::size_t first) const {
  std::string text;
  for (; first < pieces_.size(); ++first) {
    const Piece& piece = pieces_[first];
    text += std::to_string(piece.first) + ' ' + std::to_string(piece.length) + ' ' +
            std::to_string(piece.offset) + ' ' + piece.name + '\n';
  }
  return text;
}

std::string table_of(FileSystem& files, const std::string& folder) {
  // What lies less deep comes first: a folder may have many others deep in it.
  std::vector<std::string> folders = {folder};
  for (int depth = 0; depth <= kTableDepth; ++depth) {
    std::vector<std::string> below;
    for (const std::string& one : folders) {
      const std::string table = one + "/" + std::string(kTable);
      if (files.exists(table)) return table;
      std::error_code ignored;
      if (depth == kTableDepth || !std::filesystem::is_directory(one, ignored)) continue;
      for (const std::string& name : files.list(one)) below.push_back(one + "/" + name);
    }
    folders = std::move(below);
  }
  return "";
}

}  // namespace pileus::folders
