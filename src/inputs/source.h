#pragma once
// What a file has of an input, and who reads its values. Each format that can be read has its own source.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/region.h"

namespace pileus {

struct InputDimension {
  std::string name;
  Index size = 0;
};

/// A variable of a file without its values. All but the times is "" or empty where the file does not say it.
struct InputHeader {
  std::string file, variable;              ///< its path, and the name there
  std::vector<InputDimension> dimensions;  ///< without that of time; fastest first
  std::string units;
  bool has_time = false;
  std::string time, time_units, calendar;  ///< of its time axis: the name, "days since 2000-01-01", the word
  std::vector<double> times;               ///< as the file has them; NaN where they are missing
  std::vector<double> bounds;              ///< two for each time, or none
  bool is_float = false;                   ///< a float has all that is in its values
  bool is_whole = false;                   ///< they are whole numbers

  Index records() const { return has_time ? static_cast<Index>(times.size()) : 1; }
  /// Values in one record.
  Index size() const {
    Index size = 1;
    for (const InputDimension& one : dimensions) size *= one.size;
    return size;
  }
};

/// A file that inputs are read from. One thread at a time, as it may call the netCDF library, and it is
/// destroyed there too. Errors: UsageError "FILE: …".
class InputSource {
 public:
  virtual InputHeader header(const std::string& variable) = 0;
  /// Values of a record, 0 where there is no time, in double precision, unpacked as CF says; NaN where they
  /// are missing. `part`: of all dimensions but time, fastest first. REQUIRES: it lies in the variable.
  virtual void read(const InputHeader& header, Index record, const Region& part,
                    std::span<double> values) = 0;

  virtual ~InputSource() = default;
};

using OpenInput = std::function<std::unique_ptr<InputSource>(const std::string& path)>;

}  // namespace pileus
