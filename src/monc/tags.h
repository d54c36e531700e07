#pragma once
// The tags of a MONC file in their order, each from "<" to the next ">". MONC ignores text between them.

#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "monc/fork.h"
#include "xml/placed_text.h"
#include "xml/xml_document.h"

namespace pileus::monc {

struct Tag {
  enum class Kind { start, end, comment };
  Kind kind = Kind::start;
  std::size_t at = 0;  ///< offset of the "<"
  std::string name;    ///< for a comment, its text
  std::vector<XmlAttribute> attributes;
  bool is_closed = false;  ///< it ends with "/>"
};

/// Reads all tags and comments. `findings` gets what cannot be understood.
std::vector<Tag> read_tags(const PlacedText& text, Fork fork, Findings& findings);

}  // namespace pileus::monc
