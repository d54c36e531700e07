#include "config/include_files.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>

#include "config/read_config.h"
#include "core/suggest.h"

namespace pileus {
namespace {

namespace fs = std::filesystem;

/// The file of this code: a shared library, or the program.
fs::path own_file() {
  std::error_code problem;
  const fs::path program = fs::read_symlink("/proc/self/exe", problem);
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&presets_directory), &info) == 0 || !info.dli_fname)
    return program;
  // For the program itself this is the name that it was called with.
  const fs::path found = info.dli_fname;
  return found.is_absolute() ? found : program;
}

std::string quoted(const std::string& text) { return '"' + text + '"'; }

/// The file with a similar name beside the first of `places` that has one.
std::string meant(const std::vector<fs::path>& places) {
  std::vector<std::string> names;
  std::error_code problem;
  const fs::path folder = places.front().parent_path();
  for (fs::directory_iterator at(folder.empty() ? "." : folder, problem), end; !problem && at != end;
       at.increment(problem)) {
    names.push_back(at->path().filename().string());
  }
  return did_you_mean(places.front().filename().string(), names);
}

[[noreturn]] void not_found(const std::string& written, const std::vector<fs::path>& places,
                            const std::string& advice = "") {
  std::string looked;
  for (const fs::path& place : places) looked += (looked.empty() ? "" : " and ") + place.string();
  Findings findings;
  findings.error({}, "there is no file " + quoted(written) + "; looked for " + looked + advice);
  throw ConfigError(std::move(findings));
}

}  // namespace

fs::path presets_directory() {
  if (const char* given = std::getenv("PILEUS_PRESETS")) return given;
  const fs::path presets = own_file().parent_path().parent_path() / "share" / "pileus" / "presets";
  std::error_code problem;
  return fs::is_directory(presets, problem) ? presets : fs::path();
}

std::vector<fs::path> include_path() {
  std::vector<fs::path> folders;
  const char* const given = std::getenv("PILEUS_INCLUDE_PATH");
  const std::string text = given ? given : "";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(':', at), text.size());
    if (end > at) folders.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return folders;
}

std::vector<fs::path> folders_of(const std::vector<std::string>& given) {
  std::vector<fs::path> folders(given.begin(), given.end());
  for (fs::path& one : include_path()) folders.push_back(std::move(one));
  return folders;
}

FindInclude includes_on_disk(fs::path presets, std::vector<fs::path> folders) {
  return [presets = std::move(presets), folders = std::move(folders)](const std::string& from,
                                                                      const std::string& written) {
    std::vector<fs::path> places = {fs::path(from).parent_path() / written};
    for (const fs::path& folder : folders) places.push_back(folder / written);
    const bool has_path = fs::path(written).has_parent_path();
    if (!has_path && !presets.empty()) places.push_back(presets / written);
    for (const fs::path& place : places) {
      std::error_code problem;
      if (!fs::exists(place, problem)) continue;
      return IncludedFile{from, written, place.lexically_normal().string(), read_text_file(place)};
    }
    not_found(written, places, meant(places));
  };
}

FindInclude known_includes(const std::vector<IncludedFile>& files) {
  return [&files](const std::string& from, const std::string& written) {
    for (const IncludedFile& file : files) {
      if (file.from == from && file.written == written) return file;
    }
    not_found(written, {fs::path(written)});
  };
}

}  // namespace pileus
