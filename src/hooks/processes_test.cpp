#include "hooks/processes.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "core/error.h"
#include "core/testing/temporary_directory.h"

/// What posix_spawn is told fails where a test asks for that: these stand before those of the C library.
static int fails_with = 0;
static bool fails_of_files = false;

extern "C" int posix_spawnattr_setflags(posix_spawnattr_t* attributes, short flags) noexcept {
  using Original = int (*)(posix_spawnattr_t*, short);
  if (fails_with != 0 && !fails_of_files) return fails_with;
  return reinterpret_cast<Original>(dlsym(RTLD_NEXT, "posix_spawnattr_setflags"))(attributes, flags);
}

extern "C" int posix_spawn_file_actions_addclose(posix_spawn_file_actions_t* actions, int number) noexcept {
  using Original = int (*)(posix_spawn_file_actions_t*, int);
  if (fails_with != 0 && fails_of_files) return fails_with;
  return reinterpret_cast<Original>(dlsym(RTLD_NEXT, "posix_spawn_file_actions_addclose"))(actions, number);
}

namespace pileus {
namespace {

/// How the command ends, and what it left in the file.
class ProcessesTest : public ::testing::Test {
 protected:
  std::string run(const std::string& command, const Processes::Environment& environment = {}) {
    const auto processes = posix_processes();
    const Processes::Number process = processes->start(command, path_, environment);
    std::optional<std::string> how;
    while (!(how = processes->ended(process))) std::this_thread::yield();
    return *how;
  }
  std::string left() const {
    std::ostringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }

  testing::TemporaryDirectory directory_;
  const std::string path_ = directory_.path("a name with spaces");
};

TEST_F(ProcessesTest, a_command_gets_its_argument_whatever_is_in_it) {
  EXPECT_EQ(run("echo right | tee"), "");

  EXPECT_EQ(left(), "right\n");
}

TEST_F(ProcessesTest, a_command_gets_its_environment_and_nothing_of_the_mpi_job) {
  setenv("OMPI_COMM_WORLD_RANK", "3", 1);
  setenv("PILEUS_SERIES", "another's", 1);

  EXPECT_EQ(run("echo \"$PILEUS_SERIES/$OMPI_COMM_WORLD_RANK/$HOME\" | tee", {{"PILEUS_SERIES", "w nc"}}),
            "");

  EXPECT_EQ(left(), "w nc//" + std::string(std::getenv("HOME") ? std::getenv("HOME") : "") + "\n");
  unsetenv("OMPI_COMM_WORLD_RANK");
  unsetenv("PILEUS_SERIES");
}

TEST_F(ProcessesTest, a_command_that_fails_says_how) {
  EXPECT_EQ(run("exit 3;"), "exit status 3");
  EXPECT_EQ(run("not-a-command-of-anybody 2> /dev/null"), "exit status 127");
  EXPECT_EQ(run("kill -9 $$;"), "signal 9 (Killed)");
}

TEST_F(ProcessesTest, a_command_inherits_no_open_file) {
  std::ofstream open(path_ + ".open");

  EXPECT_EQ(run("ls /proc/self/fd | wc -l | tee"), "");

  // 0, 1, 2 and the folder that ls reads.
  EXPECT_EQ(left(), "4\n");
}

TEST_F(ProcessesTest, a_command_inherits_no_file_of_a_great_number_and_none_that_is_opened_meanwhile) {
  std::atomic<bool> is_over = false;
  std::thread other([&] {
    while (!is_over) std::ofstream(path_ + ".open");
  });
  const int great = fcntl(STDOUT_FILENO, F_DUPFD, 700);
  ASSERT_GE(great, 700);

  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(run("ls /proc/self/fd | wc -l | tee"), "");
    EXPECT_EQ(left(), "4\n");
  }

  is_over = true;
  other.join();
  close(great);
}

/// Started nevertheless, it would run with the model's files, or with its signals blocked.
TEST_F(ProcessesTest, a_command_that_cannot_be_given_what_it_needs_is_not_started) {
  for (const bool of_files : {true, false}) {
    fails_of_files = of_files;
    fails_with = ENOMEM;
    EXPECT_THROW(run("tee"), Error) << of_files;
    fails_with = 0;
  }

  EXPECT_EQ(left(), "");
}

}  // namespace
}  // namespace pileus
