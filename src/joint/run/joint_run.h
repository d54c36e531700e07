#pragma once
// Makes the files of a component that is made of what others publish, as far as they have published it. It is
// a run like any other: one process with an attached server, whose steps are the times that all files have.
// It stops behind a checkpoint and goes on from it when it is called again, so that nothing depends on when,
// and how often, it is called.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace pileus {

struct JointSettings {
  std::string configuration;  ///< path of the XML file
  std::string directory = ".";
  std::string component;                                     ///< the one that is made
  std::vector<std::pair<std::string, std::string>> options;  ///< they overrule those of the components
  bool is_final = false;                                     ///< nothing more comes, whatever notes say
  bool is_quiet = false;                                     ///< no report is printed
  double patience_s = 0;  ///< how long it waits for another process that makes it; 0: without end
};

/// How far it came.
struct Joined {
  std::int64_t steps = 0;  ///< that were made now
  double last_s = 0;       ///< model time of the last one that was ever made
  bool has_any = false;    ///< there was one
  bool is_over = false;    ///< all is published
  std::string waits_for;   ///< a sentence, where nothing could be done; "" otherwise
};

/// The names of the components of the configuration that are made of files, each after those that it reads.
/// Errors: ConfigError if it cannot be read.
std::vector<std::string> joint_components(const std::string& configuration);

/// Waits for another process that makes the same component. A process makes one component: its turn, and the
/// threads and memory of what is not over, stay until it ends, without their destructors (std::_Exit).
/// Errors: ConfigError, UsageError for files that do not fit, OutputError.
Joined join_component(const JointSettings& settings);

}  // namespace pileus
