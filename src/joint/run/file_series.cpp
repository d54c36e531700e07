#include "joint/run/file_series.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "core/error.h"
#include "files/file_layout.h"

namespace pileus {
namespace {

/// What the names of its files follow from.
PlannedFile names_of(const FileConfig& file) {
  if (is_moncs(file.naming))
    throw UsageError("file \"" + file.name.value + "\" is named as MONC does, which cannot be read in order");
  if (file.kind != &kinds::netcdf4())
    throw UsageError("file \"" + file.name.value + "\" is written as " + file.kind->name +
                     ", and only NetCDF is read");
  PlannedFile planned;
  planned.name = file.name.value;
  if (file.write_time_frequency.is_given()) planned.write_frequency = 1.0;  // that there is one is enough
  planned.write_frequency_steps = file.write_timestep_frequency;
  return planned;
}

/// A file that gets its name while the folder is read may be missed under both of its names.
std::vector<std::string> settled_list(const std::string& folder, FileSystem& files) {
  for (std::vector<std::string> names = files.list(folder);;) {
    std::vector<std::string> again = files.list(folder);
    if (again == names) return names;
    names = std::move(again);
  }
}

bool is_under_way(const std::string& temporary, const SeriesWriter& writer) {
  return !writer.has_ended &&
         (writer.run.empty() || temporary.find("." + writer.run + "-") != std::string::npos);
}

}  // namespace

PublishedSeries published_files(const FileConfig& file, const std::string& directory,
                                const SeriesWriter& writer, FileSystem& files) {
  const PlannedFile planned = names_of(file);
  const std::size_t slash = planned.name.rfind('/');
  const std::string before = slash == std::string::npos ? "" : planned.name.substr(0, slash + 1);
  const std::vector<std::string> in_directory = settled_list(directory, files);
  std::map<double, std::string> published;
  for (const std::string& name :
       before.empty() ? in_directory : settled_list(directory + "/" + before, files)) {
    if (const auto place = place_in_series(planned, before + name)) published.emplace(*place, before + name);
  }
  std::set<std::string> there;
  for (const auto& [place, name] : published) there.insert(name);
  PublishedSeries series;
  double first_under_way = std::numeric_limits<double>::infinity();
  for (const std::string& name : in_directory) {
    const std::string final_name = name_of_temporary(name);
    const auto place = place_in_series(planned, final_name);
    if (!place || there.contains(final_name) || *place >= first_under_way || !is_under_way(name, writer))
      continue;
    first_under_way = *place;
    series.waits_for = name;
  }
  for (const auto& [place, name] : published) {
    if (place < first_under_way) series.paths.push_back(directory + "/" + name);
  }
  return series;
}

}  // namespace pileus
