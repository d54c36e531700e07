#pragma once
// What the user asked for, and where each part of it stands. read_config makes it from XML; for everybody
// else it is plain data, whose origin does not matter. Names are still names here: the Plan resolves them.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "codecs/codec.h"
#include "config/cmip/cmip_file.h"
#include "config/duration.h"
#include "config/included_file.h"
#include "core/cadence.h"
#include "core/catalogue.h"
#include "core/location.h"
#include "core/pushdown.h"
#include "core/server_count.h"
#include "core/when_full.h"
#include "formats/kinds/file_kind.h"
#include "formats/kinds/on_disk.h"

namespace pileus {

/// A text of the configuration, after substitution and without blanks at its ends, and its place: the first
/// byte of the attribute's value. A default stands at line 0.
struct Text {
  std::string value;
  Location where;
  bool is_given() const { return where.line > 0; }
};

/// The type in which an attribute's value stands in the file.
enum class AttributeType : std::uint8_t { text, integer, float64, float32, as_variable };

/// An <attribute>. The reader has refused names that Pileus writes itself, and has checked numbers, but not
/// whether the type of the variable has them.
struct AttributeConfig {
  Text name, value;
  AttributeType type = AttributeType::text;
};

struct Metadata {
  Text units, units_metadata, standard_name, long_name;
  Text grib;  ///< the parameter in GRIB
  std::vector<AttributeConfig> attributes = {};
};

/// How far numbers may be from what they were.
struct ErrorConfig {
  bool is_relative = false;
  double most = 0;
  std::string units;  ///< of an absolute one; "": those of the file
  Location where;
};

/// Which part of the real information of its first record a variable keeps.
struct InformationConfig {
  double level = 0;
  Location where;
};

/// When a record is written; the one before stands for it otherwise.
struct WriteIfConfig {
  bool is_largest = false;  ///< the largest difference counts, and not the root of the mean of squares
  ErrorConfig error;        ///< up to which nothing is written
  std::string text;         ///< as it is given
};

/// What compresses.
struct CodecConfig {
  const Codec* codec = nullptr;  ///< null: nothing does
  int level = 0;
  Location where;
};

/// How a variable lies in a file. It may be given by an include, a field or diagnostic, or a file; the first
/// of these that gives an item decides.
struct StorageConfig {
  std::vector<Text> order;                       ///< names of dimensions, slowest first; empty: not given
  Text precision;                                ///< double, float; "" if it is not given
  std::optional<std::int64_t> significant_bits;  ///< number of bits of the fraction
  std::optional<ErrorConfig> error;              ///< or the largest error of rounding; never both
  std::optional<CodecConfig> codec;
  Text shuffle;                                       ///< true, false, bits; "" if it is not given
  std::optional<InformationConfig> information = {};  ///< or how bits are learned; not with the two above
  std::optional<WriteIfConfig> write_if = {};
  Text per = {};  ///< field, chunk; "" if it is not given
  std::optional<Duration> at_least_every = {};
  Text audit = {};  ///< true, false; "" if it is not given
  // In messages of GRIB:
  Text packing = {};  ///< the name of one; "" if it is not given
  std::optional<std::int64_t> bits_per_value = {}, decimal_scale = {};  ///< never both
};

/// What the configuration says about a dimension besides what the model says.
struct DimensionConfig {
  Text name, units, standard_name, long_name, formula_terms, computed_standard_name;
  Text axis;                ///< X, Y, Z; "" if it is not given
  Text positive;            ///< up, down; "" if it is not given
  bool has_bounds = false;  ///< cells half way to the neighbours are made if the model gives none
  Text bounds;              ///< where the configuration says so
  Location where;
};

/// Where the points of some dimensions lie, by names of fields that never change; "" for what is not given.
struct GridConfig {
  Text name;
  std::vector<Text> dimensions;  ///< in any order
  Text latitude, longitude, latitude_bounds, longitude_bounds, area, mask;
  Location where;
  std::string scope = {};
  Text cells = {};         ///< of a grid to which values are regridded: "r360x180"
  Text file = {};          ///< or the netCDF file that has its cells, beside the configuration
  Text grid_mapping = {};  ///< of a projection
  /// Of a mesh: the nodes of each cell, and where they lie.
  Text face_nodes = {}, node_latitude = {}, node_longitude = {};
  std::int64_t start_index = 0;  ///< number of the first node
  Text mesh = {};                ///< the grid whose cells have these points as their nodes
  bool is_target() const { return cells.is_given() || file.is_given(); }
};

/// How the coordinates of a projection belong to latitudes and longitudes, in the words of CF.
struct MappingConfig {
  Text name;  ///< of its variable
  Text kind;  ///< grid_mapping_name
  std::vector<AttributeConfig> parameters;
  std::string scope = {};
};

/// The date of model time 0, and the end of the run.
struct TimeConfig {
  Text calendar, epoch;  ///< both checked: a calendar's word, a date of that calendar, or ""
  double end_s = 0;      ///< model time at which the model ends; 0: not known
};

struct FieldConfig {
  Text name;
  Text type;               ///< scalar, array; "" if neither type nor size is given
  Text data_type;          ///< double, float, integer
  std::vector<Text> size;  ///< names of dimensions, fastest first; empty: not given
  bool has_size = false;
  bool is_collective = false;
  Text parts;                           ///< distributed, own, same; "" if the uses of the field decide
  std::optional<double> missing_value;  ///< the model's number for no value
  Location missing_value_where;
  bool is_optional = false;
  bool is_held = false;    ///< where the model hands over none, the last value holds
  bool is_static = false;  ///< it never changes, as the configuration or the model says, and the first step
                           ///< hands it over
  Pushdown pushdown = Pushdown::automatic;
  Text grid;  ///< name of the grid on which it lies; "" for none
  Metadata metadata;
  StorageConfig storage;
  Location where;
};

/// A name in a namespace stands here as it is written. Together with `scope`, the namespaces around it, it is
/// unique (namespaces.h).

/// A data-definition: a group of fields that travel together.
struct DataGroupConfig {
  Text name;
  Cadence frequency;  ///< of none: in the final step only
  std::vector<FieldConfig> fields;
  Location where;
  std::string scope = {};
  bool send_on_terminate = false;  ///< also in the final step, whatever its index
  Text component = {}, file = {};  ///< whose published files have the fields, and which; "": a model has them
  bool is_from_files() const { return !component.value.empty(); }
};

/// One operator or communication inside a diagnostic.
struct RuleConfig {
  bool is_communication = false;
  Text name;  ///< name of the operator or communication, which the catalogue knows
  Text result;
  std::map<std::string, Text> parameters;  ///< all but name and result; defaults filled in (not is_given())
  Location where;
  bool has_misspelt = false;  ///< an item that it needs is misspelt, which has been reported
};

struct DiagnosticConfig {
  Text field;
  Text type, data_type;
  std::vector<Text> size;
  bool has_size = false;
  Metadata metadata;
  Text cell_methods;      ///< for the dimensions of space; "" if they follow from the rules
  bool is_exact = false;  ///< its averages use exact sums, however many elements it has
  StorageConfig storage;
  Text expression;                          ///< either this
  std::vector<RuleConfig> rules;            ///< or these
  std::vector<std::string> unread_results;  ///< results of rules that are not understood, which has been
                                            ///< reported
  Location where;
  std::string scope;
};

struct GroupConfig {
  Text name;
  std::vector<Text> members;
  Location where;
  std::string scope = {};
};

/// A stage of a chain in time, but for the last.
struct StageConfig {
  std::string name;
  Duration period;
};

/// The segments of samples that a spectrum in time is made of.
struct SegmentsConfig {
  std::int64_t samples = 0;  ///< 0: not given
  double interval_s = 0;
  bool are_overlapping = false;
  std::string window, detrend;
};

/// An include of a file: which variable the file gets, and how it is treated in time.
struct FileIncludeConfig {
  Text field;              ///< either this
  Text group;              ///< or this is given
  Text name;               ///< name of the variable in the file; "" if it follows from the field's
  Text time_manipulation;  ///< of a chain that of the last stage
  std::vector<StageConfig> stages = {};      ///< those before it
  Duration over = {};                        ///< of running windows: how long they are
  Duration from = {}, until = {};            ///< the model time that counts; not given: all
  Text units;                                ///< to which values are converted; not given: they stay
  Text grib = {};                            ///< the parameter in GRIB
  std::optional<Duration> output_frequency;  ///< absent if none is given
  bool is_from_last = false;                 ///< it counts from the last record, and not in multiples
  Text with;                                 ///< of pairs: the other field
  SegmentsConfig segments = {};
  std::int64_t diurnal = 0;  ///< a record for each of so many parts of the day; 0: one
  StorageConfig storage;
  std::vector<AttributeConfig> attributes;
  Location where;
  std::string scope;
};

/// When a checkpoint is due, and how many are kept.
struct CheckpointConfig {
  std::int64_t keep = 2;
  std::int64_t steps = 0;            ///< from one checkpoint to the next; 0: not given
  Duration frequency;                ///< model time from one checkpoint to the next
  double wall_time_s = 0;            ///< time on the wall from one checkpoint to the next; 0: not given
  std::vector<std::string> signals;  ///< words of core/signals.h; a checkpoint is due after each
};

/// The way of naming what the configuration leaves unnamed: the files of a series, time axes, a variable that
/// a file has twice, and dimensions of texts. The older fork of MONC has decimals in the times of its names.
enum class Naming { pileus, monc, monc_leeds };
inline bool is_moncs(Naming naming) { return naming != Naming::pileus; }
/// By this option the bridge of MONC says which fork the model is.
inline constexpr const char* kDialectOption = "pileus_dialect";

struct FileConfig {
  Text name;
  Naming naming = Naming::pileus;
  Duration write_time_frequency;              ///< 0 where steps are counted, or where one file is for the
                                              ///< whole run
  std::int64_t write_timestep_frequency = 0;  ///< steps
  bool is_by_steps = false;                   ///< write_timestep_frequency is given, as 0 perhaps
  bool write_on_terminate = false;            ///< writes instantaneous values of the final step, whatever its
                                              ///< time
  Text title;
  bool may_overwrite = false;      ///< the file may replace files with the same names
  bool keeps_newest = false;       ///< each file replaces the one before, under one name
  bool is_of_checkpoints = false;  ///< one file at each step whose state is kept, and no others
  Text on_publish;                 ///< a command that runs after each file is published; "" for none
  Text trigger = {};               ///< while which is on it gets records; "" for always
  Cadence before = 0;              ///< so far before its trigger begins it has records; 0: not given
  Location before_where = {};
  WhenFull when_full = WhenFull::wait;
  WhenMemoryFull when_memory_full = WhenMemoryFull::wait;
  StorageConfig storage;
  const FileKind* kind = &kinds::netcdf4();  ///< the format; it has static storage
  Text format = {};                          ///< as it is given
  OnDisk on_disk = {};
  Location parts_where = {};
  std::int64_t levels = 1;  ///< of resolution; 1: the values alone
  Location levels_where = {};
  std::vector<Text> level_dimensions = {};  ///< those that become shorter; empty: the horizontal ones
  std::vector<Text> dimensions;             ///< these are in the file though nothing in it has them
  std::vector<AttributeConfig> attributes;  ///< attributes of the file itself
  std::vector<FileIncludeConfig> includes;
  Location where;
  std::vector<std::string> readers = {};  ///< components that are made of the published files
  std::optional<CmipFile> cmip = {};      ///< it is one of CMIP
};

/// What happens once something holds of numbers of the run, or once the model sends a word.
struct TriggerConfig {
  Text name;                         ///< also of its variable, where it has a condition
  Text when, until;                  ///< names of conditions; "" for none
  Text event;                        ///< or the word of the model; "" for none
  Duration lasts, at_most_every;     ///< model time; not given: as long as it holds, as often as it begins
  Text command;                      ///< that runs when it begins; "" for none
  bool asks_for_checkpoint = false;  ///< when it begins
  Text file;                         ///< that has the conditions
  Location where;
  std::string scope;
};

/// What servers read for the model, record by record.
struct InputConfig {
  Text name;               ///< as the model asks for it
  Text file, field;        ///< the variable of the file; "" for the name
  Text interpolate;        ///< linear, none; not given: linear where the file has time
  Text cycle_text;         ///< as it is given
  Duration cycle;          ///< after how long the records come round; not given: they do not
  std::int64_t ahead = 2;  ///< records that are sent before they are needed
  Text missing;            ///< error, nan
  Text weights;            ///< the file of weights that lead from its points to the model's; "" for none
  Location where;
};

/// Where servers lay aside what they have no memory for.
struct SpillConfig {
  Text directory;  ///< on each server's host
  std::int64_t limit_bytes = 0;
};

struct Config {
  TimeConfig time;
  std::vector<DimensionConfig> dimensions;
  std::vector<GridConfig> grids;
  std::vector<MappingConfig> mappings;
  std::vector<DataGroupConfig> data_groups;
  std::vector<DiagnosticConfig> diagnostics;
  std::vector<GroupConfig> groups;
  std::vector<FileConfig> files;
  std::vector<TriggerConfig> triggers;
  std::vector<InputConfig> inputs;
  std::vector<AttributeConfig> attributes;  ///< for every file that does not overrule them

  std::optional<ServerCount> servers;   ///< how many ranks of the model's own program serve
  std::optional<std::int64_t> threads;  ///< thread_pool number
  CheckpointConfig checkpoint;
  std::optional<std::int64_t> memory_budget_bytes;  ///< per server
  std::vector<std::string> other_components;        ///< which the file is for, too
  bool is_memory_of_component = false;              ///< it is given for the component alone
  std::uint64_t memory_shares = 1;                  ///< components that share it
  bool may_push_down = true;                        ///< model ranks may hand over extracts of fields
  std::optional<double> pushdown_budget_s;          ///< the most that this may cost a rank in a step
  std::optional<SpillConfig> spill;                 ///< given where a file's policy is to spill
  std::string events;                               ///< file for the run's events; "" for none
  Location events_where;
  std::string on_epoch, on_checkpoint, on_end;  ///< commands; "" for none

  Catalogue catalogue;                         ///< the rules and time manipulations that there are
  std::map<std::string, std::string> options;  ///< all options that there were for substitution
  std::vector<std::string> keys;               ///< the options that it uses, in their order
  std::string text;                            ///< the configuration file as it was read
  std::vector<IncludedFile> included;          ///< each include once, in the order in which they are read
  bool is_broken_off = false;  ///< the document ended early, so that a missing part means nothing

  bool wants_event_commands() const { return !on_epoch.empty() || !on_checkpoint.empty(); }
  /// The text of the file that findings call `name`.
  const std::string& text_of(const std::string& name) const {
    for (const IncludedFile& file : included) {
      if (file.name == name) return file.text;
    }
    return text;
  }
};

}  // namespace pileus
