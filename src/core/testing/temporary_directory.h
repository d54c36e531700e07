#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace pileus::testing {

/// A new directory of a test's own, removed with all that is in it.
class TemporaryDirectory {
 public:
  /// Below `base`, by default below $TMPDIR or /tmp.
  explicit TemporaryDirectory(const std::filesystem::path& base = std::filesystem::temp_directory_path())
      : path_((base / "pileus-test-").string()) {
    path_ += "XXXXXX";  // mkdtemp puts in their place what makes the name unique
    if (!::mkdtemp(path_.data())) throw std::system_error(errno, std::generic_category(), path_);
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string path(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// Where many small files are synced fast: in memory if there is such a place and $TMPDIR names no other.
inline std::filesystem::path fast_directory() {
  const char* const shared_memory = "/dev/shm";
  const bool is_asked = std::getenv("TMPDIR") != nullptr;
  if (!is_asked && std::filesystem::is_directory(shared_memory)) return shared_memory;
  return std::filesystem::temp_directory_path();
}

}  // namespace pileus::testing
