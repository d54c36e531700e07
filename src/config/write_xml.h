#pragma once
// A document as strict XML, as a user would have written it: what `pileus convert` prints.

#include <string>

#include "config/xml_document.h"

namespace pileus {

/// All elements and comments, one a line. Where the elements of another file begin, a comment names it.
/// REQUIRES: the document has a root.
std::string strict_text(const XmlDocument& document);

}  // namespace pileus
