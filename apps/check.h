#pragma once
// pileus check and pileus convert: find everything that is wrong with configurations, without a model, and
// write the strict form of one in another dialect.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "description/model_file.h"

namespace pileus::apps {

/// How to read configurations.
struct ReadSettings {
  std::vector<std::pair<std::string, std::string>> options;  ///< from --set
  std::string dialect;                    ///< the name of one; "": the contents of each file decide
  std::vector<std::string> include_path;  ///< folders, before those of the environment
  std::string component;                  ///< read what is for this one; "": check reads all
  std::string standard_names;             ///< check looks names up in this table of CF; "": it does not
  std::string model;  ///< check compares the configuration with this description of a model; "": none
};

/// Prints the findings of each file, for people or as JSON. Status: 0 if there is no error, 1 if there is,
/// 2 if a file cannot be read.
int check(const std::vector<std::string>& files, const ReadSettings& settings, bool as_json);

/// The findings about a text; `name` is the file that it is, or will be. Errors: ConfigError if it cannot be
/// read.
Findings findings_in(const std::string& text, const std::string& name, const ReadSettings& settings,
                     const std::optional<ModelFile>& model = {});

/// Writes the strict form of a file to `output`, or to the standard output if that is "". Findings go to the
/// standard error. Status: 0; 1 if it is no configuration, and nothing is written then, or if check finds
/// errors in what is written; 2 if a file cannot be read or written.
int convert(const std::string& file, const std::string& output, const ReadSettings& settings);

}  // namespace pileus::apps
