#pragma once
// The tags of a MONC file, one after the other: what stands between "<" and the next ">". Text between them
// means nothing to MONC.

#include <optional>
#include <string>
#include <vector>

#include "config/placed_text.h"
#include "config/xml_document.h"
#include "core/error.h"

namespace pileus::monc {

struct Tag {
  enum class Kind { start, end, comment };
  Kind kind = Kind::start;
  std::size_t at = 0;  ///< of the "<"
  std::string name;    ///< of a comment: its text
  std::vector<XmlAttribute> attributes;
  bool is_closed = false;  ///< ends with "/>"
};

/// All tags and comments. What cannot be understood goes to `findings`.
std::vector<Tag> read_tags(const PlacedText& text, Findings& findings);

}  // namespace pileus::monc
