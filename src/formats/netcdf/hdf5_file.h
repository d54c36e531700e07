#pragma once
// A netCDF-4 file opened by HDF5, below netCDF: to change how many records its datasets have, and to learn
// where chunks lie. It caches no data, so that closing it writes nothing over what other processes wrote.

#include <hdf5.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/region.h"
#include "formats/format.h"

namespace pileus::netcdf {

/// HDF5 prints no errors in this thread from now on; netCDF asks the same of it.
void silence_hdf5();

/// Errors: OutputError "PATH: could not `what`: reason" where a result of HDF5 is negative.
void check_hdf5(std::int64_t result, const std::string& path, const std::string& what);

/// A variable that has the name of a dimension and is not its coordinate variable has another name in HDF5.
std::string name_in_hdf5(hid_t file, const std::string& variable);

/// What HDF5 writes to the file `path`, which it has open, goes to memory instead. A file that it cannot
/// write cannot be closed either: it stays open for ever, and netCDF crashes over it. Where the system has no
/// such memory the file is written as ever.
class WritesInMemory {
 public:
  explicit WritesInMemory(const std::string& path);
  ~WritesInMemory();
  WritesInMemory(const WritesInMemory&) = delete;
  WritesInMemory& operator=(const WritesInMemory&) = delete;

  /// All of the file, after HDF5 closed it. Errors: OutputError, DiskFullError.
  void copy_to(const std::string& path) const;

 private:
  int memory_ = -1;  ///< a descriptor
};

/// An id of HDF5 that closes itself.
class Hdf5Id {
 public:
  using Close = herr_t (*)(hid_t);
  Hdf5Id(hid_t id, Close close) : id_(id), close_(close) {}
  ~Hdf5Id() {
    if (id_ >= 0) close_(id_);
  }
  Hdf5Id(Hdf5Id&& other) noexcept : id_(other.release()), close_(other.close_) {}
  Hdf5Id& operator=(Hdf5Id&&) = delete;

  hid_t get() const { return id_; }
  hid_t release() { return std::exchange(id_, -1); }

 private:
  hid_t id_;
  Close close_;
};

class Hdf5File {
 public:
  /// Opens the file for changes. New metadata lie together, `metadata_bytes` of them at a time.
  /// `on_disk`: how new chunks are aligned.
  explicit Hdf5File(const std::string& path, std::uint64_t metadata_bytes, const OnDisk& on_disk = {});

  /// Adds a text attribute of the file, as netCDF does it. REQUIRES: it has none of the name; the text is not
  /// empty.
  void add_text(const std::string& name, const std::string& text);

  /// Adds a number to a variable, likewise. REQUIRES: a whole one of 32 bits, or a real one.
  void add_number(const std::string& variable, const FileAttribute& attribute);

  /// Everything is in the file afterwards. REQUIRES: no dataset of it is open.
  void close();

  const std::string& path() const { return path_; }
  hid_t id() const { return file_.get(); }

 private:
  std::string path_;
  Hdf5Id file_;
};

/// A variable of the file. Offsets run as in HDF5: the record first, then slowest to fastest.
class Hdf5Dataset {
 public:
  Hdf5Dataset(const Hdf5File& file, const std::string& variable);

  /// Fastest first.
  std::vector<Index> extents() const { return {extents_.rbegin(), extents_.rend()}; }
  /// Those of its chunks. REQUIRES: it has some.
  std::vector<Index> chunk() const;
  /// Makes or cuts the number of records.
  void set_records(Index records);
  /// All of it, with the type of the file.
  void write(const std::byte* values);
  /// Its first byte. REQUIRES: it has no chunks, and values.
  std::uint64_t address() const;
  /// Writes zero there, which allots the chunk that holds the element, or all of a dataset without chunks.
  void touch(std::span<const hsize_t> offset);
  /// Writes `value` into the records [first, first + count). REQUIRES: a dataset of one double a record.
  void fill(Index first, Index count, double value);
  /// Puts a chunk there as it is. `skipped_filters`: bit i where the i-th filter was not applied.
  void write_chunk(std::span<const hsize_t> offset, std::span<const std::byte> bytes,
                   std::uint32_t skipped_filters);
  /// The first byte of the chunk that begins there.
  std::uint64_t chunk_address(std::span<const hsize_t> offset) const;

 private:
  void check(std::int64_t result, const std::string& what) const;

  std::string path_, name_;
  Hdf5Id dataset_, type_, space_;
  std::vector<hsize_t> extents_;
};

}  // namespace pileus::netcdf
