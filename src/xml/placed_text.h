#pragma once
// A text put together from several files, in which every byte keeps its place in its file.

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "xml/source_text.h"

namespace pileus {

class PlacedText {
 public:
  /// Begins a file, from which the next pieces come, and returns its number.
  std::size_t begin_file(std::string text, std::string name);
  /// Adds the bytes [begin, end) of the file to text().
  void add(std::size_t file, std::size_t begin, std::size_t end);

  const std::string& text() const { return text_; }
  /// The file's text without its byte order mark. The view is valid as long as this object.
  std::string_view text_of(std::size_t file) const { return files_[file].source.text(); }
  const std::string& name_of(std::size_t file) const { return files_[file].source.file_name(); }
  /// The place of the byte at `offset` of text(); the end of the last file if the offset is past it.
  Location where(std::size_t offset) const;
  /// The place of an offset into one of the files.
  Location where(std::size_t file, std::size_t offset) const { return files_[file].source.where(offset); }

  /// A stretch of bytes that stand together in one file.
  struct Piece {
    std::size_t at = 0;  ///< offset in text()
    std::size_t file = 0;
    std::size_t from = 0;  ///< offset in the file
  };
  const std::vector<Piece>& pieces() const { return pieces_; }

 private:
  struct File {
    File(std::string file_text, std::string name)
        : text(std::move(file_text)), source(text, std::move(name)) {}
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    std::string text;
    SourceText source;
  };
  std::deque<File> files_;  ///< their sources view their texts, so they never move
  std::vector<Piece> pieces_;
  std::string text_;
};

}  // namespace pileus
