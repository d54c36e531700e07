#pragma once
// Which files a component has published of one series, in the order of their periods.

#include <string>
#include <vector>

#include "config/config.h"
#include "disk/file_system.h"

namespace pileus {

/// The paths of those files. One that another, of an earlier period, is still written before is not among
/// them: what comes in order then comes in order here. `has_ended`: nothing is written any more.
/// Errors: UsageError if its names do not say when a file is; OutputError.
std::vector<std::string> published_files(const FileConfig& file, const std::string& directory, bool has_ended,
                                         FileSystem& files);

}  // namespace pileus
