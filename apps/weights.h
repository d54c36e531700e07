#pragma once
// pileus weights: makes the weights of regriddings with CDO, and shows what a file of weights holds.

#include <string>

#include "apps/check.h"

namespace pileus::apps {

struct WeightsSettings {
  std::string configuration;
  std::string grids;             ///< netCDF file with the variables of the source grids
  std::string folder;            ///< where weights are kept; "": "weights" beside the configuration
  std::string from, to, method;  ///< one regridding that is wanted beside those of the rules; "": none
  std::string shown;             ///< a file of weights to be shown, and nothing else is done then
  bool has_rows = false;         ///< each link is shown
};

/// Makes what is not there or stale, and says so of each. Status: 0 if all weights are there, 1 if the
/// configuration has errors or some weights cannot be made, 2 if a file cannot be read or there is no CDO.
int weights(const ReadSettings& reading, const WeightsSettings& settings);

/// Reads the whole file and prints what it holds, or its links. Status: 0; 2 if it cannot be read.
int show_weights(const std::string& file, bool has_rows);

}  // namespace pileus::apps
