#pragma once
// Which files a component has published of one series, in the order of their periods.

#include <string>
#include <vector>

#include "config/config.h"
#include "disk/file_system.h"

namespace pileus {

/// Who writes the files, as far as that is known.
struct SeriesWriter {
  std::string run;         ///< id; "": not known
  bool has_ended = false;  ///< nothing is written any more
};

struct PublishedSeries {
  std::vector<std::string> paths;
  std::string waits_for;  ///< name of the first file that is still written; "" for none
};

/// A file is not among the paths while one of an earlier period is still written: what comes in order then
/// comes in order here. Files that another run has under way do not count.
/// Errors: UsageError if its names do not say when a file is; OutputError.
PublishedSeries published_files(const FileConfig& file, const std::string& directory,
                                const SeriesWriter& writer, FileSystem& files);

}  // namespace pileus
