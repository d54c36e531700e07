#pragma once
// Writes a document as strict XML, as a user would have written it: `pileus convert` prints this.

#include <string>

#include "xml/xml_document.h"

namespace pileus {

/// All elements and comments, one on each line. A comment names the file where the elements of another file
/// begin.
/// REQUIRES: the document has a root.
std::string strict_text(const XmlDocument& document);

}  // namespace pileus
