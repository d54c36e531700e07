#pragma once
// The fields of one data-definition in the published files that it names: what they are, when there are
// records of them, and their values, record by record.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "client/client.h"
#include "config/config.h"
#include "formats/netcdf/input_file.h"

namespace pileus {

/// When the times of files are.
struct FileClock {
  std::string epoch, calendar;  ///< "2000-01-01 00:00:00"
  std::string path;             ///< of the first file that says so
};

/// The dimensions that groups have, by name: those of two groups are one if they agree.
struct KnownDimension {
  ModelDimension dimension;
  std::string path;  ///< of the file that it comes from
};
using KnownDimensions = std::map<std::string, KnownDimension>;

class RecordGroup {
 public:
  /// `paths`: of the files in their order, at least one.
  /// Errors: UsageError for a variable that is not there or cannot be read, and for times that do not rise.
  RecordGroup(const DataGroupConfig& config, std::vector<std::string> paths);

  /// The times of each axis on which fields lie; none if all are static.
  const std::vector<std::vector<double>>& times() const { return times_; }
  /// From which time on each file has records of all axes; infinity where it lacks one.
  std::vector<double> first_times() const;
  /// Whether a file has a record at that time or before.
  bool begins_at(std::size_t file, double time_s) const;
  /// nullopt if all fields are static.
  const std::optional<FileClock>& clock() const { return clock_; }

  /// Registers its fields, and those of their dimensions that are not known yet.
  /// Errors: UsageError for a dimension that another group has with another size or other coordinates.
  void register_with(KnownDimensions& known, Client& client);
  /// Hands over what is wanted in the step that has begun. `records`: by axis, which of its times.
  /// Errors: UsageError if a file has another shape than the first.
  void put(std::span<const std::size_t> records, Client& client);

 private:
  struct Variable {
    std::string name, full_name;
    ElementType type = ElementType::float64;
    std::vector<std::string> dimensions;  ///< slowest first, without that of the records
    std::vector<Index> shape;             ///< likewise
    std::optional<std::size_t> axis;      ///< none: it never changes
    int number = -1;                      ///< where it is registered
  };
  struct Place {
    std::size_t file = 0;
    Index record = 0;
  };

  void find_variables();
  void require_unpacked(const netcdf::InputFile& file, const std::string& variable) const;
  void find_axis(Variable& variable);
  void read_times();
  void read_times_of(std::size_t axis, const netcdf::InputFile& file, std::size_t number);
  void take_clock(const netcdf::InputFile& file, const std::string& axis);
  void add_dimension(const std::string& name, KnownDimensions& known, Client& client);
  const netcdf::InputFile& open(std::size_t file);
  void read(const Variable& variable, const Place& place);

  const DataGroupConfig& config_;
  std::vector<std::string> paths_;
  std::vector<Variable> variables_;
  std::vector<std::string> axes_;  ///< names of dimensions
  std::vector<std::vector<double>> times_;
  std::vector<std::vector<Place>> places_;
  std::optional<FileClock> clock_;
  std::unique_ptr<netcdf::InputFile> file_;
  std::size_t opened_ = 0;
  std::vector<std::byte> values_;
};

}  // namespace pileus
