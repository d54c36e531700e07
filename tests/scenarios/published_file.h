#pragma once
// Reads published files with the netCDF library alone, without Pileus's own code.

#include <string>
#include <vector>

namespace pileus::testing {

/// The netCDF library fills doubles with this (NC_FILL_DOUBLE).
inline constexpr double kFill = 9.9692099683868690e+36;

/// A test that asks for something that is not there fails and gets nothing.
class PublishedFileReader {
 public:
  explicit PublishedFileReader(const std::string& path);
  ~PublishedFileReader();
  PublishedFileReader(const PublishedFileReader&) = delete;
  PublishedFileReader& operator=(const PublishedFileReader&) = delete;

  /// All values of a variable in the order of the file.
  std::vector<double> values(const std::string& variable) const;
  /// Names of its dimensions, slowest first.
  std::vector<std::string> dimensions(const std::string& variable) const;
  /// A text attribute of the variable, or of the file if `variable` is "".
  std::string attribute(const std::string& variable, const std::string& name) const;
  /// Names of all variables, in the order of the file.
  std::vector<std::string> variables() const;

 private:
  std::string path_;
  int file_ = -1;
};

}  // namespace pileus::testing
