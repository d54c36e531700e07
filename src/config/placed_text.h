#pragma once
// A text put together from several files, in which every byte still stands where its file has it.

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "config/source_text.h"

namespace pileus {

class PlacedText {
 public:
  /// The file that what is added next comes from; its number.
  std::size_t begin_file(std::string text, std::string name);
  /// Adds the bytes [begin, end) of the file.
  void add(std::size_t file, std::size_t begin, std::size_t end);

  const std::string& text() const { return text_; }
  /// Without its byte order mark. The view stays while this object does.
  std::string_view text_of(std::size_t file) const { return files_[file].source.text(); }
  const std::string& name_of(std::size_t file) const { return files_[file].source.file_name(); }
  /// Where the byte at `offset` of text() stands; the end of the last file for an offset past it.
  Location where(std::size_t offset) const;
  /// Of an offset into one of the files.
  Location where(std::size_t file, std::size_t offset) const { return files_[file].source.where(offset); }

  /// A run of bytes that stand together in one file.
  struct Piece {
    std::size_t at = 0;  ///< in text()
    std::size_t file = 0;
    std::size_t from = 0;  ///< in the file
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
  std::deque<File> files_;  ///< never moved: their sources view their texts
  std::vector<Piece> pieces_;
  std::string text_;
};

}  // namespace pileus
