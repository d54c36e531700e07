#pragma once
// Reads the elements <attribute>: what a file says about itself or a variable besides what Pileus writes.

#include "config/element_reader.h"

namespace pileus {

/// The element that the attributes stand in.
enum class AttributeHome : std::uint8_t { all_files, file, field, diagnostic, include };

/// Errors, each of which leaves the attribute out: a name that Pileus writes itself or that means something
/// else to readers, with a way out; a name that is given twice; a value that should be a number and is none.
std::vector<AttributeConfig> read_attributes(const ElementReader& parent, AttributeHome home);

}  // namespace pileus
