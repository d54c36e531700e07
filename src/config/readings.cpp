#include "config/readings.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <set>
#include <vector>

#include "config/messages.h"
#include "config/namespaces.h"

namespace pileus {
namespace {

const FileConfig* find_file(const Config& config, const std::string& name) {
  const auto found =
      std::ranges::find_if(config.files, [&](const FileConfig& one) { return one.name.value == name; });
  return found == config.files.end() ? nullptr : &*found;
}

/// The names of the variables of a file, as far as they can be known without a model.
class VariableNames {
 public:
  VariableNames(const Config& config, const FileConfig& file) {
    for (const FileIncludeConfig& include : file.includes) {
      if (include.group.is_given()) {
        add_group(config, include);
      } else {
        add(include.name.value.empty() ? include.field.value : include.name.value, include);
      }
    }
    for (const GridConfig& grid : config.grids) {
      for (const Text* text : {&grid.latitude, &grid.longitude, &grid.latitude_bounds, &grid.longitude_bounds,
                               &grid.area, &grid.mask}) {
        if (text->is_given()) brought_.insert(std::string(last_name(text->value)));
      }
    }
  }

  /// Names that a file has twice get their time manipulation behind them, those of several namespaces these
  /// before them.
  bool may_have(const std::string& name) const {
    if (is_open_ || brought_.contains(name) || (counts_.contains(name) && counts_.at(name) == 1)) return true;
    return std::ranges::any_of(counts_, [&](const auto& one) {
      return one.second > 1 && (name.starts_with(one.first + "_") || name.ends_with("_" + one.first));
    });
  }
  /// From record to record in seconds; 0 where that is not known.
  double every_s(const std::string& name) const {
    return counts_.contains(name) && counts_.at(name) == 1 ? every_s_.at(name) : 0;
  }
  std::vector<std::string> all() const {
    std::vector<std::string> names;
    for (const auto& [name, count] : counts_) names.push_back(name);
    return names;
  }

 private:
  void add_group(const Config& config, const FileIncludeConfig& include) {
    for (const GroupConfig& group : config.groups) {
      if (last_name(group.name.value) != last_name(include.group.value)) continue;
      for (const Text& member : group.members) add(member.value, include);
    }
  }
  void add(const std::string& name, const FileIncludeConfig& include) {
    is_open_ = is_open_ || name.find('{') != std::string::npos;
    const std::string variable(last_name(name));
    ++counts_[variable];
    const bool is_even = include.output_frequency && !include.is_from_last;
    every_s_[variable] = is_even ? include.output_frequency->seconds : 0;
  }

  std::map<std::string, int> counts_;
  std::map<std::string, double> every_s_;
  std::set<std::string> brought_;
  bool is_open_ = false;
};

class ReadingCheck {
 public:
  ReadingCheck(const std::string& component, const std::map<std::string, Config>& others, Config& config,
               Findings& findings)
      : component_(component), others_(others), config_(config), findings_(findings) {}

  void check() {
    const DataGroupConfig *from_files = nullptr, *of_model = nullptr;
    for (const DataGroupConfig& group : config_.data_groups) {
      (group.is_from_files() ? from_files : of_model) = &group;
      if (group.is_from_files()) check_group(group);
    }
    if (from_files != nullptr && of_model != nullptr) {
      findings_.error(from_files->where,
                      label(*from_files) + " is made of files, and data-definition " +
                          in_quotes(of_model->name.value) + ", at " + of_model->where.text() +
                          ", of a model; a component has either, and what stands outside of "
                          "components is in each");
    }
    check_times();
    note_readers();
  }

 private:
  static std::string label(const DataGroupConfig& group) {
    return "data-definition " + in_quotes(group.name.value);
  }

  void check_group(const DataGroupConfig& group) {
    const std::string& name = group.component.value;
    if (name == component_ && !component_.empty())
      return findings_.error(group.component.where,
                             label(group) + " reads files of its own component " + in_quotes(name));
    const auto other = others_.find(name);
    if (other == others_.end()) {
      std::vector<std::string> known;
      for (const auto& [one, config] : others_) known.push_back(one);
      return findings_.error(group.component.where,
                             "no component " + in_quotes(name) + suggestion_or_known(name, known));
    }
    if (const std::string way = way_back(name, {}); !way.empty())
      return findings_.error(group.component.where, "components read each other's files in a circle: " +
                                                        component_ + " those of " + name + way);
    check_file(group, other->second);
    clocks_.push_back({&group, &other->second.time});
  }

  /// What is known of the times of files without a model.
  void check_times() {
    for (const Clock& clock : clocks_) {
      for (const auto member : {&TimeConfig::calendar, &TimeConfig::epoch}) {
        const Text &first = clocks_.front().time->*member, &other = clock.time->*member;
        if (first.value.empty() || other.value.empty() || first.value == other.value) continue;
        return findings_.error(clock.group->component.where,
                               "component " + in_quotes(clock.group->component.value) + " has " +
                                   (member == &TimeConfig::calendar ? "the calendar " : "the epoch ") +
                                   in_quotes(other.value) + ", and component " +
                                   in_quotes(clocks_.front().group->component.value) + " " +
                                   in_quotes(first.value) + ": files that are read together need the same");
      }
    }
    check_common_times();
  }

  /// Whether the records of all files ever meet.
  void check_common_times() {
    std::int64_t common = 1;
    for (const Rhythm& rhythm : rhythms_) {
      const auto every = static_cast<std::int64_t>(std::llround(rhythm.every_s * 1e6));
      const std::int64_t times = every / std::gcd(common, every);
      if (every > 0 && common < kLatest / times) {
        common *= times;
        continue;
      }
      common = kLatest;
      break;
    }
    double end_s = static_cast<double>(kLatest) * 1e-6;
    for (const Clock& clock : clocks_) {
      if (clock.time->end_s > 0) end_s = std::min(end_s, clock.time->end_s);
    }
    if (rhythms_.empty() || static_cast<double>(common) * 1e-6 <= end_s) return;
    const auto [fast, slow] = std::ranges::minmax(rhythms_, {}, &Rhythm::every_s);
    findings_.error(slow.where,
                    "the records of file " + in_quotes(slow.file) + ", every " + seconds(slow.every_s) +
                        ", and of file " + in_quotes(fast.file) + ", every " + seconds(fast.every_s) +
                        ", have no time in common: choose an output_frequency that is a multiple of "
                        "the other");
  }

  static std::string seconds(double number) {
    std::string text = std::to_string(number);
    text.erase(text.find_last_not_of('0') + 1);
    return text + (text.ends_with('.') ? "0 s" : " s");
  }

  /// " and that those of …" if what is read leads back to this component; "" if it does not.
  std::string way_back(const std::string& from, std::set<std::string> passed) const {
    const auto config = others_.find(from);
    if (config == others_.end() || !passed.insert(from).second) return "";
    for (const DataGroupConfig& group : config->second.data_groups) {
      if (!group.is_from_files()) continue;
      const std::string step = ", that those of " + group.component.value;
      if (group.component.value == component_) return step;
      if (const std::string rest = way_back(group.component.value, passed); !rest.empty()) return step + rest;
    }
    return "";
  }

  void check_file(const DataGroupConfig& group, const Config& other) {
    const std::string& name = group.file.value;
    if (name.empty()) return;
    const FileConfig* const file = find_file(other, name);
    if (file == nullptr) {
      std::vector<std::string> known;
      for (const FileConfig& one : other.files) known.push_back(one.name.value);
      return findings_.error(group.file.where, "component " + in_quotes(group.component.value) +
                                                   " has no file " + in_quotes(name) +
                                                   suggestion_or_known(name, known));
    }
    if (file->keeps_newest || file->is_of_checkpoints) {
      return findings_.error(
          group.file.where,
          "file " + in_quotes(name) + ", at " + file->where.text() + ", " +
              (file->keeps_newest ? "keeps only the newest of its series" : "has states and not records") +
              ": read one whose records stay");
    }
    if (is_moncs(file->naming)) {
      return findings_.error(group.file.where, "file " + in_quotes(name) + ", at " + file->where.text() +
                                                   ", is named as MONC does, and its files cannot be read in "
                                                   "their order: read one with naming=\"pileus\"");
    }
    const VariableNames variables(other, *file);
    for (const FieldConfig& field : group.fields) {
      if (const double every_s = variables.every_s(field.name.value); every_s > 0)
        rhythms_.push_back({every_s, name, field.name.where});
      if (variables.may_have(field.name.value) || field.is_optional) continue;
      findings_.error(field.name.where, "file " + in_quotes(name) + " of component " +
                                            in_quotes(group.component.value) + " has no variable " +
                                            in_quotes(field.name.value) +
                                            suggestion_or_known(field.name.value, variables.all()));
    }
  }

  void note_readers() {
    for (const auto& [reader, other] : others_) {
      for (const DataGroupConfig& group : other.data_groups) {
        if (!group.is_from_files() || group.component.value != component_) continue;
        for (FileConfig& file : config_.files) {
          const bool is_noted = std::ranges::find(file.readers, reader) != file.readers.end();
          if (file.name.value == group.file.value && !is_noted) file.readers.push_back(reader);
        }
      }
    }
  }

  struct Clock {
    const DataGroupConfig* group;
    const TimeConfig* time;
  };
  struct Rhythm {
    double every_s;
    std::string file;
    Location where;
  };
  /// A hundred years, in the millionths of a second that times are multiples of.
  static constexpr std::int64_t kLatest = std::int64_t{100} * 366 * 86400 * 1000000;

  std::vector<Clock> clocks_;    ///< of the components that are read
  std::vector<Rhythm> rhythms_;  ///< of the files that are read
  const std::string& component_;
  const std::map<std::string, Config>& others_;
  Config& config_;
  Findings& findings_;
};

}  // namespace

bool reads_files(const Config& config) {
  return std::ranges::any_of(config.data_groups, &DataGroupConfig::is_from_files);
}

void check_readings(const std::string& component, const std::map<std::string, Config>& others, Config& config,
                    Findings& findings) {
  ReadingCheck(component, others, config, findings).check();
}

}  // namespace pileus
