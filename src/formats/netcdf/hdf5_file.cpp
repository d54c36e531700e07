#include "formats/netcdf/hdf5_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "core/error.h"

namespace pileus::netcdf {
namespace {

constexpr std::size_t kCopied = std::size_t{1} << 16U;  // bytes at a time

/// "…, errno = 28, error message = 'No space left on device', …" becomes the message of the system.
std::string reason_of_system(const std::string& text) {
  const std::string opening = "error message = '";
  const std::size_t first = text.find(opening);
  if (first == std::string::npos) return text;
  const std::size_t from = first + opening.size();
  return text.substr(from, text.find('\'', from) - from);
}

/// The innermost error of HDF5's stack.
std::string reason_of_hdf5() {
  std::string reason;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned, const H5E_error2_t* error, void* data) -> herr_t {
        auto& text = *static_cast<std::string*>(data);
        if (text.empty() && error->desc != nullptr) text = error->desc;
        return 0;
      },
      &reason);
  return reason.empty() ? "HDF5 does not say why" : reason_of_system(reason);
}

Hdf5Id opened(const std::string& path, std::uint64_t metadata_bytes, const OnDisk& on_disk) {
  const Hdf5Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_alignment(access.get(), static_cast<hsize_t>(on_disk.aligned_from()),
                   static_cast<hsize_t>(on_disk.alignment()));
  // No chunk fits into a cache of one byte and no write into a sieve of one: each goes to the file at once,
  // and alone.
  H5Pset_cache(access.get(), 0, 521, 1, 1.0);
  H5Pset_sieve_buf_size(access.get(), 1);
  if (metadata_bytes > 0) H5Pset_meta_block_size(access.get(), metadata_bytes);
#if H5_VERSION_GE(1, 12, 1) || (H5_VERSION_GE(1, 10, 7) && !H5_VERSION_GE(1, 12, 0))
  // A command that is being started may still hold the lock with which the file was made.
  H5Pset_file_locking(access.get(), false, true);
#endif
  Hdf5Id file(H5Fopen(path.c_str(), H5F_ACC_RDWR, access.get()), H5Fclose);
  check_hdf5(file.get(), path, "open it");
  return file;
}

/// Whether it is that file: names of others in this process may be the same.
bool is_of(int descriptor, const std::string& path) {
  struct stat open = {}, named = {};
  return ::fstat(descriptor, &open) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

/// That of the operating system, for a file that HDF5 has open with its usual driver; -1 if it has not.
int descriptor_of(const std::string& path) {
  const ssize_t count = H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_FILE);
  std::vector<hid_t> open(static_cast<std::size_t>(std::max<ssize_t>(0, count)));
  open.resize(static_cast<std::size_t>(
      std::max<ssize_t>(0, H5Fget_obj_ids(H5F_OBJ_ALL, H5F_OBJ_FILE, open.size(), open.data()))));
  for (const hid_t file : open) {
    const Hdf5Id access(H5Fget_access_plist(file), H5Pclose);
    void* descriptor = nullptr;
    if (H5Pget_driver(access.get()) == H5FD_SEC2 && H5Fget_vfd_handle(file, H5P_DEFAULT, &descriptor) >= 0 &&
        is_of(*static_cast<int*>(descriptor), path))
      return *static_cast<int*>(descriptor);
  }
  return -1;
}

/// All bytes of a file to the beginning of another; the number of the error, or 0.
int copy(int from, int to) {
  std::array<char, kCopied> bytes;
  off_t done = 0;
  while (true) {
    const ssize_t size = ::pread(from, bytes.data(), bytes.size(), done);
    if (size == 0) return 0;
    const ssize_t written =
        size < 0 ? size : ::pwrite(to, bytes.data(), static_cast<std::size_t>(size), done);
    if (written == 0) return ENOSPC;
    if (written < 0 && errno != EINTR) return errno;
    done += std::max<ssize_t>(0, written);
  }
}

/// Checked at once: the next call of HDF5 forgets why this one failed.
Hdf5Id opened_dataset(const Hdf5File& file, const std::string& variable) {
  Hdf5Id dataset(H5Dopen2(file.id(), name_in_hdf5(file.id(), variable).c_str(), H5P_DEFAULT), H5Dclose);
  check_hdf5(dataset.get(), file.path(), "open " + variable);
  return dataset;
}

Hdf5Id type_of(const Hdf5Id& dataset, const std::string& path, const std::string& variable) {
  Hdf5Id type(H5Dget_type(dataset.get()), H5Tclose);
  check_hdf5(type.get(), path, "find the type of " + variable);
  return type;
}

Hdf5Id space_of(const Hdf5Id& dataset, const std::string& path, const std::string& variable) {
  Hdf5Id space(H5Dget_space(dataset.get()), H5Sclose);
  check_hdf5(space.get(), path, "find the shape of " + variable);
  return space;
}

std::vector<hsize_t> extents_of(hid_t space) {
  std::vector<hsize_t> extents(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
  H5Sget_simple_extent_dims(space, extents.data(), nullptr);
  return extents;
}

}  // namespace

std::string name_in_hdf5(hid_t file, const std::string& variable) {
  const std::string special = "_nc4_non_coord_" + variable;
  return H5Lexists(file, special.c_str(), H5P_DEFAULT) > 0 ? special : variable;
}

void silence_hdf5() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

void check_hdf5(std::int64_t result, const std::string& path, const std::string& what) {
  if (result >= 0) return;
  const std::string reason = reason_of_hdf5(), text = path + ": could not " + what + ": " + reason;
  for (int full : {ENOSPC, EDQUOT}) {
    if (reason == std::generic_category().message(full)) throw DiskFullError(text, false);
  }
  throw OutputError(text);
}

WritesInMemory::WritesInMemory(const std::string& path) {
  const int file = descriptor_of(path);
  memory_ = file < 0 ? -1 : ::memfd_create("pileus", MFD_CLOEXEC);
  if (memory_ < 0) return;
  if (copy(file, memory_) != 0 || ::dup2(memory_, file) < 0) ::close(std::exchange(memory_, -1));
}

WritesInMemory::~WritesInMemory() {
  if (memory_ >= 0) ::close(memory_);
}

void WritesInMemory::copy_to(const std::string& path) const {
  if (memory_ < 0) return;
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  const int error = file < 0 ? errno : copy(memory_, file);
  if (file >= 0) ::close(file);
  if (error == 0) return;
  const std::string text = path + ": could not write to it: " + std::generic_category().message(error);
  if (error == ENOSPC || error == EDQUOT) throw DiskFullError(text);
  throw OutputError(text);
}

Hdf5File::Hdf5File(const std::string& path, std::uint64_t metadata_bytes, const OnDisk& on_disk)
    : path_(path), file_(opened(path, metadata_bytes, on_disk)) {}

void Hdf5File::add_text(const std::string& name, const std::string& text) {
  const Hdf5Id type(H5Tcopy(H5T_C_S1), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
  check_hdf5(H5Tset_size(type.get(), text.size()), path_, "describe the attribute " + name);
  const Hdf5Id attribute(H5Acreate2(id(), name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose);
  check_hdf5(attribute.get(), path_, "make the attribute " + name);
  check_hdf5(H5Awrite(attribute.get(), type.get(), text.data()), path_, "write the attribute " + name);
}

void Hdf5File::add_number(const std::string& variable, const FileAttribute& attribute) {
  const Hdf5Id dataset(H5Dopen2(id(), variable.c_str(), H5P_DEFAULT), H5Dclose);
  check_hdf5(dataset.get(), path_, "open " + variable);
  const auto* const whole = std::get_if<std::int64_t>(&attribute.value);
  const auto number = whole ? static_cast<int>(*whole) : 0;
  const double real = whole ? 0 : std::get<double>(attribute.value);
  const hid_t in_file = whole ? H5T_STD_I32LE : H5T_IEEE_F64LE;
  const hsize_t one = 1;
  const Hdf5Id space(H5Screate_simple(1, &one, nullptr), H5Sclose);
  const std::string& name = attribute.name;
  const Hdf5Id made(H5Acreate2(dataset.get(), name.c_str(), in_file, space.get(), H5P_DEFAULT, H5P_DEFAULT),
                    H5Aclose);
  check_hdf5(made.get(), path_, "make the attribute " + name);
  const herr_t written =
      whole ? H5Awrite(made.get(), H5T_NATIVE_INT, &number) : H5Awrite(made.get(), H5T_NATIVE_DOUBLE, &real);
  check_hdf5(written, path_, "write the attribute " + name);
}

void Hdf5File::close() { check_hdf5(H5Fclose(file_.release()), path_, "close it"); }

Hdf5Dataset::Hdf5Dataset(const Hdf5File& file, const std::string& variable)
    : path_(file.path()),
      name_(variable),
      dataset_(opened_dataset(file, variable)),
      type_(type_of(dataset_, path_, name_)),
      space_(space_of(dataset_, path_, name_)),
      extents_(extents_of(space_.get())) {}

std::vector<Index> Hdf5Dataset::chunk() const {
  const Hdf5Id creation(H5Dget_create_plist(dataset_.get()), H5Pclose);
  std::vector<hsize_t> chunk(extents_.size());
  check(H5Pget_chunk(creation.get(), static_cast<int>(chunk.size()), chunk.data()), "find the chunks of");
  return {chunk.rbegin(), chunk.rend()};
}

void Hdf5Dataset::set_records(Index records) {
  if (extents_.front() == static_cast<hsize_t>(records)) return;
  extents_.front() = static_cast<hsize_t>(records);
  check(H5Dset_extent(dataset_.get(), extents_.data()), "set the number of records of");
  check(H5Sset_extent_simple(space_.get(), static_cast<int>(extents_.size()), extents_.data(), nullptr),
        "set the number of records of");
}

void Hdf5Dataset::write(const std::byte* values) {
  check(H5Dwrite(dataset_.get(), type_.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values), "write the values of");
}

std::uint64_t Hdf5Dataset::address() const {
  const haddr_t address = H5Dget_offset(dataset_.get());
  if (address == HADDR_UNDEF) throw OutputError(path_ + ": could not find the values of " + name_);
  return address;
}

void Hdf5Dataset::touch(std::span<const hsize_t> offset) {
  constexpr std::array<std::byte, 8> kZero = {};
  const hsize_t one = 1;
  const Hdf5Id memory(H5Screate_simple(1, &one, nullptr), H5Sclose);
  check(H5Sselect_elements(space_.get(), H5S_SELECT_SET, 1, offset.data()), "select a chunk of");
  check(H5Dwrite(dataset_.get(), type_.get(), memory.get(), space_.get(), H5P_DEFAULT, kZero.data()),
        "make space for");
}

void Hdf5Dataset::fill(Index first, Index count, double value) {
  const std::vector<double> values(static_cast<std::size_t>(count), value);
  const auto start = static_cast<hsize_t>(first), size = static_cast<hsize_t>(count);
  const Hdf5Id memory(H5Screate_simple(1, &size, nullptr), H5Sclose);
  check(H5Sselect_hyperslab(space_.get(), H5S_SELECT_SET, &start, nullptr, &size, nullptr),
        "select records of");
  check(H5Dwrite(dataset_.get(), H5T_NATIVE_DOUBLE, memory.get(), space_.get(), H5P_DEFAULT, values.data()),
        "mark new records of");
}

void Hdf5Dataset::write_chunk(std::span<const hsize_t> offset, std::span<const std::byte> bytes,
                              std::uint32_t skipped_filters) {
  check(
      H5Dwrite_chunk(dataset_.get(), H5P_DEFAULT, skipped_filters, offset.data(), bytes.size(), bytes.data()),
      "write a chunk of");
}

std::uint64_t Hdf5Dataset::chunk_address(std::span<const hsize_t> offset) const {
  unsigned filters = 0;
  haddr_t address = HADDR_UNDEF;
  hsize_t size = 0;
  check(H5Dget_chunk_info_by_coord(dataset_.get(), offset.data(), &filters, &address, &size),
        "find a chunk of");
  if (address == HADDR_UNDEF)
    throw OutputError(path_ + ": could not find a chunk of " + name_ + ": it is not there");
  return address;
}

void Hdf5Dataset::check(std::int64_t result, const std::string& what) const {
  check_hdf5(result, path_, what + " " + name_);
}

}  // namespace pileus::netcdf
