#pragma once
// Explains why the XML library refuses a text, in words for somebody who has mistyped it.

#include <cstddef>
#include <string>

#include "xml/source_text.h"

namespace pileus {

/// Why the byte at `at` cannot stand there.
std::string why_invalid(const SourceText& source, std::size_t at);

/// The place of the first entity behind `at` that XML does not know; `at` if there is none.
std::size_t place_of_undefined(const SourceText& source, std::size_t at);
/// Why the entity there is unknown.
std::string why_undefined(const SourceText& source, std::size_t at);

}  // namespace pileus
