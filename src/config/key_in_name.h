#pragma once
// Where MONC's names of files have the key that tells the files of a series apart.

#include <string>
#include <string_view>

namespace pileus {

enum class Dot { first, last };

/// The name with `key` before its first or last dot, or at its end. Dots of folders do not count.
inline std::string with_key_before(Dot which, std::string name, std::string_view key) {
  const std::size_t begin = name.rfind('/') + 1;  // 0 without a folder
  const std::size_t dot = which == Dot::first ? name.find('.', begin) : name.rfind('.');
  return name.insert(dot == name.npos || dot < begin ? name.size() : dot, key);
}

}  // namespace pileus
