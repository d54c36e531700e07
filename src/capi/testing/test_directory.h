#pragma once
// A directory of a test's own, with a configuration in it.

#include <filesystem>
#include <fstream>
#include <string>

#include "pileus/pileus.h"

namespace pileus::testing {

class TestDirectory {
 public:
  explicit TestDirectory(const std::string& configuration) {
    std::string pattern = (std::filesystem::temp_directory_path() / "pileus_capi_XXXXXX").string();
    path_ = mkdtemp(pattern.data());
    std::ofstream(configuration_path()) << configuration;
  }
  ~TestDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TestDirectory(const TestDirectory&) = delete;
  TestDirectory& operator=(const TestDirectory&) = delete;

  std::string path() const { return path_; }
  std::string configuration_path() const { return path_ + "/run.xml"; }
  int count_files(const std::string& extension) const {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      count += entry.path().extension() == extension;
    return count;
  }

 private:
  std::string path_;
};

}  // namespace pileus::testing
