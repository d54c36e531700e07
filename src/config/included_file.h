#pragma once
// A file that a configuration includes, in the form in which it travels with it.

#include <string>

namespace pileus {

/// One include, and the file that it led to.
struct IncludedFile {
  std::string from;     ///< name of the including file
  std::string written;  ///< file="…", after substitution
  std::string name;     ///< a path that messages show and an editor opens
  std::string text;
};

}  // namespace pileus
