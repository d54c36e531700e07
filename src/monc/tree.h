#pragma once
// Makes one tree of a MONC file's elements, under one root. MONC needs neither a root nor the ends of
// elements that hold nothing; the table of all elements tells which elements those are.

#include "monc/tags.h"
#include "xml/xml_document.h"

namespace pileus::monc {

struct Tree {
  XmlElement root;
  bool is_complete = true;  ///< false: an element is never closed, so that a missing part means nothing
};

Tree build_tree(std::vector<Tag> tags, const PlacedText& text, Findings& findings);

}  // namespace pileus::monc
