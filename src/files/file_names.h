#pragma once
// Where the files of a run lie. The same on every server; thread-safe.

#include <atomic>
#include <cstdint>
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
  FileNames(const Plan& plan, RunIdentity run, std::string directory)
      : plan_(plan), run_(std::move(run)), directory_(std::move(directory)) {}

  /// The run has ended with this step, which may stand in the names of the files that end with it.
  void end(std::int64_t last_step) { last_step_ = last_step; }

  /// Without the directory.
  std::string name(FilePeriod file) const;
  /// The name, unless each file replaces the one before: then one of this period's own.
  std::string name_of_period(FilePeriod file) const;
  std::string final_path(FilePeriod file) const { return directory_ + "/" + name(file); }
  std::string temporary_name(FilePeriod file) const;
  std::string temporary_path(FilePeriod file) const { return directory_ + "/" + temporary_name(file); }
  /// Of what its format has published beside each file; "" where that is nothing.
  std::string final_path_beside(FilePeriod file) const;
  std::string temporary_path_beside(FilePeriod file) const;

  /// The file of one server, of a file in parts: "a/b.parts/0001.RUN-0.nc" in the directory. It has its name
  /// from the beginning, and no other run or attempt writes one of that name.
  std::string name_of_part(FilePeriod file, ServerRank server) const;
  std::string path_of_part(FilePeriod file, ServerRank server) const {
    return directory_ + "/" + name_of_part(file, server);
  }
  /// The same from the folder of the file.
  std::string part_beside(FilePeriod file, ServerRank server) const;

  const RunIdentity& run() const { return run_; }
  const std::string& directory() const { return directory_; }

 private:
  const Plan& plan_;
  RunIdentity run_;
  std::string directory_;
  std::atomic<std::int64_t> last_step_ = INT64_MAX;  ///< INT64_MAX: the run goes on
};

}  // namespace pileus
