#include "formats/folders/folder_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "core/error.h"
#include "core/testing/temporary_directory.h"
#include "formats/folders/folder_table.h"

namespace pileus {
namespace {

using folders::FolderTable;

Bytes random_bytes(std::size_t count, std::mt19937& random) {
  Bytes bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

std::string text(const Bytes& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

/// Folders of some files of random lengths, in one range.
class FolderFilesTest : public ::testing::Test {
 protected:
  std::string folder(const std::string& name) const { return there.path(name); }

  void make(const std::string& name, const FolderTable& table, const std::string& first = "a") {
    disk->make_directory(folder(name));
    for (const folders::Piece& piece : table.pieces()) {
      const std::filesystem::path path = folder(name) + "/" + piece.name;
      std::filesystem::create_directories(path.parent_path());
      std::vector<std::byte> zeros(piece.offset + piece.length);
      if (!disk->exists(path) || std::filesystem::file_size(path) < zeros.size())
        disk->write_whole(path, zeros);
    }
    std::filesystem::create_directories(folder(name) + "/" + first);
    disk->append_lines(folder(name) + "/" + first + "/" + std::string(folders::kTable), table.text());
  }

  TemporaryDirectory there;
  std::unique_ptr<FileSystem> disk = posix_file_system();
  FolderFiles files{*disk};
};

TEST_F(FolderFilesTest, a_folder_reads_as_one_range_whatever_is_written_where) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    const auto drawn = [&](std::size_t most) { return random() % most + 1; };
    FolderTable table;
    std::map<std::string, std::uint64_t> lengths;
    const std::size_t pieces = drawn(80);
    for (std::size_t p = 0; p < pieces; ++p) {
      const std::string name =
          std::string(1, static_cast<char>('a' + random() % 26)) + "/c/" + std::to_string(random() % 3);
      const std::size_t length = drawn(50);
      table.add(name, lengths[name], length);
      lengths[name] += length;
    }
    const std::string name = "run" + std::to_string(seed);
    make(name, table);
    Bytes expected(table.end());
    const auto parts = files.open_parts(folder(name));
    for (int w = 0; w < 50; ++w) {
      const std::uint64_t first = random() % table.end();
      const Bytes bytes = random_bytes(drawn(table.end() - first), random);
      std::ranges::copy(bytes, expected.begin() + static_cast<std::ptrdiff_t>(first));
      const std::size_t cut = random() % (bytes.size() + 1);
      const std::array<std::span<const std::byte>, 2> two = {std::span(bytes).first(cut),
                                                             std::span(bytes).subspan(cut)};
      if (w % 2 == 0) {
        parts->write_at(first, bytes);
      } else {
        parts->write_pieces_at(first, two);
      }
    }
    parts->sync();
    const auto source = files.open_source(folder(name));
    ASSERT_EQ(source->size_bytes(), table.end());
    for (int r = 0; r < 50; ++r) {
      const std::uint64_t first = random() % table.end();
      Bytes bytes(drawn(table.end() - first));
      source->read_at(first, bytes);
      EXPECT_TRUE(
          std::equal(bytes.begin(), bytes.end(), expected.begin() + static_cast<std::ptrdiff_t>(first)));
    }
    Bytes more(2);
    EXPECT_THROW(source->read_at(table.end() - 1, more), OutputError);
    EXPECT_THROW(parts->write_at(table.end() - 1, more), OutputError);
  }
}

TEST_F(FolderFilesTest, who_writes_learns_of_pieces_that_come_later) {
  FolderTable table;
  table.add("a/0", 0, 4);
  make("store", table);
  const auto parts = files.open_parts(folder("store"));
  parts->write_at(0, Bytes(4, std::byte{'x'}));
  table.add("b/0", 0, 3);
  std::filesystem::create_directories(folder("store") + "/b");
  disk->write_whole(folder("store") + "/b/0", {});
  disk->append_lines(folder("store") + "/a/" + std::string(folders::kTable), table.text(1));
  parts->write_at(2, Bytes(5, std::byte{'y'}));

  EXPECT_EQ(text(disk->read_whole(folder("store") + "/a/0")), "xxyy");
  EXPECT_EQ(text(disk->read_whole(folder("store") + "/b/0")), "yyy");
}

TEST_F(FolderFilesTest, what_was_cut_off_reads_as_nothing_in_its_place) {
  FolderTable table;
  table.add("a/0", 0, 4);
  table.add("a/1", 0, 4);
  table.add("b/0", 0, 2);
  table.cut({{"a/0", 3}, {"a/1", 0}});
  make("store", table);
  const auto source = files.open_source(folder("store"));
  disk->write_whole(folder("store") + "/a/0", Bytes(3, std::byte{'x'}));
  disk->write_whole(folder("store") + "/b/0", Bytes(2, std::byte{'y'}));
  Bytes bytes(10);
  files.open_source(folder("store"))->read_at(0, bytes);

  EXPECT_EQ(text(bytes), std::string("xxx\0\0\0\0\0yy", 10));
  EXPECT_THROW(files.open_parts(folder("store"))->write_at(2, Bytes(3)), OutputError);
}

TEST_F(FolderFilesTest, a_folder_is_published_and_replaces_another_if_it_may) {
  FolderTable table;
  table.add("a/0", 0, 1);
  make("first", table);
  make("second", table);
  disk->write_whole(folder("second") + "/a/0", Bytes(1, std::byte{'2'}));
  files.publish(folder("first"), folder("final"), false);
  EXPECT_THROW(files.publish(folder("second"), folder("final"), false), OutputError);
  EXPECT_EQ(text(disk->read_whole(folder("second") + "/a/0")), "2");
  files.publish(folder("second"), folder("final"), true);

  EXPECT_EQ(text(disk->read_whole(folder("final") + "/a/0")), "2");
  EXPECT_EQ(disk->list(there.path()), std::vector<std::string>{"final"});
  files.remove(folder("final"));
  EXPECT_TRUE(disk->list(there.path()).empty());
}

TEST_F(FolderFilesTest, a_folder_without_a_table_and_a_damaged_one_are_named) {
  disk->make_directory(folder("empty"));
  EXPECT_THROW(files.open_parts(folder("empty")), OutputError);
  for (const char* const bad : {"0 1\n", "x 1 0 a\n", "0 0 0 a\n", "5 1 0 a\n0 1 0 b\n", "0 1 0 \n",
                                "18446744073709551615 2 0 a\n"}) {
    EXPECT_THROW(FolderTable::read("t", bad), OutputError) << bad;
  }
  EXPECT_EQ(FolderTable::read("t", "0 1 0 a b\n1 2").pieces().size(), 1);
}

TEST_F(FolderFilesTest, files_stay_files) {
  files.write_whole(there.path("x"), Bytes(2, std::byte{'x'}));
  files.open_parts(there.path("x"))->write_at(1, Bytes(1, std::byte{'y'}));
  files.publish(there.path("x"), there.path("y"), false);
  EXPECT_EQ(files.open_source(there.path("y"))->size_bytes(), 2);
  files.remove(there.path("y"));
  EXPECT_FALSE(files.exists(there.path("y")));
}

}  // namespace
}  // namespace pileus
