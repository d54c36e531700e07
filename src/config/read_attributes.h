#pragma once
// The elements <attribute>: what a file says of itself or of a variable besides what Pileus writes.

#include "config/element_reader.h"

namespace pileus {

/// Whose attributes they are.
enum class AttributeHome : std::uint8_t { all_files, file, field, diagnostic, include };

/// Errors, which leave the attribute out: names that Pileus writes itself or that mean something else to
/// readers, with the way out; a name twice; values that are no numbers where numbers are asked for.
std::vector<AttributeConfig> read_attributes(const ElementReader& parent, AttributeHome home);

}  // namespace pileus
