#pragma once
// Where the files of a run lie. The same on every server; thread-safe, as nothing in it changes.

#include <string>
#include <string_view>
#include <vector>

#include "files/file_frames.h"
#include "files/run_identity.h"
#include "plan/plan.h"

namespace pileus {

/// Whether a name, perhaps with folders before it, can only be one below the directory that it is meant in.
bool lies_within(std::string_view name);

/// The folders before a name, the outermost first: "a" and "a/b" of "a/b/c.nc".
std::vector<std::string> folders_of_name(const std::string& name);

class FileNames {
 public:
  /// REQUIRES: the plan outlives it.
  FileNames(const Plan& plan, RunIdentity run, std::string directory, std::string extension)
      : plan_(plan),
        run_(std::move(run)),
        directory_(std::move(directory)),
        extension_(std::move(extension)) {}

  /// Without the directory.
  std::string name(FilePeriod file) const;
  std::string final_path(FilePeriod file) const { return directory_ + "/" + name(file); }
  std::string temporary_path(FilePeriod file) const;

  const RunIdentity& run() const { return run_; }
  const std::string& directory() const { return directory_; }

 private:
  const Plan& plan_;
  RunIdentity run_;
  std::string directory_;
  std::string extension_;
};

}  // namespace pileus
