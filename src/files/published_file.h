#pragma once
// What is said of a file that has been published: in the report, in the events and to commands.

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "files/file_frames.h"

namespace pileus {

struct PublishedFile {
  std::string path;
  std::int64_t records = 0;  ///< over all axes
  std::vector<std::string> missing;
  std::string series;    ///< the file's name in the configuration
  double latency_s = 0;  ///< from the clock's word that no record will follow to the publication
  FilePeriod key = {};
  double first_record_s = NAN, last_record_s = NAN;  ///< model time of the first and the last record
  std::int64_t dropped = 0;                          ///< records that were left out, over all axes
  std::string publication = {};  ///< the same whenever this file of this run is published, continued or not
};

}  // namespace pileus
