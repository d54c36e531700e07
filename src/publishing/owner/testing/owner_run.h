#pragma once
// A FileOwner in a seeded order of arrival, on a disk and in a format of memory.

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "disk/testing/memory_files.h"
#include "exec/seeded_executor.h"
#include "files/testing/small_plan.h"
#include "formats/testing/fake_format.h"
#include "publishing/owner/file_owner.h"
#include "time/manipulations/list.h"

namespace pileus::testing {

using Texts = std::vector<std::string>;

inline std::string temporary(const std::string& name) { return "out/." + name + ".id-0.part"; }

/// An owner of all files whose writers answer the first closing of a file at once.
class Owner {
 public:
  explicit Owner(std::uint64_t seed) : executor(seed) {}

  void start(std::size_t writers = 1) {
    FullDisks::Hooks told;
    told.full = [this](FilePeriod, const std::string&) { ++told_full; };
    told.over = [](FilePeriod, double, bool) {};
    full_disks = std::make_unique<FullDisks>(
        FullDisks{small.plan, pauses, {0, 0, 1}, executor, executor, std::move(told)});
    FileOwner::Hooks hooks;
    hooks.post = [this](Task task) { home.post(std::move(task)); };
    hooks.announce = [this](const Placement& placement) { placements.push_back(placement); };
    hooks.closing = [this, writers](const Closing& closing) {
      closings.push_back(closing);
      if (closing.is_last || !are_writers_quick || !answered.insert(closing.file).second) return;
      for (std::size_t i = 0; i < writers; ++i) {
        home.post([this, closing] { owner->parts_done({closing.file, part_error, part_missing}); });
      }
    };
    hooks.progress = [this](const Progress& told) { progress.push_back(told); };
    hooks.published = [this](const PublishedFile& file) {
      published.push_back(file.path + " " + std::to_string(file.records));
      missing.insert(missing.end(), file.missing.begin(), file.missing.end());
    };
    hooks.failed = [this](FilePeriod, const std::string& error) { failed.push_back(error); };
    owner = std::make_unique<FileOwner>(
        small.plan, 0, RunIdentity{"id", "today"}, "out",
        std::vector<std::size_t>(small.plan.files.size(), writers), disk, format,
        FileOwner::Lanes{library, executor, is_disk_tried_again ? full_disks.get() : nullptr},
        std::move(hooks));
  }
  /// Steps of 1 s to `end_s`; other lanes get `tasks_between` turns after each.
  void run(std::int64_t end_s, std::size_t tasks_between = 1000) {
    for (std::int64_t i = 1; i <= end_s; ++i) {
      home.post([this, i] { owner->advance({i, static_cast<double>(i), 1}, 0); });
      for (std::size_t t = 0; t < tasks_between && executor.run_one(); ++t) {
      }
    }
    home.post([this] { owner->finish(); });
    do executor.run_until_idle();
    while (pauses.poll());
  }
  /// Of the files, without those that only say that none follows.
  std::vector<Closing> closings_of_files() const {
    std::vector<Closing> files;
    for (const Closing& closing : closings) {
      if (!closing.is_last) files.push_back(closing);
    }
    return files;
  }
  double number_at(const std::string& path, std::size_t offset) const {
    double number;
    std::memcpy(&number, disk.files.at(path).data() + offset, sizeof number);
    return number;
  }

  SmallPlan small;
  SeededExecutor executor;
  MemoryFiles disk;
  FakeFormat format{disk};
  Strand home{executor}, library{executor};
  std::unique_ptr<FileOwner> owner;
  Pauses pauses;
  std::unique_ptr<FullDisks> full_disks;
  bool is_disk_tried_again = false;
  int told_full = 0;
  std::string part_error;
  std::vector<MissingPart> part_missing;
  bool are_writers_quick = true;  ///< false: the test answers for them
  std::set<FilePeriod> answered;
  std::vector<Placement> placements;
  std::vector<Closing> closings;
  std::vector<Progress> progress;
  Texts published, failed, missing;
};

/// One file each 10 s with a mean over 5 s of a scalar.
inline void add_means(Owner& run, const std::string& name = "f.nc") {
  const FileId file = run.small.file(name, 10);
  run.small.variable("m", run.small.axis(file, manipulations::averaged(), 5), Spread::rooted, {});
}

}  // namespace pileus::testing
