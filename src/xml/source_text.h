#pragma once
// The text of one configuration file. It finds the line and column of each byte, as an editor shows them.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/location.h"

namespace pileus {

/// Lines end at LF, CR LF or a lone CR, as in XML. A byte order mark is not part of the text.
class SourceText {
 public:
  /// REQUIRES: what `text` views outlives this object.
  SourceText(std::string_view text, std::string file_name);

  std::string_view text() const { return text_; }
  const std::string& file_name() const { return file_name_; }

  /// The place of the byte at `offset` of text(); the end of the text if the offset is past it.
  Location where(std::size_t offset) const;

 private:
  std::string_view text_;
  std::string file_name_;
  std::vector<std::size_t> line_starts_;
};

}  // namespace pileus
