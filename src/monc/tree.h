#pragma once
// The elements of a MONC file as one tree under one root. MONC has no need of a root, nor of the ends of
// elements that hold nothing; which elements those are follows from the table of all elements.

#include "config/xml_document.h"
#include "monc/tags.h"

namespace pileus::monc {

struct Tree {
  XmlElement root;
  bool is_complete = true;  ///< false: something is never closed, so that what is missing means nothing
};

Tree build_tree(std::vector<Tag> tags, const PlacedText& text, Findings& findings);

}  // namespace pileus::monc
