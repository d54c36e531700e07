// What NetCDF files say when they cannot be written.

#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "disk/passing_files.h"
#include "formats/netcdf/hdf5_file.h"
#include "formats/netcdf/test_file.h"

#ifdef __SANITIZE_ADDRESS__
/// HDF5 1.10 loses some hundred bytes of memory with a file that it could not create.
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5"; }
#endif

namespace pileus::netcdf {
namespace {

/// One record of 4 MiB.
FileDefinition large_definition() {
  FileDefinition definition;
  definition.dimensions = {{"x", 1024, {}, {}}, {"y", 512, {}, {}}};
  definition.axes = {{"time", false, {}, 1}};
  definition.variables = {{"v", ElementType::float64, {0, 1}, 0, {}}};
  return definition;
}

/// A small file system in memory, for as long as it lives.
class MountedTmpfs {
 public:
  MountedTmpfs(std::string where, unsigned long flags) : where_(std::move(where)) {
    is_mounted_ = ::mount("tmpfs", where_.c_str(), "tmpfs", flags, "size=1m") == 0;
  }
  ~MountedTmpfs() {
    if (is_mounted_) ::umount(where_.c_str());
  }
  bool is_mounted() const { return is_mounted_; }

 private:
  std::string where_;
  bool is_mounted_;
};

/// Somebody else takes what was reserved before it is used.
class FilesWithoutReserve : public PassingFiles {
 public:
  void reserve(const std::string&, std::uint64_t, std::uint64_t) override {}
};

/// Fills the disk but for `free_bytes`.
void fill(const std::string& path, std::uint64_t free_bytes) {
  const std::uint64_t bytes = std::filesystem::space(std::filesystem::path(path).parent_path()).available;
  std::ofstream(path) << std::string(bytes - std::min(bytes, free_bytes), 'x');
}

class NetcdfErrorsTest : public ::testing::Test {
 protected:
  std::string error_of_create(const std::string& path, const FileDefinition& definition) {
    return error_of<OutputError>([&] { format_->create(path, definition); });
  }

  TemporaryDirectory directory_;
  std::unique_ptr<FileSystem> files_ = posix_file_system();
  std::unique_ptr<FileFormat> format_ = netcdf_format(*files_);
};

TEST_F(NetcdfErrorsTest, a_missing_directory_is_named) {
  const std::string path = directory_.path("none/a.nc");

  EXPECT_EQ(error_of_create(path, large_definition()),
            path + ": could not create it: No such file or directory");
}

/// The reason is that of the call that failed, not of one that was made with what it gave.
TEST_F(NetcdfErrorsTest, a_variable_that_is_not_in_the_file_is_named_with_the_reason_of_hdf5) {
  const std::string path = directory_.path("a.nc");
  format_->create(path, large_definition())->finish(std::vector<Index>{0});

  const std::string text = error_of<OutputError>([&] {
    silence_hdf5();
    const Hdf5File file(path, 0);
    Hdf5Dataset(file, "missing");
  });

  EXPECT_EQ(text, path + ": could not open missing: object 'missing' doesn't exist");
}

TEST_F(NetcdfErrorsTest, an_existing_file_is_kept) {
  const std::string path = directory_.path("a.nc");
  std::ofstream(path) << "mine";

  EXPECT_EQ(error_of_create(path, large_definition()), path + ": could not create it: File exists");
  EXPECT_EQ(content(path), "mine");
}

TEST_F(NetcdfErrorsTest, a_read_only_file_system_is_named) {
  const MountedTmpfs read_only(directory_.path(), MS_RDONLY);
  if (!read_only.is_mounted()) GTEST_SKIP() << "may not mount";
  const std::string path = directory_.path("a.nc");

  EXPECT_EQ(error_of_create(path, large_definition()), path + ": could not create it: Read-only file system");
}

TEST_F(NetcdfErrorsTest, a_directory_without_permission_is_named) {
  if (::geteuid() == 0) GTEST_SKIP() << "root has every permission";
  const std::string path = directory_.path("a.nc");
  ::chmod(directory_.path().c_str(), 0555);

  EXPECT_EQ(error_of_create(path, large_definition()), path + ": could not create it: Permission denied");
  ::chmod(directory_.path().c_str(), 0755);
}

TEST_F(NetcdfErrorsTest, a_full_disk_is_known_when_room_is_made) {
  const MountedTmpfs small(directory_.path(), 0);
  if (!small.is_mounted()) GTEST_SKIP() << "may not mount";
  const std::string path = directory_.path("a.nc");
  const auto writer = format_->create(path, large_definition());

  const std::string error = error_of<OutputError>([&] { writer->grow(0); });

  EXPECT_TRUE(error.starts_with(path + ": could not reserve ")) << error;
  EXPECT_TRUE(error.ends_with(": No space left on device")) << error;
}

TEST_F(NetcdfErrorsTest, a_disk_too_full_for_the_definition_leaves_no_file) {
  const MountedTmpfs small(directory_.path(), 0);
  if (!small.is_mounted()) GTEST_SKIP() << "may not mount";
  FileDefinition definition = large_definition();
  definition.dimensions.push_back({"station", 500'000, std::vector<double>(500'000, 1.0), {}});

  const std::string error = error_of_create(directory_.path("a.nc"), definition);

  EXPECT_TRUE(error.starts_with(directory_.path("a.nc") + ": could not ")) << error;
  EXPECT_FALSE(files_->exists(directory_.path("a.nc")));
}

/// Another writer may take the space at any moment between the first byte of a definition and its last.
TEST_F(NetcdfErrorsTest, a_disk_that_gets_full_within_the_definition_is_waited_for) {
  const MountedTmpfs small(directory_.path(), 0);
  if (!small.is_mounted()) GTEST_SKIP() << "may not mount";
  FilesWithoutReserve files;
  const std::unique_ptr<FileFormat> format = netcdf_format(files);
  FileDefinition definition = large_definition();
  definition.dimensions.push_back({"station", 5000, std::vector<double>(5000, 1.0), {}});
  definition.attributes.push_back({"configuration", std::string(20'000, 'c')});
  std::vector<std::byte> random(40'000);
  std::mt19937 any(1);
  for (std::byte& byte : random) byte = static_cast<std::byte>(any() & 0x3FU);  // no NaN
  const auto values = std::make_shared<const BytesInMemory>(std::move(random));
  definition.statics.push_back({"area", ElementType::float64, {2}, {}, {}, {}, values});
  definition.statics.push_back(
      {"packed", ElementType::float64, {2}, {}, {&codecs::deflate(), 1}, {}, values});
  const std::string path = directory_.path("a.nc"), ballast = directory_.path("ballast");
  std::string whole;
  int full = 0;
  for (std::uint64_t free_bytes = 0; free_bytes <= 200'000; free_bytes += 4096) {
    fill(ballast, free_bytes);
    try {
      format->create(path, definition);
    } catch (const DiskFullError& error) {
      ++full;
      EXPECT_TRUE(error.may_be_repeated()) << free_bytes;
      EXPECT_TRUE(std::string(error.what()).ends_with(": No space left on device")) << error.what();
      EXPECT_FALSE(files_->exists(path)) << free_bytes;
    }
    EXPECT_EQ(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), 0) << free_bytes;
    files_->remove(path);
    files_->remove(ballast);
    format->create(path, definition)->finish(std::vector<Index>{0});
    whole = whole.empty() ? content(path) : whole;
    EXPECT_EQ(content(path), whole) << free_bytes;
    files_->remove(path);
  }
  EXPECT_GT(full, 20);
  EXPECT_LT(full, 49);
}

TEST_F(NetcdfErrorsTest, a_file_that_is_damaged_meanwhile_is_an_error_and_prints_nothing) {
  const std::string path = directory_.path("a.nc");
  const auto writer = format_->create(path, large_definition());
  std::ofstream(path) << "no HDF5 file at all";

  ::testing::internal::CaptureStderr();
  const std::string error = error_of<OutputError>([&] { writer->grow(0); });
  const std::string printed = ::testing::internal::GetCapturedStderr();

  EXPECT_TRUE(error.starts_with(path + ": could not open it: ")) << error;
  EXPECT_EQ(printed, "");
}

TEST_F(NetcdfErrorsTest, a_file_that_vanished_is_named_with_the_reason_of_the_system) {
  const std::string path = directory_.path("a.nc");
  const auto writer = format_->create(path, large_definition());
  files_->remove(path);

  EXPECT_EQ(error_of<OutputError>([&] { writer->grow(0); }),
            path + ": could not open it: No such file or directory");
}

TEST_F(NetcdfErrorsTest, finish_refuses_records_without_room) {
  const auto writer = format_->create(directory_.path("a.nc"), large_definition());
  writer->grow(0);

  EXPECT_NE(error_of<UsageError>([&] { writer->finish(std::vector<Index>{2}); }), "no error");
  EXPECT_NE(error_of<UsageError>([&] { writer->finish(std::vector<Index>{-1}); }), "no error");
  EXPECT_NE(error_of<UsageError>([&] { writer->finish(std::vector<Index>{1, 1}); }), "no error");
}

TEST_F(NetcdfErrorsTest, a_definition_that_contradicts_itself_makes_no_file) {
  const std::string path = directory_.path("a.nc");
  std::vector<FileDefinition> wrong(5, large_definition());
  wrong[0].dimensions[0].size = 0;
  wrong[1].dimensions[0].coordinates = {1, 2};
  wrong[2].variables[0].axis = 1;
  wrong[3].variables[0].dimensions = {2};
  wrong[4].axes[0].block_records = 0;

  for (const FileDefinition& definition : wrong) {
    EXPECT_NE(error_of<UsageError>([&] { format_->create(path, definition); }), "no error");
    EXPECT_FALSE(files_->exists(path));
  }
}

TEST_F(NetcdfErrorsTest, a_name_that_is_taken_makes_no_file) {
  const std::string path = directory_.path("a.nc");
  FileDefinition definition = large_definition();
  definition.variables.push_back(definition.variables[0]);

  EXPECT_TRUE(error_of_create(path, definition).starts_with(path + ": could not define the variable v: "));
  EXPECT_FALSE(files_->exists(path));
}

}  // namespace
}  // namespace pileus::netcdf
