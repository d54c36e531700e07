#pragma once
// The strict language as an XML Schema (XSD 1.0), for editors that complete and check while one writes.

#include <string>

#include "core/catalogue.h"

namespace pileus {

/// Made of the table of elements and of what the rules of `catalogue` declare. What is right for read_config
/// is right for the schema; not all that is wrong is wrong for it, because it cannot say that
/// - an element may stand only once, names are unique, or one attribute goes with another;
/// - a rule has the parameters that its name asks for: every rule may have those of all.
/// {key} may stand in any value.
std::string xml_schema(const Catalogue& catalogue);

}  // namespace pileus
