#include "apps/tracks.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>

#include "core/error.h"
#include "formats/netcdf/input_file.h"
#include "formats/netcdf/tracks_file.h"

namespace pileus::apps {
namespace {

using netcdf::InputFile;
using netcdf::TracksFile;
using netcdf::TrackVariable;

constexpr const char* kOfVariables[] = {"units",    "long_name", "standard_name", "axis",
                                        "calendar", "comment",   "units_metadata"};
constexpr const char* kOfFiles[] = {"Conventions", "title", "institution", "source", "references", "history"};

TrackVariable described(const InputFile& file, const std::string& name) {
  TrackVariable variable{name};
  for (const char* const attribute : kOfVariables)
    if (const std::string text = file.text(name, attribute); !text.empty())
      variable.attributes[attribute] = text;
  return variable;
}

std::string text_of(double time) {
  std::ostringstream out;
  out << std::setprecision(15) << time;
  return out.str();
}

/// Of a unit such as "days since 2000-01-01".
double seconds_of(const InputFile& file, const std::string& units) {
  const std::string unit = units.substr(0, units.find(' '));
  for (const auto& [word, seconds] : {std::pair("second", 1.0), std::pair("minute", 60.0),
                                      std::pair("hour", 3600.0), std::pair("day", 86400.0)})
    if (unit == word || unit == std::string(word) + "s") return seconds;
  file.refuse("its time is in \"" + units + "\", not in seconds, minutes, hours or days");
}

/// When a run began, and with what: a run that continues it says the same. Other programs put lines of theirs
/// before it.
std::string run_of(const InputFile& file) {
  const std::string history = file.text("", "history");
  return history.substr(history.rfind('\n') + 1);
}

/// Whether records are of objects that were followed all the way: identities count up, and none comes again.
class Continuity {
 public:
  /// Of one time. `is_full`: some objects may lack.
  bool take(const std::vector<std::int64_t>& identities, bool is_full) {
    const bool goes_on = was_full_ || std::ranges::all_of(identities, [this](std::int64_t one) {
                           return one > most_ || there_.contains(one);
                         });
    there_ = {identities.begin(), identities.end()};
    if (!there_.empty()) most_ = std::max(most_, *there_.rbegin());
    was_full_ = is_full;
    return goes_on;
  }

 private:
  std::set<std::int64_t> there_;  ///< the time before
  std::int64_t most_ = 0;
  bool was_full_ = false;
};

/// The rows of all files, as they come.
class Table {
 public:
  explicit Table(const TracksSettings& settings) : settings_(settings) {}

  void add(const InputFile& file) {
    const std::vector<std::string> dimensions = table_of(file, settings_.identity);
    const std::string& time = dimensions.front();
    if (!file.has_variable(time)) file.refuse("it has no times: there is no variable \"" + time + "\"");
    if (tracks_.time.name.empty()) begin(file, dimensions);
    if (run_of(file) != run_)
      file.refuse("it is of another run than the files before (\"" + run_of(file) + "\", not \"" + run_ +
                  "\"), whose objects have other identities: make one result of each run. Files of a run and "
                  "of those that continue it go together");
    if (file.text(time, "units") != tracks_.time.attributes["units"])
      file.refuse("its times have other units than those of the files before");
    const std::vector<double> times = file.numbers(time), identities = file.numbers(settings_.identity);
    std::vector<std::vector<double>> values;
    for (const std::string& name : names_) {
      if (!file.has_variable(name) || table_of(file, name) != dimensions)
        file.refuse("it lacks \"" + name + "\", which the first file has in the same table");
      values.push_back(file.numbers(name));
    }
    const std::size_t rows = times.empty() ? 0 : identities.size() / times.size();
    for (std::size_t t = 0; t < times.size(); ++t) {
      if (!(times[t] > last_))
        file.refuse("its times do not come after those before: name each file once, in the order of time");
      last_ = times[t];
      std::vector<std::int64_t> there;
      for (std::size_t row = t * rows; row < (t + 1) * rows; ++row) {
        if (std::isnan(identities[row])) continue;
        tracks_.time.values.push_back(times[t]);
        identity_.push_back(std::llround(identities[row]));
        there.push_back(identity_.back());
        for (std::size_t v = 0; v < values.size(); ++v) tracks_.of_rows[v].values.push_back(values[v][row]);
      }
      const bool is_full = rows > 0 && there.size() == rows;
      full_ += is_full ? 1 : 0;
      if (!continuity_.take(there, is_full))
        file.refuse("at time " + text_of(times[t]) +
                    " it has objects with identities that others had before: they were not followed from the "
                    "record before on. It is of another run, or of one that began to follow objects anew");
    }
    if (settings_.gone.empty()) return;
    const std::vector<double> gone = file.numbers(settings_.gone), into = file.numbers(settings_.into);
    if (gone.size() != into.size())
      file.refuse("\"" + settings_.gone + "\" and \"" + settings_.into + "\" are not of one table");
    for (std::size_t i = 0; i < gone.size(); ++i)
      if (!std::isnan(gone[i])) into_[std::llround(gone[i])] = into[i];
  }

  /// So many times have as many rows as there are places.
  std::size_t full() const { return full_; }

  /// Those of one object together, by time.
  TracksFile ragged() && {
    std::vector<std::size_t> order(identity_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t row) { return identity_[row]; });
    const auto sort = [&](TrackVariable& one) {
      std::vector<double> sorted;
      for (const std::size_t row : order) sorted.push_back(one.values[row]);
      one.values = std::move(sorted);
    };
    sort(tracks_.time);
    for (TrackVariable& one : tracks_.of_rows) sort(one);
    TrackVariable lifetime{"lifetime",
                           {{"units", "s"},
                            {"long_name", "time from when the object began to when it was there last"},
                            {"comment", "of times in this file; of one that has not ended, so far"}}};
    TrackVariable has_ended{
        "has_ended", {{"units", "1"}, {"long_name", "1 if the object was not there at the last time"}}};
    TrackVariable into{
        "into", {{"units", "1"}, {"long_name", "identity of that of which the object became a part, or 0"}}};
    for (std::size_t row = 0; row < order.size();) {
      const std::int64_t identity = identity_[order[row]];
      const double begun = tracks_.time.values[row];
      std::int64_t size = 0;
      for (; row < order.size() && identity_[order[row]] == identity; ++row) ++size;
      const double last = tracks_.time.values[row - 1];
      tracks_.identities.push_back(identity);
      tracks_.row_sizes.push_back(size);
      lifetime.values.push_back((last - begun) * seconds_);
      has_ended.values.push_back(last < last_ ? 1 : 0);
      const auto end = into_.find(identity);
      into.values.push_back(end == into_.end() ? std::numeric_limits<double>::quiet_NaN() : end->second);
    }
    tracks_.of_objects = {std::move(lifetime), std::move(has_ended)};
    if (!settings_.gone.empty()) tracks_.of_objects.push_back(std::move(into));
    return std::move(tracks_);
  }

 private:
  std::vector<std::string> table_of(const InputFile& file, const std::string& name) const {
    const std::vector<std::string> dimensions = file.dimension_names(name);
    if (dimensions.size() == 2 && file.has_records(name)) return dimensions;
    if (name != settings_.identity) return {};
    file.refuse("\"" + name +
                "\" is no table with a row for each object at each time: its dimensions are not time and "
                "objects. Of several planes, slice one out");
  }

  void begin(const InputFile& file, const std::vector<std::string>& dimensions) {
    tracks_.time = described(file, dimensions.front());
    tracks_.time.name = "time";
    if (!tracks_.time.attributes.contains("standard_name")) tracks_.time.attributes["standard_name"] = "time";
    seconds_ = seconds_of(file, tracks_.time.attributes["units"]);
    for (const std::string& name : file.variables()) {
      if (name == settings_.identity || file.dimension_names(name) != dimensions || !file.type(name))
        continue;
      if (std::ranges::count(std::vector<std::string>{"time", "trajectory", "row_size", "lifetime",
                                                      "has_ended", "into", "obs"},
                             name) > 0)
        file.refuse("\"" + name + "\" is the name of something else in the result: include it under another");
      names_.push_back(name);
      tracks_.of_rows.push_back(described(file, name));
    }
    for (const std::string& name : settings_.coordinates)
      if (std::ranges::count(names_, name) == 0)
        file.refuse("there is no \"" + name + "\" in the table of \"" + settings_.identity + "\"");
    tracks_.coordinates = settings_.coordinates;
    run_ = run_of(file);
    for (const char* const attribute : kOfFiles)
      if (const std::string text = file.text("", attribute); !text.empty())
        tracks_.attributes[attribute] = text;
  }

  const TracksSettings& settings_;
  std::string run_;
  Continuity continuity_;
  std::vector<std::string> names_;  ///< of what rows have beside time and identity
  TracksFile tracks_;
  std::vector<std::int64_t> identity_;  ///< by row
  std::map<std::int64_t, double> into_;
  double last_ = -std::numeric_limits<double>::infinity(), seconds_ = 1;
  std::size_t full_ = 0;
};

}  // namespace

CLI::App* add_tracks(CLI::App& app, TracksSettings& settings) {
  CLI::App* const command = app.add_subcommand(
      "tracks",
      "Makes one file of the tables of objects that a run followed: a contiguous ragged array of CF with a "
      "row for each object and time, those of one object together, and the lifetime of each. Exit status: "
      "0 done, 1 done, but tables were full, 2 a file cannot be read or does not fit, or the result not be "
      "written");
  command->add_option("files", settings.files, "files of the run, in the order of time")->required();
  command->add_option("-o,--output", settings.output, "the file to be made")->required();
  command
      ->add_option("--identity", settings.identity,
                   "the variable with identities, of the operator tracks. All variables of the same table "
                   "come along")
      ->required();
  command
      ->add_option(
          "--coordinates", settings.coordinates,
          "variables of the table that say where objects are, such as their mean longitude and latitude")
      ->delimiter(',');
  CLI::Option* const gone = command->add_option(
      "--ended", settings.gone, "the variable with identities of objects that ended, of track_ends");
  CLI::Option* const into =
      command->add_option("--into", settings.into, "the variable with what they became parts of");
  gone->needs(into);
  into->needs(gone);
  return command;
}

int tracks(const TracksSettings& settings) {
  Table table(settings);
  for (const std::string& path : settings.files) {
    std::error_code is_new;
    if (path == settings.output || std::filesystem::equivalent(path, settings.output, is_new))
      throw UsageError(path + " is both read and to be made");
    table.add(InputFile(path));
  }
  const std::size_t full = table.full();
  const TracksFile made = std::move(table).ragged();
  if (made.identities.empty()) throw UsageError(settings.output + ": the files have no objects at any time");
  netcdf::write_tracks(settings.output, made);
  std::cout << settings.output << ": " << made.identities.size() << " objects, " << made.time.values.size()
            << " rows\n";
  if (full == 0) return 0;
  std::cerr << settings.output << ": the table was full at " << full << (full == 1 ? " time" : " times")
            << ", so that objects may lack: give the operators a larger most\n";
  return 1;
}

}  // namespace pileus::apps
