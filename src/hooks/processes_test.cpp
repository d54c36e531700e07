#include "hooks/processes.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "core/testing/temporary_directory.h"

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

}  // namespace
}  // namespace pileus
