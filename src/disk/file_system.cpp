#include "disk/file_system.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "core/error.h"

namespace pileus {
namespace {

/// Larger writes sometimes stalled on ext4 (8 MiB: 0.53 s instead of 0.145 s).
constexpr std::size_t kLargestWrite = std::size_t{1} << 20;
/// Writes of so many bytes set out for the disk at once, so that a sync has little left to wait for. Shorter
/// ones may share pages with their neighbours, which would be written again.
constexpr std::size_t kLongWrite = std::size_t{256} << 10;

[[noreturn]] void fail(const std::string& path, const std::string& what, int error,
                       bool may_be_repeated = true) {
  const std::string text = path + ": could not " + what + ": " + std::generic_category().message(error);
  if (error == ENOSPC || error == EDQUOT) throw DiskFullError(text, may_be_repeated);
  throw OutputError(text);
}

/// What the system could not bring to the disk once it has dropped: another sync would say that all is well.
[[noreturn]] void fail_to_sync(const std::string& path, int error) { fail(path, "sync it", error, false); }

/// Calls until no signal interrupts.
template <class Call>
auto retried(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

/// An open file that closes itself.
class Descriptor {
 public:
  Descriptor(const std::string& path, int flags, const char* what) {
    number_ = retried([&] { return ::open(path.c_str(), flags | O_CLOEXEC, 0666); });
    if (number_ < 0) fail(path, what, errno);
  }
  ~Descriptor() { ::close(number_); }
  /// Takes over an open file.
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }

 private:
  int number_;
};

/// What is left of the pieces when so many bytes of them are written.
std::span<iovec> left_of(std::span<iovec> pieces, std::size_t written) {
  while (!pieces.empty() && written >= pieces.front().iov_len) {
    written -= pieces.front().iov_len;
    pieces = pieces.subspan(1);
  }
  if (written > 0) {
    pieces.front().iov_base = static_cast<std::byte*>(pieces.front().iov_base) + written;
    pieces.front().iov_len -= written;
  }
  return pieces;
}

class PosixPartFile : public PartFile {
 public:
  explicit PosixPartFile(std::string path) : path_(std::move(path)), file_(path_, O_WRONLY, "open it") {}

  void set_longest_write(std::size_t bytes) override { longest_write_ = bytes; }

  void write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
    while (!bytes.empty()) {
      const std::size_t size = std::min(bytes.size(), longest_write_);
      const std::size_t written = bytes_written(
          retried([&] { return ::pwrite(file_.number(), bytes.data(), size, static_cast<off_t>(offset)); }));
      set_out(offset, written);
      offset += written;
      bytes = bytes.subspan(written);
    }
  }

  void write_pieces_at(std::uint64_t offset, std::span<const std::span<const std::byte>> pieces) override {
    std::vector<iovec> all;
    for (const std::span<const std::byte> piece : pieces)
      all.push_back({const_cast<std::byte*>(piece.data()), piece.size()});
    for (std::span<iovec> left = left_of(all, 0); !left.empty();) {
      const auto count = static_cast<int>(std::min<std::size_t>(left.size(), IOV_MAX));
      const std::size_t written = bytes_written(
          retried([&] { return ::pwritev(file_.number(), left.data(), count, static_cast<off_t>(offset)); }));
      set_out(offset, written);
      offset += written;
      left = left_of(left, written);
    }
  }

  void sync() override {
    if (retried([&] { return ::fdatasync(file_.number()); }) != 0) fail_to_sync(path_, errno);
  }

 private:
  /// The system need not do it, and what goes wrong is said by the sync.
  void set_out(std::uint64_t offset, std::size_t written) {
    if (written < kLongWrite) return;
    (void)::sync_file_range(file_.number(), static_cast<off_t>(offset), static_cast<off_t>(written),
                            SYNC_FILE_RANGE_WRITE);
  }

  /// What a write said.
  std::size_t bytes_written(ssize_t written) const {
    if (written < 0) fail(path_, "write to it", errno);
    if (written == 0) fail(path_, "write to it", ENOSPC);
    return static_cast<std::size_t>(written);
  }

  std::string path_;
  Descriptor file_;
  std::size_t longest_write_ = kLargestWrite;
};

class PosixSourceFile : public SourceFile {
 public:
  explicit PosixSourceFile(std::string path)
      : path_(std::move(path)), file_(path_, O_RDONLY | O_NONBLOCK, "open it") {}

  void read_at(std::uint64_t offset, std::span<std::byte> bytes) override {
    while (!bytes.empty()) {
      const ssize_t length = retried(
          [&] { return ::pread(file_.number(), bytes.data(), bytes.size(), static_cast<off_t>(offset)); });
      if (length < 0) fail(path_, "read it", errno);
      if (length == 0) {
        throw OutputError(path_ + ": could not read it: it ends after " + std::to_string(size_bytes()) +
                          " bytes, and " + std::to_string(offset + bytes.size()) + " are needed");
      }
      offset += static_cast<std::uint64_t>(length);
      bytes = bytes.subspan(static_cast<std::size_t>(length));
    }
  }

  std::uint64_t size_bytes() override {
    struct stat status = {};
    if (::fstat(file_.number(), &status) != 0) fail(path_, "ask for its size", errno);
    return static_cast<std::uint64_t>(status.st_size);
  }

 private:
  std::string path_;
  Descriptor file_;
};

class PosixScratchFile : public ScratchFile {
 public:
  explicit PosixScratchFile(const std::string& directory)
      : directory_(directory), file_(open_without_name(directory)) {
    // Beyond the limit of a process the system ends it by a signal.
    struct rlimit longest = {};
    if (::getrlimit(RLIMIT_FSIZE, &longest) == 0) longest_ = longest.rlim_cur;
  }

  void write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
    while (!bytes.empty()) {
      const std::size_t size = std::min(bytes.size(), kLargestWrite);
      if (longest_ < offset + size) fail(directory_, "write to a file there", EFBIG);
      const ssize_t written =
          retried([&] { return ::pwrite(file_.number(), bytes.data(), size, static_cast<off_t>(offset)); });
      if (written <= 0) fail(directory_, "write to a file there", written < 0 ? errno : ENOSPC);
      offset += static_cast<std::uint64_t>(written);
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
  }

  void read_at(std::uint64_t offset, std::span<std::byte> bytes) override {
    while (!bytes.empty()) {
      const ssize_t length = retried(
          [&] { return ::pread(file_.number(), bytes.data(), bytes.size(), static_cast<off_t>(offset)); });
      if (length <= 0) fail(directory_, "read a file there", length < 0 ? errno : EIO);
      offset += static_cast<std::uint64_t>(length);
      bytes = bytes.subspan(static_cast<std::size_t>(length));
    }
  }

  void clear() override {
    if (retried([&] { return ::ftruncate(file_.number(), 0); }) != 0)
      fail(directory_, "empty a file there", errno);
  }

 private:
  /// Where the file system knows no files without a name, one loses it at once.
  static int open_without_name(const std::string& directory) {
    const int file =
        retried([&] { return ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600); });
    if (file >= 0) return file;
    const bool is_unknown = errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL;
    if (!is_unknown) fail(directory, "make a file there", errno);
    std::string path = directory + "/.pileus-spill-XXXXXX";
    const int named = ::mkostemp(path.data(), O_CLOEXEC);
    if (named < 0) fail(directory, "make a file there", errno);
    (void)::unlink(path.c_str());
    return named;
  }

  std::string directory_;
  Descriptor file_;
  std::uint64_t longest_ = UINT64_MAX;
};

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return path.substr(0, std::max<std::size_t>(slash, 1));
}

/// Where the file system knows no rename that keeps an existing file, a second name does the same.
bool link_instead(const std::string& temporary, const std::string& final_name) {
  return ::link(temporary.c_str(), final_name.c_str()) == 0 && ::unlink(temporary.c_str()) == 0;
}

bool rename_unless_exists(const std::string& temporary, const std::string& final_name) {
  if (::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, final_name.c_str(), RENAME_NOREPLACE) == 0)
    return true;
  const bool is_unknown = errno == EINVAL || errno == ENOSYS;
  return is_unknown && link_instead(temporary, final_name);
}

class PosixFileSystem : public FileSystem {
 public:
  std::unique_ptr<PartFile> open_parts(const std::string& path) override {
    return std::make_unique<PosixPartFile>(path);
  }

  std::unique_ptr<SourceFile> open_source(const std::string& path) override {
    return std::make_unique<PosixSourceFile>(path);
  }

  std::unique_ptr<ScratchFile> open_scratch(const std::string& directory) override {
    return std::make_unique<PosixScratchFile>(directory);
  }

  void reserve(const std::string& path, std::uint64_t first, std::uint64_t length) override {
    const Descriptor file(path, O_WRONLY, "open it");
    // Never posix_fallocate: where the system cannot reserve, it writes to every block of a file that others
    // write.
    const bool is_reserved = retried([&] {
                               return ::fallocate(file.number(), FALLOC_FL_KEEP_SIZE,
                                                  static_cast<off_t>(first), static_cast<off_t>(length));
                             }) == 0;
    if (is_reserved) return;
    const bool is_unknown = errno == EOPNOTSUPP || errno == ENOSYS;
    if (is_unknown && has_space(file.number(), length)) return;
    fail(path, "reserve " + std::to_string(length) + " bytes", is_unknown ? ENOSPC : errno);
  }

  void give_back(const std::string& path, std::uint64_t first, std::uint64_t length) override {
    if (length == 0) return;
    const Descriptor file(path, O_WRONLY, "open it");
    // No reason to fail is one to lose the file: its bytes are the same.
    (void)retried([&] {
      return ::fallocate(file.number(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(first),
                         static_cast<off_t>(length));
    });
  }

  void publish(const std::string& temporary, const std::string& final_name, bool replace) override {
    sync(temporary, O_RDONLY);
    const bool is_renamed = replace ? ::rename(temporary.c_str(), final_name.c_str()) == 0
                                    : rename_unless_exists(temporary, final_name);
    if (!is_renamed) fail(final_name, "publish it", errno);
    sync(directory_of(final_name), O_RDONLY | O_DIRECTORY);
    if (directory_of(temporary) != directory_of(final_name))
      sync(directory_of(temporary), O_RDONLY | O_DIRECTORY);
  }

  void remove(const std::string& path) override {
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) fail(path, "remove it", errno);
  }

  bool exists(const std::string& path) override {
    struct stat status = {};
    if (::lstat(path.c_str(), &status) == 0) return true;
    if (errno == ENOENT || errno == ENOTDIR) return false;
    fail(path, "ask whether it exists", errno);
  }

  bool bears_positioned_writes(const std::string& directory) override {
    // ext2/3/4, xfs, btrfs, tmpfs, overlay, Lustre, GPFS; numbers of statfs(2), and of Lustre's and GPFS's
    // sources.
    constexpr std::array<std::uint32_t, 7> kKnownToBear = {0xEF53,     0x58465342, 0x9123683E, 0x01021994,
                                                           0x794C7630, 0x0BD00BD0, 0x47504653};
    struct statfs status = {};
    if (retried([&] { return ::statfs(directory.c_str(), &status); }) != 0) {
      fail(directory, "ask for its file system", errno);
    }
    const auto type = static_cast<std::uint32_t>(status.f_type);
    return std::find(kKnownToBear.begin(), kKnownToBear.end(), type) != kKnownToBear.end();
  }

  void write_pieces(const std::string& path, const GiveBytes& give) override {
    { const Descriptor made(path, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK, "create it"); }
    PosixPartFile file(path);
    std::uint64_t size = 0;
    give([&](std::span<const std::byte> bytes) {
      file.write_at(size, bytes);
      size += bytes.size();
    });
    file.sync();
  }

  void append_lines(const std::string& path, std::string_view lines) override {
    // A pipe whose reader is slow or gone loses lines, and nobody waits for it.
    const Descriptor file(path, O_RDWR | O_APPEND | O_CREAT | O_NONBLOCK | O_NOCTTY, "create it");
    const off_t end = ::lseek(file.number(), 0, SEEK_END);
    char last = '\n';
    const bool is_cut_off = end > 0 && ::pread(file.number(), &last, 1, end - 1) == 1 && last != '\n';
    std::string text = (is_cut_off ? "\n" : "") + std::string(lines);
    for (std::string_view rest = text; !rest.empty();) {
      const ssize_t written = retried([&] { return ::write(file.number(), rest.data(), rest.size()); });
      if (written <= 0) fail(path, "write to it", written < 0 ? errno : ENOSPC);
      rest.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  Bytes read_whole(const std::string& path) override {
    PosixSourceFile file(path);
    Bytes bytes(file.size_bytes());
    file.read_at(0, bytes);
    return bytes;
  }

  void make_directory(const std::string& path) override {
    if (::mkdir(path.c_str(), 0777) != 0) {
      const int error = errno;
      std::error_code ignored;
      if (error != EEXIST || !std::filesystem::is_directory(path, ignored))
        fail(path, "make the directory", error);
    }
    sync(directory_of(path), O_RDONLY | O_DIRECTORY);
  }

  void rename_directory(const std::string& path, const std::string& final_name) override {
    sync(path, O_RDONLY | O_DIRECTORY);
    // rename(2) would replace a directory that has nothing in it.
    if (exists(final_name)) fail(final_name, "rename " + path + " to it", EEXIST);
    if (::rename(path.c_str(), final_name.c_str()) != 0) fail(final_name, "rename " + path + " to it", errno);
    sync(directory_of(final_name), O_RDONLY | O_DIRECTORY);
  }

  std::vector<std::string> list(const std::string& directory) override {
    std::vector<std::string> names;
    std::error_code reason;
    std::filesystem::directory_iterator entry(directory, reason);
    if (reason == std::errc::no_such_file_or_directory) return names;
    while (!reason && entry != std::filesystem::directory_iterator()) {
      names.push_back(entry->path().filename());
      entry.increment(reason);
    }
    if (reason) fail(directory, "list it", reason.value());
    std::sort(names.begin(), names.end());
    return names;
  }

  void remove_directory(const std::string& path) override {
    std::error_code reason;
    std::filesystem::remove_all(path, reason);
    if (reason) fail(path, "remove it", reason.value());
  }

  void sync_directory(const std::string& path) override { sync(path, O_RDONLY | O_DIRECTORY); }

 private:
  /// Where nothing can be reserved: whether there is as much now. True where the system does not say.
  static bool has_space(int file, std::uint64_t bytes) {
    struct statfs status = {};
    if (retried([&] { return ::fstatfs(file, &status); }) != 0 || status.f_blocks == 0) return true;
    return static_cast<std::uint64_t>(status.f_bavail) * static_cast<std::uint64_t>(status.f_bsize) >= bytes;
  }

  static void sync(const std::string& path, int flags) {
    const Descriptor file(path, flags, "open it");
    if (retried([&] { return ::fsync(file.number()); }) != 0) fail_to_sync(path, errno);
  }
};

}  // namespace

std::unique_ptr<FileSystem> posix_file_system() { return std::make_unique<PosixFileSystem>(); }

}  // namespace pileus
