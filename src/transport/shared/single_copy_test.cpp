#include "transport/shared/single_copy.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <functional>

namespace pileus {
namespace {

/// What a process that is begun for it says of this one.
bool is_true_in_another_process(const std::function<bool()>& what) {
  const pid_t child = fork();
  if (child == 0) _exit(what() ? 0 : 1);
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  return WEXITSTATUS(status) == 0;
}

TEST(SingleCopy, is_possible_from_the_own_process) { EXPECT_TRUE(may_copy_from(own_copy_probe())); }

TEST(SingleCopy, is_of_the_process_that_said_where_and_of_no_other) {
  CopyProbe wrong = own_copy_probe();
  ++wrong.word;
  EXPECT_FALSE(may_copy_from(wrong)) << "another process with the same number";
  CopyProbe nowhere = own_copy_probe();
  nowhere.place = 16;
  EXPECT_FALSE(may_copy_from(nowhere));
  EXPECT_FALSE(may_copy_from({-1, nowhere.place, 0}));
}

/// A system may keep all processes from it, this one among them, so that only root is sure of both answers.
TEST(SingleCopy, is_refused_where_the_system_does_not_let_one) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can be somebody else";
  const CopyProbe probe = own_copy_probe();
  EXPECT_FALSE(is_true_in_another_process(
      [&] { return setgid(65534) != 0 || setuid(65534) != 0 || may_copy_from(probe); }));
}

}  // namespace
}  // namespace pileus
