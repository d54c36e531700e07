#pragma once
// A netCDF file that Pileus reads: weights, and grids that a run wrote. What is missing or does not fit is an
// error that names the file. One thread at a time, as for all that calls the netCDF library.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/element_type.h"
#include "core/extents.h"

namespace pileus::netcdf {

class InputFile {
 public:
  /// Errors: UsageError "FILE: …" if it is not there, no netCDF, or shorter than it says.
  explicit InputFile(const std::string& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }
  bool has_variable(const std::string& name) const;
  std::vector<std::string> variables() const;
  /// A whole number; nullopt if there is no such attribute.
  std::optional<Index> whole_number(const std::string& variable, const char* attribute) const;
  /// nullopt if there is no such dimension.
  std::optional<Index> dimension(const std::string& name) const;
  /// Slowest first, as the file has them. Errors: UsageError if the variable is not there.
  std::vector<Index> shape(const std::string& variable) const;
  std::vector<std::string> dimension_names(const std::string& variable) const;
  /// An attribute of text, also one of the type string; "" if it is not there. `variable` "": of the file.
  std::string text(const std::string& variable, const std::string& attribute) const;
  /// Missing values are NaN; a scale_factor and an add_offset are applied. Errors: UsageError if the variable
  /// is not there, holds no numbers or cannot be read.
  std::vector<double> numbers(const std::string& variable) const;
  /// `count` indices of the slowest dimension, from `first` on, of all others `most` or all if that is 0.
  std::vector<double> numbers(const std::string& variable, Index first, Index count, Index most = 0) const;
  /// Of `cells` cells from `first` on, which are numbered over the first `dimensions` in the order of the
  /// file, all that it has.
  std::vector<double> numbers_of_cells(const std::string& variable, std::size_t dimensions, Index first,
                                       Index cells) const;
  /// Those of a box: a start and a count for each dimension, in the order of the file.
  std::vector<double> numbers_within(const std::string& variable, const std::vector<std::size_t>& start,
                                     const std::vector<std::size_t>& counts) const;
  std::vector<Index> integers(const std::string& variable, Index first, Index count) const;

  /// nullopt for texts, bytes and what Pileus has no type for.
  std::optional<ElementType> type(const std::string& variable) const;
  bool has_numbers(const std::string& variable) const;
  /// Whether its values are whole numbers, as they stand in the file.
  bool has_whole_numbers(const std::string& variable) const;
  /// Whether floats have all that is in its values, as they stand in the file.
  bool fits_floats(const std::string& variable) const;
  /// Whether its slowest dimension grows, so that it has records.
  bool has_records(const std::string& variable) const;
  /// The values as they are, dense: of one index of the slowest dimension, or of all if `record` is negative.
  /// REQUIRES: the variable has a type(); `bytes` is as long as the values are.
  void read(const std::string& variable, Index record, std::span<std::byte> bytes) const;
  /// An attribute that is one number; nullopt if it is not there.
  std::optional<double> number(const std::string& variable, const char* attribute) const;

  [[noreturn]] void refuse(const std::string& what) const;

 private:
  int id_of(const std::string& variable) const;
  int nc_type_of(const std::string& variable) const;
  std::optional<double> fill_of(const std::string& variable) const;
  void check(int status, const std::string& what) const;
  void check_length() const;

  std::string path_;
  int file_ = -1;
};

}  // namespace pileus::netcdf
