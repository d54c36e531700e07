#pragma once
// The patterns in the controlled vocabularies of CMIP.

#include <string>

namespace pileus {

/// Whether a word of a vocabulary is a pattern.
bool is_pattern(const std::string& word);

/// Patterns are basic ones of POSIX, as CMOR reads them: found anywhere where they do not say begin and end.
/// One that nobody can read, or that would take long, forbids nothing.
bool fits_pattern(const std::string& pattern, const std::string& value);

}  // namespace pileus
