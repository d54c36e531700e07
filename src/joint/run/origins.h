#pragma once
// The components whose files a component is made of: how it reads them, with which options they were run, and
// which files of theirs it reads.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/config.h"
#include "disk/file_system.h"
#include "joint/run/joint_run.h"
#include "joint/run_note.h"

namespace pileus {

class Origins {
 public:
  using Options = std::map<std::string, std::string>;

  /// Reads the configuration and the notes of these components.
  /// Errors: ConfigError; UsageError if it reads none, or if it cannot be told which options count.
  Origins(const JointSettings& settings, FileSystem& files);

  /// Of the component that is made.
  const Config& config() const { return config_; }
  /// Those of the components that are read, overruled by those of the settings.
  const Options& options() const { return options_; }
  /// Whether nothing more comes of any of them.
  bool have_ended() const;
  /// Whether nothing more comes of this one.
  bool has_ended(const std::string& component) const;
  /// The id of its run; "" where it left no note.
  std::string run_of(const std::string& component) const;
  /// The ids of all their runs.
  std::string runs() const;
  /// The file that a data-definition of config() names, as its component was run. Errors: UsageError.
  FileConfig file_of(const DataGroupConfig& group) const;

 private:
  struct Origin {
    std::optional<RunNote> note;
    Config plain, own;  ///< without options, and with those of its run
  };

  Config read(const std::string& component, const Options& options, Findings& findings,
              bool allow_missing) const;
  void read_notes(FileSystem& files);
  void merge_options();
  std::string conflict(const std::string& key) const;
  void require_options() const;

  const JointSettings& settings_;
  std::map<std::string, Origin> origins_;
  Options options_;
  std::set<std::string> conflicts_;  ///< keys to which the runs of two components give other values
  Config plain_, config_;
};

}  // namespace pileus
