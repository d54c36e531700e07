// What is large in a checkpoint is read piece by piece into scratch space, and checked on the way.

#include "checkpoint/continuation.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.h"
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
  Continuation read() {
    const auto all_aside = [](const StateName&, const Region&) { return Wanted::aside; };
    return read_continuation(files_, "out", 5, all_aside, &scratch_);
  }

  const std::string folder_ = "out/pileus-checkpoints/step-0000000005/";
  const Bytes large_ = Bytes(3 * kMostInMemory + 5, std::byte{7});
  MemoryFiles files_;
  ScratchSpace scratch_{files_, "scratch"};
};

TEST_F(LargeEntries, lie_in_scratch_space_and_small_ones_in_memory) {
  const Continuation continuation = read();

  const StateEntry& a = continuation.entries.find("static variable", "a")[0];
  EXPECT_TRUE(a.bytes.empty());
  ASSERT_TRUE(a.more);
  ASSERT_EQ(a.more->size_bytes(), large_.size() + 1);
  Bytes values(large_.size());
  BytesBehind(a.more, 1).read(0, values);
  EXPECT_TRUE(values == large_);
  EXPECT_EQ(continuation.entries.find("static variable", "b")[0].bytes, Bytes{std::byte{2}});
}

TEST_F(LargeEntries, are_in_memory_for_who_has_no_scratch_space) {
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

TEST_F(LargeEntries, that_find_no_space_refuse_the_run) {
  files_.failing_write["scratch"] = 2;

  try {
    read();
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_EQ(std::string(error.what()),
              "the run cannot continue from " + folder_ + "part-0000: scratch: could not write");
  }
}

}  // namespace
}  // namespace pileus::testing
