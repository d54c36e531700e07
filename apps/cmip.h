#pragma once
// pileus cmip: a data request of CMIP becomes a configuration, with a list of what the model lacks.

#include <string>
#include <vector>

#include "apps/check.h"

namespace CLI {
class App;
}

namespace pileus::apps {

struct CmipSettings {
  std::string request;                  ///< a CSV file
  std::string tables, cv;               ///< as those of <cmip-dataset>
  std::string fields;                   ///< a CSV file that says which field is which variable; "": names do
  std::vector<std::string> included;    ///< files that declare fields and diagnostics
  std::vector<std::string> attributes;  ///< name=value: of <cmip-dataset>, or any that its files are to have
  std::string output;                   ///< "": the standard output
};

/// Adds the command to the program's. What it is given goes to `settings` and to `model`, a description of
/// the model; both outlive it.
CLI::App* add_cmip(CLI::App& app, CmipSettings& settings, std::string& model);

/// Writes the configuration, and to the standard error what it leaves out, and why. Status: 0; 1 if the
/// request has mistakes, and nothing is written then, or check finds errors in what is written. Errors:
/// ConfigError, UsageError and std::runtime_error about files that cannot be read or written.
int cmip(const ReadSettings& reading, const CmipSettings& settings);

}  // namespace pileus::apps
