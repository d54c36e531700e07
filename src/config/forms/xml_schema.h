#pragma once
// The strict language as an XML Schema (XSD 1.0), for editors that complete and check while a person writes.

#include <string>

#include "core/catalogue.h"

namespace pileus {

/// Makes the schema of the table of elements and of what the rules of `catalogue` declare. Everything that
/// read_config accepts is valid. Some mistakes are valid too, as a schema cannot say that
/// - an element may stand only once, names are unique, or one attribute goes with another;
/// - a rule has the parameters that its name asks for: every rule may have those of all.
/// {key} may stand in any value.
std::string xml_schema(const Catalogue& catalogue);

}  // namespace pileus
