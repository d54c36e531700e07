#include "apps/left_parts.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string_view>

#include "core/error.h"
#include "formats/netcdf/netcdf_format.h"

namespace pileus::apps {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolder = ".parts";
constexpr const char* kPart = R"([0-9]{4,}\.([0-9a-f]{16})-[0-9]+\.nc)";

/// The folders below that are called so, but for what is hidden.
std::vector<fs::path> folders_of_parts(const fs::path& directory) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename();
    if (!entry.is_directory() || entry.is_symlink() || name.starts_with(".")) continue;
    if (name.ends_with(kFolder)) {
      found.push_back(entry.path());
    } else if (name != "pileus-checkpoints") {
      std::ranges::copy(folders_of_parts(entry.path()), std::back_inserter(found));
    }
  }
  return found;
}

/// The parts that files of a folder refer to.
struct Referred {
  std::set<fs::path> parts;
  bool are_all_known = true;  ///< false: some file cannot be read
};

/// Whether it may refer to parts, whatever its name is. Errors: OutputError.
bool is_hdf5(const fs::path& path) {
  constexpr std::string_view kSignature = "\211HDF\r\n\032\n";
  std::ifstream in(path, std::ios::binary);
  std::string begin(kSignature.size(), '\0');
  if (!in) throw OutputError(path.string() + ": could not open it");
  in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  if (in.bad()) throw OutputError(path.string() + ": could not read it");
  return in && begin == kSignature;
}

Referred referred_in(const fs::path& folder, FileFormat& format) {
  Referred found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    try {
      if (!is_hdf5(entry.path())) continue;
      for (const std::string& part : format.parts_of(entry.path())) found.parts.insert(folder / part);
    } catch (const OutputError&) {
      found.are_all_known = false;
    }
  }
  return found;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> parts_nobody_needs(const std::string& directory,
                                                                    const std::set<std::string>& referred) {
  std::vector<std::pair<std::string, std::string>> left;
  const std::unique_ptr<FileSystem> files = posix_file_system();
  const std::unique_ptr<FileFormat> format = netcdf_format(*files);
  const std::regex form(kPart);
  for (const fs::path& folder : folders_of_parts(directory)) {
    const Referred here = referred_in(folder.parent_path(), *format);
    if (!here.are_all_known) continue;
    for (const auto& entry : fs::directory_iterator(folder)) {
      std::smatch found;
      const std::string name = entry.path().filename();
      const std::string from_directory = entry.path().lexically_relative(directory);
      const bool is_part =
          entry.is_regular_file() && !entry.is_symlink() && std::regex_match(name, found, form);
      if (!is_part || here.parts.contains(entry.path()) || referred.contains(from_directory)) continue;
      left.emplace_back(entry.path(), found[1].str());
    }
  }
  return left;
}

}  // namespace pileus::apps
