#include "joint/run/record_group.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "config/messages.h"
#include "config/namespaces.h"
#include "core/error.h"
#include "core/missing.h"
#include "joint/common_times.h"

namespace pileus {
namespace {

using netcdf::InputFile;

/// Lets the files' number for no value be the one that fields from files have. NaN is equal to nothing.
template <class T>
void settle_missing(std::span<std::byte> bytes, std::optional<double> fill, ElementType type) {
  if (!fill) return;
  const auto ours = static_cast<T>(missing_of_files(type));
  const std::span<T> values(reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T));
  if (std::isnan(*fill)) {
    std::ranges::replace_if(
        values, [](T value) { return value != value; }, ours);
    return;
  }
  const auto theirs = static_cast<T>(*fill);
  if (theirs != ours) std::ranges::replace(values, theirs, ours);
}

/// What Pileus writes is no double, so that it is compared as it is; of others what a double has exactly.
void settle_missing_integers(std::span<std::byte> bytes, std::optional<double> fill) {
  constexpr std::int64_t kWritten = -9223372036854775806;
  const std::span<std::int64_t> values(reinterpret_cast<std::int64_t*>(bytes.data()), bytes.size() / 8);
  std::ranges::replace(values, kWritten, INT64_MIN);
  if (fill && std::fabs(*fill) < 0x1p53)
    std::ranges::replace(values, static_cast<std::int64_t>(*fill), INT64_MIN);
}

void settle_missing(std::span<std::byte> bytes, std::optional<double> fill, ElementType type) {
  if (fill && !std::isnan(*fill) && !can_be(*fill, type)) return;
  switch (type) {
    case ElementType::float64: return settle_missing<double>(bytes, fill, type);
    case ElementType::float32: return settle_missing<float>(bytes, fill, type);
    case ElementType::int32: return settle_missing<std::int32_t>(bytes, fill, type);
    default: return settle_missing_integers(bytes, fill);
  }
}

/// CF gives the standard calendar two names, and files without one have it.
std::string calendar_of(const InputFile& file, const std::string& axis) {
  const std::string calendar = file.text(axis, "calendar");
  return calendar.empty() || calendar == "gregorian" ? "standard" : calendar;
}

ModelDimension dimension_of(const InputFile& file, const std::string& name) {
  ModelDimension dimension{name, file.dimension(name).value_or(0), {}, ""};
  if (!file.has_variable(name) || file.shape(name) != std::vector<Index>{dimension.size}) return dimension;
  if (file.dimension_names(name).front() != name || !file.type(name)) return dimension;
  dimension.coordinates = file.numbers(name);
  dimension.units = file.text(name, "units");
  const std::string bounds = file.text(name, "bounds");
  if (!bounds.empty() && file.has_variable(bounds)) dimension.bounds = file.numbers(bounds);
  return dimension;
}

/// What two dimensions of one name differ in; "" where they agree.
std::string difference(const ModelDimension& a, const ModelDimension& b) {
  if (a.size != b.size) return std::to_string(a.size) + " and " + std::to_string(b.size) + " points";
  if (a.coordinates != b.coordinates || a.units != b.units) return "other coordinates";
  return "";
}

}  // namespace

RecordGroup::RecordGroup(const DataGroupConfig& config, std::vector<std::string> paths)
    : config_(config), paths_(std::move(paths)) {
  find_variables();
  read_times();
}

void RecordGroup::find_variables() {
  const InputFile& first = open(0);
  for (const FieldConfig& field : config_.fields) {
    Variable variable{field.name.value, full_name(config_.scope, field.name.value), {}, {}, {}, {}, -1};
    if (!first.has_variable(variable.name)) {
      if (field.is_optional) continue;
      first.refuse("it has no variable " + in_quotes(variable.name) +
                   suggestion_or_known(variable.name, first.variables()) + " (" + field.where.text() + ")");
    }
    const auto type = first.type(variable.name);
    if (!type)
      first.refuse("its variable " + variable.name +
                   " holds neither floats nor whole numbers of 32 "
                   "or 64 bits (" +
                   field.where.text() + ")");
    require_unpacked(first, variable.name);
    variable.type = *type;
    variable.dimensions = first.dimension_names(variable.name);
    variable.shape = first.shape(variable.name);
    if (first.has_records(variable.name)) find_axis(variable);
    variables_.push_back(std::move(variable));
  }
}

void RecordGroup::require_unpacked(const InputFile& file, const std::string& variable) const {
  for (const char* const attribute : {"scale_factor", "add_offset"}) {
    if (file.number(variable, attribute))
      file.refuse("its variable " + variable + " is packed (" + attribute +
                  "): read a file whose values are as they stand (data-definition " +
                  in_quotes(config_.name.value) + ", " + config_.where.text() + ")");
  }
}

void RecordGroup::find_axis(Variable& variable) {
  const std::string& axis = variable.dimensions.front();
  const auto known = std::ranges::find(axes_, axis);
  variable.axis = static_cast<std::size_t>(known - axes_.begin());
  if (known == axes_.end()) axes_.push_back(axis);
  variable.dimensions.erase(variable.dimensions.begin());
  variable.shape.erase(variable.shape.begin());
}

void RecordGroup::read_times() {
  times_.resize(axes_.size());
  places_.resize(axes_.size());
  for (std::size_t number = 0; number < paths_.size(); ++number) {
    const InputFile& file = open(number);
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) read_times_of(axis, file, number);
  }
}

void RecordGroup::read_times_of(std::size_t axis, const InputFile& file, std::size_t number) {
  take_clock(file, axes_[axis]);
  const std::vector<double> times = file.numbers(axes_[axis]);
  for (std::size_t record = 0; record < times.size(); ++record) {
    const double time_s = times[record];
    if (std::isnan(time_s) || (!times_[axis].empty() && time_s <= times_[axis].back()))
      file.refuse("the times of its " + axes_[axis] + " do not come after those of the files before it");
    times_[axis].push_back(time_s);
    places_[axis].push_back({number, static_cast<Index>(record)});
  }
}

std::vector<double> RecordGroup::first_times() const {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  std::vector<double> first(paths_.size(), axes_.empty() ? kNever : -kNever);
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    std::vector<double> of_axis(paths_.size(), kNever);
    for (std::size_t record = times_[axis].size(); record-- > 0;)
      of_axis[places_[axis][record].file] = times_[axis][record];
    for (std::size_t file = 0; file < first.size(); ++file)
      first[file] = std::max(first[file], of_axis[file]);
  }
  return first;
}

bool RecordGroup::begins_at(std::size_t file, double time_s) const {
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    for (std::size_t record = 0; record < times_[axis].size(); ++record) {
      const double record_s = times_[axis][record];
      if (places_[axis][record].file == file && (record_s < time_s || is_same_time(record_s, time_s)))
        return true;
    }
  }
  return false;
}

void RecordGroup::take_clock(const InputFile& file, const std::string& axis) {
  constexpr std::string_view kSince = "seconds since ";
  const std::string units = file.text(axis, "units");
  if (!units.starts_with(kSince))
    file.refuse("its " + axis + " is in " + in_quotes(units) + ", and not in seconds since a date");
  FileClock clock{units.substr(kSince.size()), calendar_of(file, axis), file.path()};
  if (!clock_) clock_ = clock;
  if (clock_->epoch != clock.epoch || clock_->calendar != clock.calendar)
    file.refuse("its times are in other units than those of " + clock_->path);
}

const InputFile& RecordGroup::open(std::size_t file) {
  if (!file_ || opened_ != file) {
    file_.reset();
    file_ = std::make_unique<InputFile>(paths_[file]);
    opened_ = file;
  }
  return *file_;
}

void RecordGroup::add_dimension(const std::string& name, KnownDimensions& known, Client& client) {
  const InputFile& file = open(0);
  ModelDimension dimension = dimension_of(file, name);
  const auto [before, is_new] = known.try_emplace(name, KnownDimension{dimension, file.path()});
  if (!is_new) {
    const std::string other = difference(before->second.dimension, dimension);
    if (other.empty()) return;
    file.refuse("its dimension " + name + " is not that of " + before->second.path + ": " + other +
                "; regrid one of the two, or give its dimension another name in the component that writes "
                "it (data-definition " +
                in_quotes(config_.name.value) + ", " + config_.where.text() + ")");
  }
  std::vector<double> bounds = std::move(dimension.bounds);
  dimension.bounds.clear();
  client.dimension(std::move(dimension));
  if (!bounds.empty()) client.dimension_bounds(name, std::move(bounds));
}

void RecordGroup::register_with(KnownDimensions& known, Client& client) {
  for (Variable& variable : variables_) {
    ModelField field{variable.full_name, variable.type, {}, {}, {}, !variable.axis, {}};
    for (std::size_t d = variable.dimensions.size(); d-- > 0;) {
      add_dimension(variable.dimensions[d], known, client);
      field.dimensions.push_back(variable.dimensions[d]);
      field.region.start.push_back(0);
      field.region.count.push_back(variable.shape[d]);
    }
    const bool is_static = !variable.axis;
    field.is_static = false;
    variable.number = client.field(std::move(field));
    const InputFile& file = open(0);
    client.field_metadata(variable.number,
                          {file.text(variable.name, "units"), file.text(variable.name, "standard_name"),
                           file.text(variable.name, "long_name")});
    if (is_static) client.static_field(variable.number);
  }
}

void RecordGroup::read(const Variable& variable, const Place& place) {
  const InputFile& file = open(place.file);
  std::vector<Index> shape =
      file.has_variable(variable.name) ? file.shape(variable.name) : std::vector<Index>();
  if (variable.axis && !shape.empty()) shape.erase(shape.begin());
  if (shape != variable.shape || file.type(variable.name) != variable.type)
    file.refuse("its variable " + variable.name + " is another one than in " + paths_.front());
  const Index size = std::accumulate(shape.begin(), shape.end(), Index{1}, std::multiplies<>());
  values_.resize(static_cast<std::size_t>(size) * size_bytes(variable.type));
  file.read(variable.name, variable.axis ? place.record : -1, values_);
  for (const char* const attribute : {"_FillValue", "missing_value"})
    settle_missing(values_, file.number(variable.name, attribute), variable.type);
}

void RecordGroup::put(std::span<const std::size_t> records, Client& client) {
  for (const Variable& variable : variables_) {
    if (!client.wanted(variable.number)) continue;
    read(variable, variable.axis ? places_[*variable.axis][records[*variable.axis]] : Place{});
    client.put(variable.number, values_.data(), nullptr);
  }
}

}  // namespace pileus
