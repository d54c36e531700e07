#include "state/checkpoint_folders.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/error.h"
#include "core/testing/temporary_directory.h"

namespace pileus {
namespace {

class CheckpointFolders : public ::testing::Test {
 protected:
  void make(const std::string& name, bool has_manifest) {
    const auto folder = directory / kCheckpointsFolder / name;
    std::filesystem::create_directories(folder);
    if (has_manifest) std::ofstream(folder / kManifestName) << "x";
  }
  testing::TemporaryDirectory own;
  const std::filesystem::path directory = own.path();
};

TEST_F(CheckpointFolders, are_named_by_the_step_with_ten_digits_or_more) {
  EXPECT_EQ(checkpoint_name(120), "step-0000000120");
  EXPECT_EQ(checkpoint_name(0), "step-0000000000");
  EXPECT_EQ(checkpoint_name(123456789012), "step-123456789012");
}

TEST_F(CheckpointFolders, give_their_step_back_from_exactly_their_name) {
  EXPECT_EQ(step_of_checkpoint("step-0000000120"), 120);
  EXPECT_EQ(step_of_checkpoint("step-123456789012"), 123456789012);
  for (const char* name : {"step-120", "step-00000000120", "step--000000120", "step-0000000120x", "step-",
                           ".step-0000000120-1", "step-99999999999999999999", "manifest"})
    EXPECT_FALSE(step_of_checkpoint(name)) << name;
}

TEST_F(CheckpointFolders, count_when_they_have_their_name_and_a_manifest) {
  make("step-0000000200", true);
  make("step-0000000020", true);
  make("step-0000000300", false);
  make(".step-0000000400-1", true);
  make("notes", true);

  EXPECT_EQ(complete_checkpoints(directory), (std::vector<std::int64_t>{20, 200}));
}

TEST_F(CheckpointFolders, need_not_be_there) { EXPECT_TRUE(complete_checkpoints(directory).empty()); }

TEST_F(CheckpointFolders, of_a_directory_that_is_not_there_are_an_error_that_names_it) {
  try {
    complete_checkpoints(directory / "nowhere");
    FAIL();
  } catch (const OutputError& error) {
    EXPECT_NE(std::string(error.what()).find("nowhere"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace pileus
