#pragma once
// A place in a configuration.

#include <string>

namespace pileus {

struct Location {
  std::string file;  ///< as the user named it
  int line = 0;      ///< from 1; 0: the file as a whole
  int column = 0;    ///< from 1, in bytes; 0: the line as a whole

  /// "io.xml:14:9", "io.xml:14" or "io.xml".
  std::string text() const {
    std::string out = file;
    if (line > 0) out += ":" + std::to_string(line);
    if (line > 0 && column > 0) out += ":" + std::to_string(column);
    return out;
  }
  friend bool operator==(const Location&, const Location&) = default;
};

}  // namespace pileus
