#pragma once
// Files that rules name, of numbers or a table; they travel with the configuration as included files do.

#include <string>

#include "config/config.h"
#include "config/include_files.h"

namespace pileus {

/// Puts the numbers of a file, or all of its text, in the place of "file:" and its path; leaves other numbers
/// as they are. A file of numbers has one in each line; lines that are empty or begin with "#" are passed
/// over. Returns what is wrong, and in which line, or "".
std::string put_file(Text& written, bool as_numbers, const FindInclude& find_file);

/// Finds the files that operators of an expression name as 'file:levels.txt', so that the configuration has
/// them and known_includes() gives them to put_file() later. What is not there is reported then.
void find_number_files(const Text& expression, const FindInclude& find_file);

}  // namespace pileus
