#pragma once
// What is wrong with a text that the XML library does not take, in words of somebody who has mistyped it.

#include <cstddef>
#include <string>

#include "config/source_text.h"

namespace pileus {

/// Of the byte at `at`, which cannot stand there.
std::string why_invalid(const SourceText& source, std::size_t at);

/// Where the first entity behind `at` stands that XML does not know; `at` if there is none.
std::size_t place_of_undefined(const SourceText& source, std::size_t at);
/// Of the one there.
std::string why_undefined(const SourceText& source, std::size_t at);

}  // namespace pileus
