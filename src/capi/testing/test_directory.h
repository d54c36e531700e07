#pragma once
// A directory of a test's own, with a configuration in it.

#include <filesystem>
#include <fstream>
#include <string>

#include "core/testing/temporary_directory.h"
#include "pileus/pileus.h"

namespace pileus::testing {

class TestDirectory {
 public:
  explicit TestDirectory(const std::string& configuration) {
    std::ofstream(configuration_path()) << configuration;
  }

  const std::string& path() const { return directory_.path(); }
  std::string configuration_path() const { return directory_.path("run.xml"); }
  int count_files(const std::string& extension) const {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(path()))
      count += entry.path().extension() == extension;
    return count;
  }

 private:
  TemporaryDirectory directory_;
};

}  // namespace pileus::testing
