// What is large in a checkpoint is checked piece by piece and stays on the disk: in its part, or in a copy.

#include "checkpoint/continuation.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.h"
#include "disk/passing_files.h"
#include "disk/testing/memory_files.h"

namespace pileus::testing {
namespace {

class LargeEntries : public ::testing::Test {
 protected:
  LargeEntries() {
    const std::vector<StateEntry> entries = {
        {"static variable", "a", {}, {std::byte{1}}, std::make_shared<const BytesInMemory>(large_)},
        {"static variable", "b", {}, {std::byte{2}}}};
    EncodedPart part = encode_part(entries);
    Manifest manifest;
    manifest.step.index = 5;
    set_parts(manifest, {{std::move(part.names), std::move(part.summary)}});
    files_.write_whole(folder_ + "part-0000", part.bytes);
    files_.write_whole(folder_ + std::string(kManifestName), encode_manifest(manifest));
  }
  Continuation read(ScratchSpace* scratch = nullptr) {
    const auto all_on_disk = [](const StateName&, const Region&) { return Wanted::on_disk; };
    return read_continuation(files_, "out", 5, all_on_disk, scratch);
  }
  void expect_all_in(const Continuation& continuation) {
    const StateEntry& a = continuation.entries.find("static variable", "a")[0];
    EXPECT_TRUE(a.bytes.empty());
    ASSERT_TRUE(a.more);
    ASSERT_EQ(a.more->size_bytes(), large_.size() + 1);
    Bytes values(large_.size());
    BytesBehind(a.more, 1).read(0, values);
    EXPECT_TRUE(values == large_);
    EXPECT_EQ(continuation.entries.find("static variable", "b")[0].bytes, Bytes{std::byte{2}});
  }

  const std::string folder_ = "out/pileus-checkpoints/step-0000000005/";
  const Bytes large_ = Bytes(3 * kMostInMemory + 5, std::byte{7});
  MemoryFiles files_;
  ScratchSpace scratch_{files_, "scratch"};
};

TEST_F(LargeEntries, stay_in_their_part_which_a_full_disk_does_not_hinder) {
  files_.failing_write["scratch"] = 1;
  files_.writes.clear();
  const Continuation continuation = read();
  files_.remove_directory("out");  // as later checkpoints do

  expect_all_in(continuation);
  EXPECT_TRUE(files_.writes.empty());
}

TEST_F(LargeEntries, are_copied_where_files_without_a_name_are_gone) {
  const Continuation continuation = read(&scratch_);
  EXPECT_EQ(files_.writes.size(), 4U);

  expect_all_in(continuation);
}

TEST_F(LargeEntries, are_in_memory_for_who_wants_them_there) {
  const Continuation continuation = read_continuation(files_, "out", 5);

  EXPECT_EQ(continuation.entries.find("static variable", "a")[0].bytes.size(), large_.size() + 1);
}

TEST_F(LargeEntries, that_are_damaged_are_refused_by_name) {
  Bytes& part = files_.files.at(folder_ + "part-0000");
  part[part.size() - 9] ^= std::byte{1};

  try {
    read();
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_EQ(std::string(error.what()), "the run cannot continue from " + folder_ +
                                             "part-0000: the checksum of its static variable \"a\" is not "
                                             "that of its directory: it is damaged");
  }
}

TEST_F(LargeEntries, whose_copies_find_no_space_refuse_the_run) {
  class FullScratch : public PassingFiles {
   public:
    std::unique_ptr<ScratchFile> open_scratch(const std::string& directory) override {
      throw DiskFullError(directory + ": could not make a file there: No space left on device");
    }
  } full;
  ScratchSpace scratch(full, "scratch");

  try {
    read(&scratch);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_EQ(std::string(error.what()),
              "the run cannot continue from " + folder_ +
                  "part-0000: there is no space to lay its static variables aside: scratch: could not make a "
                  "file there: No space left on device");
  }
}

}  // namespace
}  // namespace pileus::testing
