// Values without a time axis are read piece by piece, and the file has them all: compressed or not, whatever
// the shape, in the first file of a series and in later ones.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "disk/passing_files.h"
#include "formats/netcdf/test_file.h"

namespace pileus::netcdf {
namespace {

/// The number of each element is its place. Notes the pieces that were asked for.
class Counted : public ByteSource {
 public:
  explicit Counted(std::uint64_t elements) : elements_(elements) {}
  std::uint64_t size_bytes() const override { return elements_ * sizeof(double); }
  void read(std::uint64_t offset, std::span<std::byte> out) const override {
    ++reads;
    longest = std::max(longest, out.size());
    ASSERT_EQ(offset % sizeof(double), 0U);
    for (std::size_t i = 0; i < out.size(); i += sizeof(double)) {
      const auto value = static_cast<double>((offset + i) / sizeof(double));
      std::memcpy(out.data() + i, &value, sizeof value);
    }
  }
  mutable std::size_t longest = 0, reads = 0;

 private:
  std::uint64_t elements_;
};

class FullAtWrite : public PassingFiles {
 public:
  std::unique_ptr<PartFile> open_parts(const std::string& path) override {
    throw DiskFullError(path + ": could not write to it: No space left on device");
  }
};

class StaticValues : public ::testing::Test {
 protected:
  static constexpr Index kX = 1300, kY = 1100;  // 11 MB: no multiple of a chunk

  FileDefinition definition(int level) const {
    const Compression compression = level > 0 ? Compression{&codecs::deflate(), level} : Compression();
    FileDefinition definition;
    definition.dimensions = {{"x", kX, {}, {}}, {"y", kY, {}, {}}};
    definition.axes = {{"time", false, {}, 2}};
    definition.variables = {{"v", ElementType::float64, {0}, 0, {}}};
    definition.statics = {{"area", ElementType::float64, {0, 1}, {}, compression, "a", values},
                          {"flag", ElementType::float64, {0}, {}, compression, "b", small}};
    definition.is_of_series = true;
    return definition;
  }
  static std::string name(int i) { return std::to_string(i) + ".nc"; }
  void expect_values(const std::string& path) const {
    const ReadFile file(path);
    for (const Index y : {Index{0}, Index{7}, kY / 2, kY - 1}) {
      for (const Index x : {Index{0}, Index{3}, kX / 2, kX - 1}) {
        EXPECT_EQ(file.value("area", {static_cast<std::size_t>(y), static_cast<std::size_t>(x)}),
                  static_cast<double>(y * kX + x));
      }
    }
    EXPECT_EQ(file.value("flag", {static_cast<std::size_t>(kX - 1)}), static_cast<double>(kX - 1));
  }

  TemporaryDirectory directory_;
  std::unique_ptr<FileSystem> files_ = posix_file_system();
  std::shared_ptr<const Counted> values = std::make_shared<const Counted>(kX * kY);
  std::shared_ptr<const Counted> small = std::make_shared<const Counted>(kX);
};

TEST_F(StaticValues, are_read_in_pieces_and_all_files_of_a_series_have_the_same_bytes) {
  for (const int level : {0, 1}) {
    const std::unique_ptr<FileFormat> format = netcdf_format(*files_);
    std::string first;
    for (int i = 0; i < 4; ++i) {
      const std::string path = directory_.path(name(i));
      format->create(path, definition(level))->finish(std::vector<Index>{0});
      expect_values(path);
      first = i == 0 ? content(path) : first;
      EXPECT_TRUE(content(path) == first) << level << ' ' << i;
      files_->remove(path);
    }
    EXPECT_LE(values->longest, std::size_t{4} << 20);
  }
}

TEST_F(StaticValues, are_compressed_and_take_no_space_that_the_file_does_not_need) {
  const std::string packed = directory_.path("packed.nc"), plain = directory_.path("plain.nc");
  const std::unique_ptr<FileFormat> format = netcdf_format(*files_);
  format->create(packed, definition(1))->finish(std::vector<Index>{0});
  format->create(plain, definition(0))->finish(std::vector<Index>{0});

  const std::uint64_t bytes = values->size_bytes() + small->size_bytes();
  EXPECT_LT(std::filesystem::file_size(packed), bytes / 2);
  EXPECT_GT(std::filesystem::file_size(plain), bytes);
  EXPECT_LT(std::filesystem::file_size(plain), bytes + 65536);
}

/// Who reads them opens a file for each piece, perhaps: chunks are whole rows, and each is one piece.
TEST_F(StaticValues, that_are_compressed_are_read_once_for_each_chunk) {
  netcdf_format(*files_)->create(directory_.path("a.nc"), definition(1))->finish(std::vector<Index>{0});

  EXPECT_EQ(values->reads, 3U);  // 11 MB in chunks of at most 4
}

TEST_F(StaticValues, leave_no_file_where_the_disk_is_full_and_it_may_be_tried_again) {
  FullAtWrite full;
  const std::string path = directory_.path("a.nc");
  const std::unique_ptr<FileFormat> format = netcdf_format(full);
  try {
    format->create(path, definition(0));
    FAIL();
  } catch (const DiskFullError& error) {
    EXPECT_TRUE(error.may_be_repeated());
  }
  EXPECT_FALSE(files_->exists(path));
}

}  // namespace
}  // namespace pileus::netcdf
