#pragma once

#include <cstdlib>
#include <filesystem>

#include "core/temporary_directory.h"

namespace pileus::testing {

using pileus::TemporaryDirectory;

/// Where many small files are synced fast: in memory if there is such a place and $TMPDIR names no other.
inline std::filesystem::path fast_directory() {
  const char* const shared_memory = "/dev/shm";
  const bool is_asked = std::getenv("TMPDIR") != nullptr;
  if (!is_asked && std::filesystem::is_directory(shared_memory)) return shared_memory;
  return std::filesystem::temp_directory_path();
}

}  // namespace pileus::testing
