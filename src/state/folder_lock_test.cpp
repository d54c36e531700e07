// Only one live run has the checkpoints of a folder.

#include "state/folder_lock.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "core/error.h"
#include "core/temporary_directory.h"

namespace pileus {
namespace {

std::string refusal(FolderLock& lock, const std::string& directory, const std::string& run) {
  try {
    lock.take(directory, run);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(FolderLock, is_refused_to_a_second_run_with_the_name_of_the_first) {
  const TemporaryDirectory root;
  FolderLock first, second;

  EXPECT_EQ(refusal(first, root.path(), "abc"), "");
  const std::string text = refusal(second, root.path(), "def");

  EXPECT_NE(text.find("run abc, process " + std::to_string(::getpid()) + " on "), std::string::npos) << text;
}

TEST(FolderLock, is_taken_once_by_who_has_it_and_is_free_when_that_goes) {
  const TemporaryDirectory root;
  {
    FolderLock first;
    EXPECT_EQ(refusal(first, root.path(), "abc"), "");
    EXPECT_EQ(refusal(first, root.path(), "abc"), "");
  }
  FolderLock second;
  EXPECT_EQ(refusal(second, root.path(), "abc"), "");
}

TEST(FolderLock, is_free_after_a_process_that_was_killed) {
  const TemporaryDirectory root;
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    FolderLock lock;
    lock.take(root.path(), "abc");
    (void)!::write(ready[1], "x", 1);
    for (;;) ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  FolderLock lock;

  EXPECT_NE(refusal(lock, root.path(), "def"), "");
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(refusal(lock, root.path(), "def"), "");
}

}  // namespace
}  // namespace pileus
