#pragma once
// pileus report: what servers were at over the time of a run, from the report that the run wrote.

#include <string>
#include <vector>

namespace pileus::apps {

struct ReportSettings {
  std::string picture;  ///< path of a PNG to be drawn; "": none
  bool is_ascii = false;
};

/// Prints charts and what follows from the figures, for each report; draws all side by side if a picture is
/// asked for. Status: 0; 2 if a file cannot be read or is no report, or the picture cannot be drawn.
int report(const std::vector<std::string>& files, const ReportSettings& settings);

}  // namespace pileus::apps
