#include "output/file_system.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/error.h"

namespace pileus {
namespace {

class PosixFileSystemTest : public testing::Test {
 protected:
  PosixFileSystemTest() {
    std::string name = testing::TempDir() + "/file_system_XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw OutputError("no temporary directory");
    directory_ = name;
  }
  ~PosixFileSystemTest() override { std::filesystem::remove_all(directory_); }

  std::string path(const std::string& name) const { return directory_ + "/" + name; }
  std::string make(const std::string& name, const std::string& content) const {
    std::ofstream(path(name)) << content;
    return path(name);
  }
  static std::string content(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static std::span<const std::byte> bytes(const std::string& text) { return std::as_bytes(std::span(text)); }
  template <class Call>
  static std::string error_of(Call call) {
    try {
      call();
    } catch (const OutputError& error) {
      return error.what();
    }
    return "no error";
  }

  std::string directory_;
  std::unique_ptr<FileSystem> files_ = posix_file_system();
};

TEST_F(PosixFileSystemTest, parts_of_two_hands_make_one_file) {
  const std::string file = make("parts", "");
  const auto first = files_->open_parts(file), second = files_->open_parts(file);

  second->write_at(3, bytes("lo"));
  first->write_at(0, bytes("hel"));
  first->sync();
  second->sync();

  EXPECT_EQ(content(file), "hello");
}

TEST_F(PosixFileSystemTest, a_part_above_the_largest_single_write_arrives_whole) {
  const std::string file = make("large", "");
  std::string text(3'000'001, 'a');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('a' + i % 23);

  files_->open_parts(file)->write_at(5, bytes(text));

  EXPECT_TRUE(content(file) == std::string(5, '\0') + text);
}

TEST_F(PosixFileSystemTest, a_part_beyond_4_GiB_keeps_its_offset) {
  const std::string file = make("far", "");
  const std::uint64_t offset = (std::uint64_t{1} << 32) + 7;

  files_->open_parts(file)->write_at(offset, bytes("x"));

  EXPECT_EQ(std::filesystem::file_size(file), offset + 1);
}

TEST_F(PosixFileSystemTest, opening_parts_of_no_file_names_path_and_reason) {
  EXPECT_EQ(error_of([&] { files_->open_parts(path("none")); }),
            path("none") + ": could not open it: No such file or directory");
}

TEST_F(PosixFileSystemTest, a_full_disk_is_an_error_of_write_at) {
  const auto full = files_->open_parts("/dev/full");

  EXPECT_EQ(error_of([&] { full->write_at(0, bytes("x")); }),
            "/dev/full: could not write to it: No space left on device");
}

TEST_F(PosixFileSystemTest, reserve_takes_blocks_and_keeps_size_and_content) {
  const std::string file = make("reserved", "hello");

  files_->reserve(file, 5, 1 << 20);

  struct stat status = {};
  ASSERT_EQ(::stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_size, 5);
  EXPECT_EQ(content(file), "hello");
  if (files_->bears_positioned_writes(directory_)) {
    EXPECT_GE(status.st_blocks * 512, 1 << 20);
  }
}

TEST_F(PosixFileSystemTest, publish_gives_the_final_name) {
  const std::string temporary = make(".run.part", "new");

  files_->publish(temporary, path("run"), false);

  EXPECT_FALSE(files_->exists(temporary));
  EXPECT_EQ(content(path("run")), "new");
}

TEST_F(PosixFileSystemTest, publish_keeps_an_existing_file_unless_told_to_replace_it) {
  const std::string temporary = make(".run.part", "new"), final_name = make("run", "old");

  EXPECT_EQ(error_of([&] { files_->publish(temporary, final_name, false); }),
            final_name + ": could not publish it: File exists");
  EXPECT_EQ(content(final_name), "old");
  EXPECT_EQ(content(temporary), "new");

  files_->publish(temporary, final_name, true);
  EXPECT_EQ(content(final_name), "new");
  EXPECT_FALSE(files_->exists(temporary));
}

TEST_F(PosixFileSystemTest, publish_without_a_directory_in_the_name_syncs_the_working_directory) {
  const auto before = std::filesystem::current_path();
  make(".run.part", "new");
  std::filesystem::current_path(directory_);

  files_->publish(".run.part", "run", false);

  std::filesystem::current_path(before);
  EXPECT_EQ(content(path("run")), "new");
}

TEST_F(PosixFileSystemTest, removing_twice_is_removing_once) {
  const std::string file = make("gone", "x");

  files_->remove(file);
  files_->remove(file);

  EXPECT_FALSE(files_->exists(file));
}

TEST_F(PosixFileSystemTest, a_file_below_a_file_does_not_exist) {
  EXPECT_FALSE(files_->exists(make("file", "x") + "/below"));
}

TEST_F(PosixFileSystemTest, knows_which_file_systems_bear_positioned_writes) {
  EXPECT_FALSE(files_->bears_positioned_writes("/proc"));
  if (std::filesystem::exists("/dev/shm")) {
    EXPECT_TRUE(files_->bears_positioned_writes("/dev/shm"));
  }
  EXPECT_EQ(error_of([&] { files_->bears_positioned_writes(path("none")); }),
            path("none") + ": could not ask for its file system: No such file or directory");
}

}  // namespace
}  // namespace pileus
