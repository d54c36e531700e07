#pragma once
// What the user asked for, and where each part of it stands. Made from XML by read_config; plain data for
// everybody else, who need not know that it was XML. Names are still names here: the Plan resolves them.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/duration.h"
#include "config/included_file.h"
#include "core/catalogue.h"
#include "core/location.h"
#include "core/server_count.h"
#include "core/when_full.h"

namespace pileus {

/// A text of the configuration, after substitution and without blanks at its ends, and where it stands (the
/// first byte of the attribute's value). A default stands at line 0.
struct Text {
  std::string value;
  Location where;
  bool is_given() const { return where.line > 0; }
};

/// How the value of an attribute stands in the file.
enum class AttributeType : std::uint8_t { text, integer, float64, float32, as_variable };

/// An <attribute>: names that Pileus writes itself are refused before. Numbers are checked, but for whether
/// the type of the variable has them.
struct AttributeConfig {
  Text name, value;
  AttributeType type = AttributeType::text;
};

struct Metadata {
  Text units, units_metadata, standard_name, long_name;
  std::vector<AttributeConfig> attributes = {};
};

/// How a variable lies in a file; of an include, a field or diagnostic, or a file, the first that says
/// something.
struct StorageConfig {
  std::vector<Text> order;                       ///< names of dimensions, slowest first; empty: not given
  Text precision;                                ///< double, float; "" where it is not given
  std::optional<std::int64_t> significant_bits;  ///< of the fraction
  std::optional<std::int64_t> deflate;           ///< level, 0 for none
  std::optional<bool> shuffle;
};

/// What is to be known of a dimension besides what the model says.
struct DimensionConfig {
  Text name, units, standard_name, long_name;
  Text axis;                ///< X, Y, Z; "" where it is not given
  Text positive;            ///< up, down; "" where it is not given
  bool has_bounds = false;  ///< cells are to be made, half way to the neighbours, if the model gives none
  Text bounds;              ///< where that is said
  Location where;
};

/// When model time 0 is.
struct TimeConfig {
  Text calendar, epoch;  ///< both checked: a calendar's word, a date of that calendar, or ""
  double end_s = 0;      ///< model time at which the model ends; 0: not known
};

struct FieldConfig {
  Text name;
  Text type;               ///< scalar, array; "" where neither type nor size is given
  Text data_type;          ///< double, float, integer
  std::vector<Text> size;  ///< names of dimensions, fastest first; empty: not given
  bool has_size = false;
  bool is_collective = false;
  Text parts;                           ///< distributed, own, same; "" where its uses decide
  std::optional<double> missing_value;  ///< of the model: stands for no value
  Location missing_value_where;
  bool is_optional = false;
  bool is_static = false;  ///< it never changes, here or as the model says: the first step hands it over
  Metadata metadata;
  StorageConfig storage;
  Location where;
};

/// What lies in namespaces has its name as it is written; with `scope`, the namespaces around it, it is
/// unique (namespaces.h).

/// A data-definition: a group of fields that travels together.
struct DataGroupConfig {
  Text name;
  std::int64_t frequency = 1;  ///< in steps; 0: in the final step only
  std::vector<FieldConfig> fields;
  Location where;
  std::string scope = {};
  bool send_on_terminate = false;  ///< in the final step too, whatever its index
};

/// One operator or communication inside a diagnostic.
struct RuleConfig {
  bool is_communication = false;
  Text name;  ///< of the operator or communication; known to the catalogue
  Text result;
  std::map<std::string, Text> parameters;  ///< all but name and result; defaults filled in (not is_given())
  Location where;
  bool has_misspelt = false;  ///< something that it needs is misspelt, and that has been reported
};

struct DiagnosticConfig {
  Text field;
  Text type, data_type;
  std::vector<Text> size;
  bool has_size = false;
  Metadata metadata;
  Text cell_methods;      ///< in space; "" where they follow from the rules
  bool is_exact = false;  ///< its averages are made of exact sums, however many elements it has
  StorageConfig storage;
  Text expression;                          ///< either this
  std::vector<RuleConfig> rules;            ///< or these
  std::vector<std::string> unread_results;  ///< of rules that are not understood, and reported
  Location where;
  std::string scope;
};

struct GroupConfig {
  Text name;
  std::vector<Text> members;
  Location where;
  std::string scope = {};
};

/// An include of a file: what goes into it and how it is treated in time.
struct FileIncludeConfig {
  Text field;  ///< either this
  Text group;  ///< or this is given
  Text name;   ///< of the variable in the file; "" where it follows from the field's
  Text time_manipulation;
  std::optional<Duration> output_frequency;  ///< absent for none
  StorageConfig storage;
  std::vector<AttributeConfig> attributes;
  Location where;
  std::string scope;
};

/// What a model is told about checkpoints, and how many stay.
struct CheckpointConfig {
  std::int64_t keep = 2;
  std::int64_t steps = 0;            ///< one is due every so many; 0: not given
  Duration frequency;                ///< likewise, of model time
  double wall_time_s = 0;            ///< likewise, on the wall; 0: not given
  std::vector<std::string> signals;  ///< words of core/signals.h after which one is due
};

/// How names come about that the configuration does not say: of the files of a series, of time axes, and of
/// what is in a file twice.
enum class Naming { pileus, monc };

struct FileConfig {
  Text name;
  Naming naming = Naming::pileus;
  Duration write_time_frequency;              ///< 0 where steps are counted, or one file is for the whole run
  std::int64_t write_timestep_frequency = 0;  ///< steps
  bool write_on_terminate = false;            ///< instantaneous values of the final step, whatever its time
  Text title;
  bool may_overwrite = false;      ///< files of these names are replaced
  bool is_of_checkpoints = false;  ///< one file at each step whose state is kept, and no others
  Text on_publish;                 ///< a command that runs after each is published; "": none
  WhenFull when_full = WhenFull::wait;
  StorageConfig storage;
  std::vector<AttributeConfig> attributes;  ///< of the file itself
  std::vector<FileIncludeConfig> includes;
  Location where;
};

struct Config {
  TimeConfig time;
  std::vector<DimensionConfig> dimensions;
  std::vector<DataGroupConfig> data_groups;
  std::vector<DiagnosticConfig> diagnostics;
  std::vector<GroupConfig> groups;
  std::vector<FileConfig> files;
  std::vector<AttributeConfig> attributes;  ///< of every file that does not say otherwise

  std::optional<ServerCount> servers;   ///< where the model's own program has them
  std::optional<std::int64_t> threads;  ///< thread_pool number
  CheckpointConfig checkpoint;
  std::optional<std::int64_t> memory_budget_bytes;  ///< memory budget, per server
  std::string events;                               ///< file for the run's events; "": none
  Location events_where;

  Catalogue catalogue;                         ///< what rules and time manipulations may be
  std::map<std::string, std::string> options;  ///< everything that was there to be substituted
  std::vector<std::string> keys;               ///< of options that it asks for, in their order
  std::string text;                            ///< of the configuration file as it was read
  std::vector<IncludedFile> included;          ///< each include once, in the order in which they are read
  bool is_broken_off = false;  ///< the document ended early, so that what is missing means nothing

  /// The text of the file that findings call `name`.
  const std::string& text_of(const std::string& name) const {
    for (const IncludedFile& file : included) {
      if (file.name == name) return file.text;
    }
    return text;
  }
};

}  // namespace pileus
