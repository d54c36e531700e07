#pragma once
// The book says which files of a server wait for space on the disk, and how long they have.

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "files/file_lane.h"
#include "publishing/file_events.h"
#include "watch/waits.h"

namespace pileus {

/// All calls come from the strand of the files.
class FullDiskBook : public FullDiskTeller {
 public:
  /// All outlive it.
  FullDiskBook(const Plan& plan, const FileNames& names, const FileEvents& events)
      : plan_(plan), names_(names), events_(events) {}

  /// One lane of the server is the owner's of the file, another that of its parts.
  void full(FilePeriod file, const std::string& why) override;
  void over(FilePeriod file, double waited_s, bool has_space) override;

  void add_to(Waits& waits) const;
  /// Texts about the files that have waited, and how long.
  std::vector<std::string> texts() const;

 private:
  struct Waiting {
    int lanes = 0;
    std::string why;
    std::chrono::steady_clock::time_point since;
    double waited_s = 0;  ///< the longest of the lanes
  };

  const Plan& plan_;
  const FileNames& names_;
  const FileEvents& events_;
  std::map<FilePeriod, Waiting> waiting_;
  std::map<FilePeriod, double> waited_s_;  ///< in all; of files that waited, which the report names
};

}  // namespace pileus
