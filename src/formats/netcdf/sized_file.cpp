#include "formats/netcdf/sized_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "core/error.h"
#include "disk/stripes.h"

namespace pileus::netcdf {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& what, const std::error_code& reason) {
  const std::string text = path + ": could not " + what + ": " + reason.message();
  if (reason.value() == ENOSPC || reason.value() == EDQUOT) throw DiskFullError(text);
  throw OutputError(text);
}

}  // namespace

void make_empty_file(const std::string& path, const OnDisk& on_disk) {
  if (on_disk.has_stripes() && ::access(path.c_str(), F_OK) == 0)
    fail(path, "create it", {EEXIST, std::generic_category()});
  set_stripes(path, on_disk);  // which makes it
  const int new_alone = on_disk.has_stripes() ? 0 : O_EXCL;
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | new_alone | O_CLOEXEC, 0666);
  if (file < 0) fail(path, "create it", {errno, std::generic_category()});
  ::close(file);
}

std::uint64_t size_of(const std::string& path) {
  std::error_code reason;
  const std::uint64_t size = std::filesystem::file_size(path, reason);
  if (reason) fail(path, "open it", reason);
  return size;
}

void set_size(const std::string& path, std::uint64_t bytes) {
  std::error_code reason;
  std::filesystem::resize_file(path, bytes, reason);
  if (reason) fail(path, "cut it", reason);
}

void give_back_beyond_end(const std::string& path) { set_size(path, size_of(path)); }

}  // namespace pileus::netcdf
