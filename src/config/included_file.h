#pragma once
// A file that a configuration includes, as it travels with it.

#include <string>

namespace pileus {

/// One include and what it led to.
struct IncludedFile {
  std::string from;     ///< name of the including file
  std::string written;  ///< file="…", after substitution
  std::string name;     ///< as messages call it: a path that an editor opens
  std::string text;
};

}  // namespace pileus
