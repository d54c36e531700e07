#pragma once
// A FileOwner in a seeded order of arrival, on a disk and in a format of memory.

#include <functional>
#include <memory>
#include <optional>
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
class Owner : private FileWriters, private FileNews, private FullDiskTeller {
 public:
  explicit Owner(std::uint64_t seed) : executor(seed) {}

  void start(std::size_t writers = 1) {
    for (ServerRank writer = 0; writer < writers; ++writer) writers_of_each.push_back(writer);
    full_disks = std::make_unique<FullDisks>(
        FullDisks{small.plan, pauses, {0, 0, 1}, executor, executor, static_cast<FullDiskTeller&>(*this)});
    const OwnerMeans means{disk,    format,   home,
                           library, executor, is_disk_tried_again ? full_disks.get() : nullptr};
    book = std::make_unique<OwnedFiles>(small.plan, 0, names,
                                        std::vector(small.plan.files.size(), writers_of_each), means,
                                        std::map<VariableId, std::string>(), nullptr);
    owner = std::make_unique<FileOwner>(*book, means, static_cast<FileWriters&>(*this),
                                        static_cast<FileNews&>(*this));
  }
  void step(std::int64_t i, std::size_t tasks_afterwards = 1000) {
    home.post([this, i] { owner->advance({i, static_cast<double>(i), 1}, 0); });
    for (std::size_t t = 0; t < tasks_afterwards && executor.run_one(); ++t) {
    }
  }
  /// Steps of 1 s to `end_s`; other lanes get `tasks_between` turns after each.
  void run(std::int64_t end_s, std::size_t tasks_between = 1000) {
    for (std::int64_t i = 1; i <= end_s; ++i) step(i, tasks_between);
    home.post([this] { owner->finish(); });
    do executor.run_until_idle();
    while (pauses.poll());
  }
  /// The closings of files, without those that only say that none follows.
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
  FileNames names{small.plan, {"id", "today"}, "out"};
  std::vector<ServerRank> writers_of_each;
  std::unique_ptr<OwnedFiles> book;
  std::unique_ptr<FileOwner> owner;
  std::optional<Pauses::Clock::time_point> time;  ///< of a test that says when time passes
  Pauses pauses{[this] { return time.value_or(Pauses::Clock::now()); }};
  std::unique_ptr<FullDisks> full_disks;
  bool is_disk_tried_again = false;
  int told_full = 0;
  std::string part_error;
  std::vector<MissingPart> part_missing;
  bool are_writers_quick = true;  ///< false: the test answers for them
  std::set<FilePeriod> answered;
  std::vector<Placement> placements;
  std::vector<Closing> closings;
  std::vector<Progress> progress_told;
  Texts published_files, failed, missing;

 private:
  void place(const Placement& placement) override { placements.push_back(placement); }
  void progress(const Progress& said) override { progress_told.push_back(said); }
  void close(const Closing& closing) override {
    closings.push_back(closing);
    if (closing.is_last || !are_writers_quick || !answered.insert(closing.file).second) return;
    for (ServerRank writer : writers_of_each) {
      home.post([this, closing, writer] {
        owner->parts_done(writer, {closing.file, part_error, part_missing});
      });
    }
  }
  void cut(const Cut& /*cut*/) override {}
  void published(const PublishedFile& file) override {
    published_files.push_back(file.path + " " + std::to_string(file.records));
    missing.insert(missing.end(), file.missing.begin(), file.missing.end());
  }
  void lost(FilePeriod /*file*/, const DiskFailure& why) override { failed.push_back(why.text); }
  void kept(std::int64_t /*step*/, std::vector<StateEntry> /*entries*/) override {}
  void full(FilePeriod /*file*/, const std::string& /*why*/) override { ++told_full; }
  void over(FilePeriod /*file*/, double /*waited_s*/, bool /*has_space*/) override {}
};

/// One file each 10 s with a mean over 5 s of a scalar.
inline void add_means(Owner& run, const std::string& name = "f.nc") {
  const FileId file = run.small.file(name, 10);
  run.small.variable("m", run.small.axis(file, manipulations::averaged(), 5), Spread::rooted, {});
}

struct OwnerOfMeans : Owner {
  explicit OwnerOfMeans(std::uint64_t seed) : Owner(seed) { add_means(*this); }
};

}  // namespace pileus::testing
