#include "disk/file_system.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "core/error.h"
#include "core/testing/temporary_directory.h"

namespace {

struct SetOut {
  off64_t offset, length;
  unsigned flags;
  friend bool operator==(const SetOut&, const SetOut&) = default;
};
std::vector<SetOut> set_out;  ///< what was told to set out for the disk
int limits_asked = 0;

}  // namespace

/// In place of the C library's.
extern "C" int getrlimit(__rlimit_resource_t resource, struct rlimit* limit) noexcept {
  ++limits_asked;
  return prlimit(0, static_cast<__rlimit_resource>(resource), nullptr, limit);
}

/// In place of the C library's.
extern "C" int sync_file_range(int, off64_t offset, off64_t length, unsigned flags) {
  set_out.push_back({offset, length, flags});
  return 0;
}

namespace pileus {
namespace {

class PosixFileSystemTest : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return directory_.path(name); }
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

  testing::TemporaryDirectory directory_;
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

TEST_F(PosixFileSystemTest, pieces_of_any_number_and_size_arrive_one_behind_the_other) {
  std::mt19937 random(20261126);
  const std::string file = make("pieces", "");
  std::string text(5'000'000, 'a');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('a' + i % 23);
  std::vector<std::span<const std::byte>> pieces;  // more than the system takes at once, some of them empty
  std::size_t length = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::size_t size = random() % (i % 100 == 0 ? 80'000 : 40);
    pieces.push_back(bytes(text).subspan(length, size));
    length += size;
  }

  files_->open_parts(file)->write_pieces_at(7, pieces);

  EXPECT_TRUE(content(file) == std::string(7, '\0') + text.substr(0, length));
}

TEST_F(PosixFileSystemTest, long_writes_set_out_for_the_disk_and_short_ones_do_not) {
  const std::string file = make("out", "");
  const std::string text((2U << 20) + (256U << 10), 'a');
  const auto hand = files_->open_parts(file);
  const std::size_t half = 128U << 10;
  set_out.clear();

  hand->write_at(0, bytes(text).first(2 * half - 1));
  hand->write_pieces_at(0, std::vector{bytes(text).first(half), bytes(text).first(half - 1)});
  EXPECT_EQ(set_out, std::vector<SetOut>());
  hand->write_at(4096, bytes(text));
  hand->write_pieces_at(100, std::vector{bytes(text).first(half), bytes(text).first(half)});

  const unsigned flags = SYNC_FILE_RANGE_WRITE;
  EXPECT_EQ(set_out, (std::vector<SetOut>{{4096, 1 << 20, flags},
                                          {4096 + (1 << 20), 1 << 20, flags},
                                          {4096 + (2 << 20), 1 << 18, flags},
                                          {100, 1 << 18, flags}}));
}

TEST_F(PosixFileSystemTest, no_pieces_write_nothing) {
  const std::string file = make("none", "x");
  const std::vector<std::span<const std::byte>> empty(3);

  files_->open_parts(file)->write_pieces_at(10, {});
  files_->open_parts(file)->write_pieces_at(10, empty);

  EXPECT_EQ(content(file), "x");
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

  const std::string why = "/dev/full: could not write to it: No space left on device";
  EXPECT_EQ(error_of([&] { full->write_at(0, bytes("x")); }), why);
  EXPECT_EQ(error_of([&] { full->write_pieces_at(0, std::vector{bytes("x"), bytes("y")}); }), why);
}

TEST_F(PosixFileSystemTest, reserve_takes_blocks_and_keeps_size_and_content) {
  const std::string file = make("reserved", "hello");

  files_->reserve(file, 5, 1 << 20);

  struct stat status = {};
  ASSERT_EQ(::stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_size, 5);
  EXPECT_EQ(content(file), "hello");
  if (files_->bears_positioned_writes(directory_.path())) {
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
  std::filesystem::current_path(directory_.path());

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

TEST_F(PosixFileSystemTest, a_source_gives_what_lies_at_an_offset) {
  const auto source = files_->open_source(make("source", "hello"));
  std::string read(3, ' ');

  source->read_at(1, std::as_writable_bytes(std::span(read)));

  EXPECT_EQ(read, "ell");
  EXPECT_EQ(source->size_bytes(), 5u);
}

TEST_F(PosixFileSystemTest, a_source_that_ends_early_names_how_long_it_is) {
  const std::string file = make("short", "hello");
  std::string read(3, ' ');

  const std::string error =
      error_of([&] { files_->open_source(file)->read_at(3, std::as_writable_bytes(std::span(read))); });

  EXPECT_EQ(error, file + ": could not read it: it ends after 5 bytes, and 6 are needed");
}

TEST_F(PosixFileSystemTest, a_whole_file_replaces_one_that_is_longer) {
  const std::string file = make("whole", "something longer");

  files_->write_whole(file, bytes("short"));

  EXPECT_EQ(content(file), "short");
  const Bytes read = files_->read_whole(file);
  EXPECT_TRUE(std::ranges::equal(read, bytes("short")));
}

TEST_F(PosixFileSystemTest, an_empty_file_is_written_and_read) {
  files_->write_whole(path("empty"), {});

  EXPECT_TRUE(files_->read_whole(path("empty")).empty());
}

TEST_F(PosixFileSystemTest, lines_are_added_behind_those_that_are_there) {
  files_->append_lines(path("log"), "one\n");
  files_->append_lines(path("log"), "two\nthree\n");

  EXPECT_EQ(content(path("log")), "one\ntwo\nthree\n");
}

TEST_F(PosixFileSystemTest, a_line_that_was_cut_off_stays_on_a_line_of_its_own) {
  files_->append_lines(path("log"), "one\ntw");

  files_->append_lines(path("log"), "three\n");

  EXPECT_EQ(content(path("log")), "one\ntw\nthree\n");
  EXPECT_EQ(error_of([&] { files_->append_lines("/dev/full", "x\n"); }),
            "/dev/full: could not write to it: No space left on device");
}

TEST_F(PosixFileSystemTest, a_whole_file_on_a_full_disk_is_an_error) {
  EXPECT_EQ(error_of([&] { files_->write_whole("/dev/full", bytes("x")); }),
            "/dev/full: could not write to it: No space left on device");
}

TEST_F(PosixFileSystemTest, directories_are_made_named_listed_and_removed) {
  files_->make_directory(path("states"));
  files_->make_directory(path("states"));
  files_->make_directory(path("states/.aside"));
  files_->write_whole(path("states/.aside/part-1"), bytes("b"));
  files_->write_whole(path("states/.aside/part-0"), bytes("a"));

  files_->rename_directory(path("states/.aside"), path("states/step"));

  EXPECT_EQ(files_->list(path("states")), std::vector<std::string>{"step"});
  EXPECT_EQ(files_->list(path("states/step")), (std::vector<std::string>{"part-0", "part-1"}));
  EXPECT_EQ(content(path("states/step/part-1")), "b");
  files_->remove_directory(path("states"));
  files_->remove_directory(path("states"));
  EXPECT_FALSE(files_->exists(path("states")));
  EXPECT_TRUE(files_->list(path("states")).empty());
}

TEST_F(PosixFileSystemTest, a_directory_is_not_made_where_a_file_is) {
  const std::string file = make("file", "x");

  EXPECT_EQ(error_of([&] { files_->make_directory(file); }),
            file + ": could not make the directory: File exists");
}

TEST_F(PosixFileSystemTest, a_directory_keeps_its_name_where_the_final_one_exists) {
  files_->make_directory(path("aside"));
  files_->make_directory(path("final"));

  EXPECT_EQ(error_of([&] { files_->rename_directory(path("aside"), path("final")); }),
            path("final") + ": could not rename " + path("aside") + " to it: File exists");
  EXPECT_TRUE(files_->exists(path("aside")));
}

TEST_F(PosixFileSystemTest, a_scratch_file_has_no_name_and_gives_back_what_lies_in_it) {
  const auto scratch = files_->open_scratch(path("."));
  EXPECT_EQ(files_->list(path(".")), std::vector<std::string>());

  scratch->write_at(3, bytes("abc"));
  scratch->write_at(6, bytes("def"));
  scratch->write_at(3, bytes("A"));
  std::vector<std::byte> read(4);
  scratch->read_at(3, read);
  EXPECT_TRUE(std::ranges::equal(read, bytes("Abcd")));

  scratch->clear();
  EXPECT_EQ(error_of([&] { scratch->read_at(3, read); }),
            path(".") + ": could not read a file there: Input/output error");
}

TEST_F(PosixFileSystemTest, a_scratch_file_asks_once_how_long_it_may_be) {
  struct rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const struct rlimit less = {4096, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &less), 0);
  limits_asked = 0;

  const auto scratch = files_->open_scratch(path("."));
  for (int i = 0; i < 10; ++i) scratch->write_at(4090, bytes("abcdef"));
  const std::string error = error_of([&] { scratch->write_at(4091, bytes("abcdef")); });

  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(error, path(".") + ": could not write to a file there: File too large");
  EXPECT_EQ(limits_asked, 1);
}

TEST_F(PosixFileSystemTest, a_scratch_file_needs_its_directory) {
  EXPECT_EQ(error_of([&] { files_->open_scratch(path("none")); }),
            path("none") + ": could not make a file there: No such file or directory");
}

}  // namespace
}  // namespace pileus
