#pragma once

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace pileus {

/// A new directory of one's own, which is removed with everything in it.
class TemporaryDirectory {
 public:
  /// Makes it below `base`, by default below $TMPDIR or /tmp. Errors: std::system_error.
  explicit TemporaryDirectory(const std::filesystem::path& base = std::filesystem::temp_directory_path())
      : path_((base / "pileus-XXXXXX").string()) {  // mkdtemp puts what is unique in the place of XXXXXX
    if (::mkdtemp(path_.data()) != nullptr) return;
    const int error = errno;
    const std::string what =
        path_ + ": no temporary directory could be made there; TMPDIR names another place";
    throw std::system_error(error, std::generic_category(), what);
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

}  // namespace pileus
