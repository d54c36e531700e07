// Runs whose servers lay aside on a disk what they have no memory for: in any order, whatever is slow or
// fails, files are those of one process; and the model does not wait for what is slow.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "core/error.h"
#include "disk/passing_files.h"
#include "exec/seeded_executor.h"
#include "server/testing/killed_runs.h"
#include "server/testing/orders.h"

namespace pileus::testing {
namespace {

/// Its scratch files lie in memory. Some writes to them fail, and all reads where it is lost.
class SpillDisk : public PassingFiles {
 public:
  std::uint64_t fails_from = 0, fails_until = 0;  ///< numbers of writes, from 1; 0: none
  bool is_lost = false;
  std::uint64_t writes = 0, failures = 0;

  std::unique_ptr<ScratchFile> open_scratch(const std::string&) override {
    return std::make_unique<Scratch>(*this);
  }

 private:
  class Scratch : public ScratchFile {
   public:
    explicit Scratch(SpillDisk& disk) : disk_(disk) {}
    void write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
      const std::uint64_t number = ++disk_.writes;
      if (number >= disk_.fails_from && number < disk_.fails_until) {
        ++disk_.failures;
        throw DiskFullError("/scratch: could not write to a file there: No space left on device");
      }
      bytes_.resize(std::max<std::size_t>(bytes_.size(), offset + bytes.size()));
      std::ranges::copy(bytes, bytes_.begin() + static_cast<std::ptrdiff_t>(offset));
    }
    void read_at(std::uint64_t offset, std::span<std::byte> bytes) override {
      if (disk_.is_lost) throw OutputError("/scratch: could not read a file there: Input/output error");
      std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), bytes.size(), bytes.begin());
    }
    void clear() override { bytes_.clear(); }

   private:
    SpillDisk& disk_;
    Bytes bytes_;
  };
};

/// The scratch files of the system, with a count of what is written to them.
class CountedScratchFiles : public PassingFiles {
 public:
  std::uint64_t writes = 0;

  std::unique_ptr<ScratchFile> open_scratch(const std::string& directory) override {
    return std::make_unique<Scratch>(PassingFiles::open_scratch(directory), writes);
  }

 private:
  class Scratch : public ScratchFile {
   public:
    Scratch(std::unique_ptr<ScratchFile> file, std::uint64_t& writes)
        : file_(std::move(file)), writes_(writes) {}
    void write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
      ++writes_;
      file_->write_at(offset, bytes);
    }
    void read_at(std::uint64_t offset, std::span<std::byte> bytes) override { file_->read_at(offset, bytes); }
    void clear() override { file_->clear(); }

   private:
    std::unique_ptr<ScratchFile> file_;
    std::uint64_t& writes_;
  };
};

std::string with_memory(std::string text, const std::string& budget, const std::string& limit,
                        const std::string& directory = "/scratch") {
  const std::string root = "<io-configuration>";
  text.replace(0, root.size(),
               root + "<server-configuration><memory budget=\"" + budget + "\" spill_directory=\"" +
                   directory + "\" spill_limit=\"" + limit + "\"/></server-configuration>");
  const std::string file = "<file ";
  return text.replace(text.find(file), file.size(), file + "when_memory_full=\"spill\" ");
}

std::int64_t spilled_by(const SimulatedResult& result) {
  std::int64_t parcels = 0;
  for (const ServerFigures& server : result.figures.servers) parcels += server.spilled_parcels;
  return parcels;
}

class SpillingRun : public ContinuedRun {
 protected:
  static std::string files() {
    return file("every", "write_time_frequency=\"30\" deflate=\"1\"", "w dt vwp w_anomaly", "none", "") +
           file("plain", "write_time_frequency=\"30\"", "w", "none", "") +
           file("means", "write_time_frequency=\"40\"", kFields, "averaged", "8");
  }
  /// `which`: of several.
  static std::string budget(std::uint64_t which) {
    return std::vector{"1", "30 KiB", "100 KiB", "300 KiB"}[which % 4];
  }
  static std::string limit(std::uint64_t which) { return which % 3 == 0 ? "3 KiB" : "1 GiB"; }
};

TEST_F(SpillingRun, has_the_files_of_one_process_in_any_order_whatever_is_slow_or_fails) {
  std::map<std::string, std::map<std::string, std::string>> references;
  std::int64_t spilled = 0;
  std::uint64_t failures = 0;
  for (std::uint64_t seed = 1; seed <= as_many_as_asked(112); ++seed) {
    const RunOf all{with_memory(configuration(files()), budget(seed), limit(seed / 4))};
    auto& right = references[all.configuration];
    if (right.empty()) {
      SimulatedRun run = all.in_layout(1, 1, 0);
      SpillDisk disk;
      run.files = &disk;
      run.model = all.model(1, 1);
      right = simulate(run).files;
      ASSERT_FALSE(right.empty());
    }
    SimulatedRun run = all.in_any_layout(seed);
    run.is_spill_slow = seed % 5 == 0;
    run.is_disk_slow = run.is_disk_slow || seed % 3 == 0;
    if (seed % 4 == 0) run.most_unreceived = 1;
    SpillDisk disk;
    if (seed % 3 == 1) disk.fails_until = (disk.fails_from = 1 + seed % 7) + 1 + seed % 5;
    run.files = &disk;
    run.model = all.model(run.ranks, seed);
    SCOPED_TRACE("seed " + std::to_string(seed));
    const SimulatedResult result = simulate(run);
    std::filesystem::remove_all(result.directory);
    ASSERT_EQ(result.errors, "");
    for (const std::string& error : result.model_errors) ASSERT_EQ(error, "");
    ASSERT_TRUE(result.leftovers.empty());
    ASSERT_TRUE(result.files == right);
    EXPECT_EQ(result.figures.warnings.empty(), disk.failures == 0);
    spilled += spilled_by(result);
    failures += disk.failures;
  }
  EXPECT_GT(spilled, 0);
  EXPECT_GT(failures, 0);
}

/// The steps that rank 0 had begun when the first part of a file was to be written.
std::int64_t begun_before_the_first_write(const std::string& xml, std::int64_t* spilled = nullptr) {
  class Watched : public SpillDisk {
   public:
    std::int64_t begun = 0, begun_then = 0;
    std::unique_ptr<PartFile> open_parts(const std::string& path) override {
      if (begun_then == 0) begun_then = begun;
      return SpillDisk::open_parts(path);
    }
  } disk;
  const RunOf all{xml, varying_steps(60)};
  SimulatedRun run = all.in_layout(1, 1, 1);
  run.is_disk_slow = true;
  run.files = &disk;
  run.model = [&](Client& client, ClientRank rank) {
    SmallModel model = all.model(1, 1);
    model.before_step = [&](const Step& step) { disk.begun = step.index; };
    model(client, rank);
  };
  const SimulatedResult result = simulate(run);
  EXPECT_EQ(result.errors, "");
  if (spilled != nullptr) *spilled = spilled_by(result);
  return disk.begun_then;
}

TEST_F(SpillingRun, lets_the_model_end_before_a_disk_has_written_anything_where_the_spill_has_space) {
  const std::string xml = configuration(file("plain", "write_time_frequency=\"1000\"", "w", "none", ""));
  std::int64_t spilled = 0;
  EXPECT_EQ(begun_before_the_first_write(with_memory(xml, "100 KiB", "1 GiB"), &spilled), 60);
  EXPECT_GT(spilled, 0);
  std::string waiting = with_memory(xml, "100 KiB", "1 GiB");
  waiting = waiting.replace(waiting.find(" spill_directory"),
                            waiting.find("/></server") - waiting.find(" spill_directory"), "");
  waiting.replace(waiting.find("\"spill\""), 7, "\"wait\"");
  EXPECT_LT(begun_before_the_first_write(waiting), 60);
  EXPECT_LT(begun_before_the_first_write(with_memory(xml, "100 KiB", "4 KiB")), 60);
}

TEST_F(SpillingRun, ends_in_order_where_what_was_spilled_is_lost) {
  for (std::uint64_t seed = 1; seed <= as_many_as_asked(12); ++seed) {
    const RunOf all{with_memory(configuration(files()), "100 KiB", "1 GiB")};
    SimulatedRun run = all.in_layout(3, 2, seed);
    SpillDisk disk;
    disk.is_lost = true;
    run.files = &disk;
    run.is_disk_slow = true;
    run.model = all.model(3, seed);
    const SimulatedResult result = simulate(run);
    std::filesystem::remove_all(result.directory);
    EXPECT_NE(result.errors.find("what was spilled is lost"), std::string::npos) << result.errors;
    EXPECT_NE(result.model_errors[0], "");
  }
}

/// The disk ends what it does in the middle of a turn of a server's lane, after that has looked for it.
TEST_F(SpillingRun, does_not_end_before_it_has_taken_notice_of_what_was_read_last) {
  const RunOf all{with_memory(configuration(files()), "100 KiB", "1 GiB")};
  std::map<std::string, std::string> right;
  std::int64_t spilled = 0;
  for (std::uint64_t seed = 1; seed <= as_many_as_asked(28); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SeededExecutor spilling(seed);
    SeededRandom random(seed);
    SpillDisk disk;
    SimulatedRun run = all.in_layout(1 + (seed - 1) % 4, 1 + (seed - 1) % 3, seed);
    run.files = &disk;
    run.spill_executor = &spilling;
    run.on_time = [&] {
      if (random.below(200) == 0) spilling.run_one();
    };
    run.model = all.model(run.ranks, 1);
    const SimulatedResult result = simulate(run);
    std::filesystem::remove_all(result.directory);
    ASSERT_EQ(result.errors, "");
    if (seed == 1) right = result.files;
    ASSERT_TRUE(result.files == right);
    spilled += spilled_by(result);
  }
  EXPECT_GT(spilled, 0);
}

TEST_F(SpillingRun, is_refused_where_a_server_has_no_such_folder) {
  const RunOf all{with_memory(configuration(files()), "100 KiB", "1 GiB", "/no/such/folder")};
  SimulatedRun run = all.in_layout(2, 2, 1);
  run.model = all.model(2, 1);
  const SimulatedResult result = simulate(run);
  EXPECT_NE(result.errors.find("spill_directory: server "), std::string::npos) << result.errors;
  EXPECT_NE(result.errors.find("/no/such/folder: could not make a file there: No such file or directory"),
            std::string::npos)
      << result.errors;
  EXPECT_NE(result.model_errors[1], "");
}

TEST_F(SpillingRun, has_the_same_files_when_it_is_killed_again_and_again) {
  const std::string folder = std::filesystem::temp_directory_path();
  CountedScratchFiles scratch;
  for (std::uint64_t seed = 1; seed <= as_many_as_asked(20); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RunOf run{with_memory(configuration(files()), budget(1 + seed % 3), "1 GiB", folder)};
    const std::map<std::string, std::string> right = run.uninterrupted_files();
    const SimulatedResult result = run.killed_again_and_again(
        seed, [](const SimulatedResult&) {}, &scratch);
    expect_files(result, right);
    std::filesystem::remove_all(result.directory);
    if (HasFailure()) return;
  }
  EXPECT_GT(scratch.writes, 0U);
}

}  // namespace
}  // namespace pileus::testing
