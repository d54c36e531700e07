// A run notes its published files, and its continuation knows them by these notes.

#include "publishing/owner/publications.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/temporary_directory.h"
#include "state/checkpoint_folders.h"

namespace pileus {
namespace {

class NotedFiles : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& bytes) {
    std::ofstream(root_.path(name), std::ios::binary) << bytes;
  }
  void publish(const std::string& name, int attempt, std::int64_t after, const std::string& run = "abc") {
    write(name, "data of " + name);
    note_publication(*files_, root_.path(), {run, "", attempt}, 2, after, name,
                     mark_of(*files_, root_.path(name)), 3);
  }
  /// In a run that continues from the checkpoint that attempt 1 made of step 9.
  bool is_known(const std::string& name, bool only_after = true) {
    const Publications known = publications_of(*files_, root_.path(), {"abc", "", 1}, 1, 9);
    return is_published(*files_, root_.path(), known, name, only_after);
  }

  TemporaryDirectory root_;
  std::unique_ptr<FileSystem> files_ = posix_file_system();
};

TEST_F(NotedFiles, are_known_by_the_checkpoint_before_them) {
  publish("before.nc", 1, 5);
  publish("after.nc", 1, 9);
  publish("later.nc", 2, 3);
  publish("earlier attempt.nc", 0, 12);

  EXPECT_FALSE(is_known("before.nc"));
  EXPECT_TRUE(is_known("after.nc"));
  EXPECT_TRUE(is_known("later.nc"));
  EXPECT_FALSE(is_known("earlier attempt.nc"));
  for (const char* name : {"before.nc", "after.nc", "later.nc", "earlier attempt.nc"})
    EXPECT_TRUE(is_known(name, false)) << name;
}

TEST_F(NotedFiles, have_the_number_of_their_records) {
  publish("a.nc", 1, 9);
  write("stranger.nc", "data");
  const Publications known = publications_of(*files_, root_.path(), {"abc", "", 1}, 1, 9);

  EXPECT_EQ(records_published(*files_, root_.path(), known, "a.nc"), 3);
  EXPECT_EQ(records_published(*files_, root_.path(), known, "stranger.nc"), 0);
}

TEST_F(NotedFiles, of_another_run_or_of_nobody_are_not_known) {
  publish("other.nc", 1, 9, "abcd");
  publish("own.nc", 1, 9);
  write("stranger.nc", "data");

  EXPECT_FALSE(is_known("other.nc", false));
  EXPECT_FALSE(is_known("stranger.nc", false));
}

TEST_F(NotedFiles, are_not_known_again_when_they_are_others) {
  publish("a.nc", 1, 9);
  write("a.nc", "dbta of a.nc");
  EXPECT_FALSE(is_known("a.nc"));
  write("a.nc", "data of a.nc and more");
  EXPECT_FALSE(is_known("a.nc"));
}

TEST_F(NotedFiles, may_have_been_cut_off_in_their_last_note) {
  publish("a.nc", 1, 9);
  publish("ab.nc", 1, 9);
  const std::string notes = root_.path(std::string(kCheckpointsFolder) + "/.published-abc-1-2");
  std::filesystem::resize_file(notes, std::filesystem::file_size(notes) - 4);  // "… a", as of a file "a"

  EXPECT_TRUE(is_known("a.nc"));
  EXPECT_FALSE(is_known("ab.nc"));
}

}  // namespace
}  // namespace pileus
