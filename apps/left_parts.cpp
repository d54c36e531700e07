#include "apps/left_parts.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
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

/// Unfinished files are none of these: they have a checkpoint, or nobody needs their parts.
Referred referred_in(const fs::path& folder, FileFormat& format, std::vector<std::string>& lacking) {
  Referred found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.path().filename().string().starts_with(".")) continue;
    try {
      if (!is_hdf5(entry.path())) continue;
      for (const std::string& part : format.parts_of(entry.path())) {
        const fs::path path = folder / part;
        if (!fs::exists(path))
          lacking.push_back(entry.path().string() + ": lacks " + part +
                            ", and readers find _FillValue in its place");
        found.parts.insert(path);
      }
    } catch (const OutputError&) {
      found.are_all_known = false;
    }
  }
  return found;
}

}  // namespace

PartsListing list_parts(const std::string& directory, const std::set<std::string>& referred) {
  PartsListing listing;
  const std::unique_ptr<FileSystem> files = posix_file_system();
  const std::unique_ptr<FileFormat> format = netcdf_format(*files);
  const std::regex form(kPart);
  std::map<fs::path, Referred> known;  // by folder of files
  for (const fs::path& folder : folders_of_parts(directory)) {
    const auto [here, is_new] = known.try_emplace(folder.parent_path());
    if (is_new) here->second = referred_in(here->first, *format, listing.lacking);
    if (!here->second.are_all_known) continue;
    for (const auto& entry : fs::directory_iterator(folder)) {
      std::smatch found;
      const std::string name = entry.path().filename();
      const std::string from_directory = entry.path().lexically_relative(directory);
      const bool is_part =
          entry.is_regular_file() && !entry.is_symlink() && std::regex_match(name, found, form);
      const bool is_needed = here->second.parts.contains(entry.path()) || referred.contains(from_directory);
      if (is_part && !is_needed) listing.unneeded.emplace_back(entry.path(), found[1].str());
    }
  }
  std::ranges::sort(listing.lacking);
  return listing;
}

}  // namespace pileus::apps
