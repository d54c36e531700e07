#pragma once
// The Plan says what a run does, with ids instead of names. It is made once from the Config and from what the
// model registered, and is the same on every server (architecture D1). It is immutable plain data; nobody
// looks up a name after it is made.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "codecs/codec.h"
#include "core/attribute.h"
#include "core/calendar.h"
#include "core/catalogue.h"
#include "core/clock_values.h"
#include "core/element_type.h"
#include "core/ids.h"
#include "core/location.h"
#include "core/manipulation.h"
#include "core/pushdown.h"
#include "core/rank_regions.h"
#include "core/reduction.h"
#include "core/region.h"
#include "core/regridding.h"
#include "core/stages.h"
#include "core/when_full.h"
#include "expression/program.h"
#include "formats/kinds/file_kind.h"
#include "formats/kinds/on_disk.h"
#include "plan/demand.h"
#include "plan/trigger.h"
#include "selection/write_if.h"

namespace pileus {

/// Who holds a value.
enum class Spread : std::uint8_t {
  distributed,  ///< each model rank holds a region of it
  own,          ///< each model rank holds a value of its own, and reductions take them all
  same,         ///< equal on every model rank, so that rank 0's counts; also what was sent to all servers
  rooted        ///< on one server, after a reduction
};

/// Whether a value is numbers or Partials. Partials are rounded when anything but a reduction or a constant
/// factor uses them.
enum class Form : std::uint8_t { numbers, partials };

struct PlannedDimension {
  std::string name;
  Index size = 0;
  std::vector<double> coordinates;  ///< empty where the model gave none
  std::string units;
  std::vector<double> bounds = {};  ///< lower and upper end of each cell, or empty
  std::string standard_name = {}, long_name = {}, axis = {}, positive = {};  ///< "" where nobody gives it
  std::string formula_terms = {}, computed_standard_name = {};               ///< likewise
};

/// Says which region decides what a model rank or root holds of a dimension: that of a field, or that of an
/// operator's result. With neither it holds all of it.
struct HeldPart {
  FieldId field;
  ValueId made;
  int axis = 0;
};

/// A value that a step produces: a field, or the result of a rule.
struct Value {
  std::string name;  ///< for messages
  Spread spread = Spread::distributed;
  Form form = Form::numbers;
  ElementType type = ElementType::float64;
  std::vector<DimensionId> dimensions;  ///< fastest first
  std::vector<HeldPart> parts = {};     ///< by dimension: which part lies on each model rank
  bool has_nameless_shape = false;      ///< an own array whose shape only its rank knows; dimensions is empty
  ServerRank root = 0;                  ///< the server of a rooted value
  bool is_everywhere = false;        ///< a `same` value that every rank has, because distributed rules use it
  Cadence cadence;                   ///< of the steps in which it is sampled
  std::vector<std::uint32_t> needs;  ///< indices into Plan::needs; it is wanted at steps that meet one of
                                     ///< them
  bool is_in_bundle = false;         ///< it goes to its windows in a bundle, so no rule makes it by itself
  std::optional<double> missing;     ///< elements equal to it stand for no value; in Partials, empty ones do
  FieldId field;                     ///< exactly one of field and rule is valid
  RuleId rule;
};

/// An intermediate value: an equation makes it from the inputs of a rule, and nothing but that rule uses it.
struct Computed {
  Program program;
  Value value;  ///< its description, as if it were kept
};
/// localreduce: Partials over some of the input's dimensions.
struct LocalReduce {
  Reduction reduction = Reduction::sum;
  std::vector<int> reduced_axes;  ///< positions in the input's dimensions, ascending; nameless shapes: all
  std::optional<Computed> computed = {};  ///< the equation that is reduced, unless it is just the input
  /// Of bins, by the last input: from edge i up to edge i + 1, the last of which is in the last bin. They are
  /// the last dimension of the result. Null: there are none.
  std::shared_ptr<const std::vector<double>> edges = nullptr;
};
/// Picks numbers out of a field on each rank, as a rule declares it, and adds them to Partials. A second
/// input is compared with the field's elements.
struct SiftPart {
  std::shared_ptr<const Pick> pick;
  std::vector<int> axes;  ///< positions in the field's dimensions, ascending: those that are reduced
};
/// Arithmetic on numbers, element by element. An input that lacks dimensions of the result is broadcast.
struct Arithmetic {
  Program program;
};
/// Arithmetic that only multiplies or divides a Partial by constants, so that it stays a Partial.
struct Scale {
  std::vector<double> multiply, divide;
};
/// An operator on numbers, as it declares itself.
struct Apply {
  std::shared_ptr<const operators::Prepared> prepared;
  std::string application = {};  ///< the operator and its parameters, as the configuration has them
  // Where it follows its inputs:
  bool at_end = false;          ///< as of Lag
  std::string definition = {};  ///< how the configuration makes the result, by which checkpoints know it
};
/// A reduction over ranks and servers to one server.
struct Communicate {
  Reduction reduction = Reduction::sum;
  bool takes_rank_zero = false;  ///< instead of a reduction, rank 0's value of a `same` value goes to the
                                 ///< root
};

/// Sends a value of one server to all of them.
struct Broadcast {};
/// Makes points of elements that lie on any model ranks. Each rank's stream gets a range of the points: equal
/// parts of the slowest of their dimensions, as for points that are dealt out (plan/points.h).
struct Regrid {
  std::shared_ptr<const Regridding> how;
  std::string application = {};  ///< as of Apply
};

/// What servers know without the model ranks: coordinates of the result's dimension, or what the clock says
/// of the step.
struct Given {
  std::optional<ClockValue> clock = {};
};

/// What its input, a field or the clock, was so many hand-overs before. The streams of model ranks keep that,
/// so that no place makes it of the step alone (lags/lag_store.h). It is wanted at each hand-over.
struct Lag {
  std::int64_t back = 1;
  bool at_end = false;  ///< the final step is a hand-over, whatever its index
};

struct Rule {
  std::string name;  ///< for messages: the operator or communication, and its diagnostic
  Location where;
  std::vector<ValueId> inputs;
  ValueId output;
  std::variant<LocalReduce, Arithmetic, Scale, Apply, SiftPart, Communicate, Broadcast, Regrid, Given, Lag>
      action;
};

/// Whether servers make the result of what several of them have, so that no place makes it by itself.
inline bool travels(const Rule& rule) {
  return std::holds_alternative<Communicate>(rule.action) || std::holds_alternative<Broadcast>(rule.action) ||
         std::holds_alternative<Regrid>(rule.action);
}

/// All communications that go to one server at the same stage; their values for one step travel together.
/// Those that take rank 0's value have a tree of their own, as no other rank contributes to them.
struct Tree {
  ServerRank root = 0;
  int stage = 0;  ///< how many communications lie before these
  bool takes_rank_zero = false;
  std::vector<RuleId> communications;  ///< first those of its bundles, in their order
  std::vector<std::size_t> bundles = {};
};

/// Communications of one tree that reduce alike, and whose results nothing takes but windows of the same
/// schedules. They go side by side from the tree to these, as one value.
struct Bundle {
  struct Member {
    RuleId communication;
    ValueId input;  ///< what it reduces
    ValueId value;  ///< what the windows take: the result, or that times the constants
    Extents extents;
    std::size_t size = 0;  ///< number of elements
  };
  std::size_t tree = 0;
  std::size_t first = 0;  ///< of its communications in the tree
  Reduction reduction = Reduction::sum;
  std::vector<double> multiply, divide;  ///< constants, of a Scale behind each communication
  std::vector<Member> members;
};

/// All broadcasts of one server at the same stage; their values for one step travel together to all servers.
struct Distribution {
  ServerRank root = 0;
  int stage = 0;  ///< how many communications lie before these
  std::vector<RuleId> broadcasts;
};

/// All regriddings by the same links at the same stage; what they need of one step travels together.
struct RegridGroup {
  int stage = 0;  ///< how many communications lie before these
  std::vector<RuleId> rules;
};

struct Attribute {
  std::string name;
  AttributeValue value;
};

/// The text of the attribute of this name; "" if there is none or it is a number.
inline std::string text_of(const std::vector<Attribute>& attributes, std::string_view name) {
  for (const Attribute& attribute : attributes) {
    const auto* text = std::get_if<std::string>(&attribute.value);
    if (attribute.name == name && text != nullptr) return *text;
  }
  return {};
}

/// The date of model time 0, and its calendar.
struct PlannedTime {
  Calendar calendar = Calendar::proleptic_gregorian;
  Date epoch = {2000, 1, 1, 0, 0, 0};
  bool has_epoch = false;  ///< false: the date is nominal
};

/// How the numbers of a variable are stored.
struct Storage {
  int significant_bits = 0;  ///< number of bits of the fraction; 0: all of them
  double step = 0;           ///< a power of two, to whose multiples numbers are rounded; 0: to none
  Compression compression = {};
  /// Which part of the information of the first record is kept: how many bits have it is learned from that
  /// (information/bit_pairs.h). Only of compressed variables; 0: nothing is learned.
  double information = 0;
  /// When its records are written. Only of compressed variables; null: always.
  std::optional<WriteIf> write_if = {};
  bool is_audited = false;  ///< the file says what rounding did to each record; only of compressed variables
};

/// How values become what is written: times `factor`, plus `offset`, each rounded in double precision.
struct ValueChange {
  double factor = 1, offset = 0;
  friend bool operator==(const ValueChange&, const ValueChange&) = default;
};

/// How far before its beginning a file of a trigger has records.
struct Lookback {
  std::int64_t steps = 0;    ///< that many; 0: a time is given
  double time_s = 0;         ///< of the model
  std::int64_t records = 0;  ///< at most; 0: it has none
  friend bool operator==(const Lookback&, const Lookback&) = default;
};
/// "", or ", from 10 steps before its trigger on".
std::string text(const Lookback& lookback);

/// One time axis of one file: its records all have the same times.
struct Schedule {
  FileId file;
  Manipulation manipulation;
  Frequency output_frequency;        ///< not given for none
  Cadence cadence;                   ///< of the samples
  std::string dimension;             ///< "time", or another name where the file has several axes
  bool at_end = false;               ///< the final step counts as if it were a multiple of the cadence
  bool takes_last = false;           ///< instantaneous: the final step gives a record whatever its time
  bool at_checkpoints = false;       ///< instead of all this: a record at every step whose state is kept
  bool is_from_last = false;         ///< a record is due so long after the one before, and not at multiples
  std::vector<Stage> stages = {};    ///< of a chain: those before the last, which `manipulation` is
  std::int64_t running_windows = 1;  ///< a record covers so many times the output_frequency
  Span span = {};                    ///< of the samples that count
  Diurnal diurnal = {};              ///< a composite has a window for each part of the day
  Lookback lookback = {};            ///< instants wait for its trigger, each in a window
  /// How often the first windows end.
  const Frequency& first_period() const { return stages.empty() ? output_frequency : stages[0].period; }
  bool is_plain() const { return stages.empty() && running_windows == 1 && diurnal.bins == 0; }
  /// The windows of the last stage that are under way at once.
  std::int64_t last_windows() const {
    return diurnal.bins > 0 ? diurnal.bins : running_windows + lookback.records;
  }
  /// Whether both have the same records; the dimension need not be the same.
  bool is_like(const Schedule& other) const {
    return manipulation == other.manipulation && output_frequency == other.output_frequency &&
           cadence == other.cadence && at_end == other.at_end && takes_last == other.takes_last &&
           at_checkpoints == other.at_checkpoints && is_from_last == other.is_from_last &&
           stages == other.stages && running_windows == other.running_windows && span == other.span &&
           diurnal == other.diurnal && lookback == other.lookback;
  }
  /// Whether a record has the type of its samples.
  bool keeps_type() const { return manipulation->keeps_type && keep_type(stages); }
  /// The steps at which this schedule wants samples.
  Need need() const {
    const bool is_instantaneous = manipulation->record_of == RecordOf::output_time;
    Need need{cadence,        is_instantaneous ? output_frequency : Frequency(),
              at_end,         takes_last && is_instantaneous,
              at_checkpoints, manipulation.covers_window()};
    need.is_from_last = is_from_last && is_instantaneous;
    return need;
  }
  /// The steps with which records end, where they count from the one before.
  Need need_of_records() const {
    Need need = this->need();
    if (is_from_last) need.frequency = output_frequency;
    need.is_from_last = is_from_last;
    return need;
  }
};

/// What a record is made of that has a dimension more than its samples: segments of so many of them.
struct Segments {
  std::int64_t samples = 0;      ///< of each; 0: the variable is made of none
  double interval_s = 0;         ///< from one sample to the next
  bool are_overlapping = false;  ///< each begins in the middle of the one before
  friend bool operator==(const Segments&, const Segments&) = default;
};

/// A variable that is made of the records of another one, as it is in their file: means over blocks.
struct CoarseLevel {
  VariableId of;
  int number = 0;   ///< from 1
  Extents lengths;  ///< of blocks, by dimension of the file
};

/// A variable of a file. It has one record for each record of its schedule.
struct Variable {
  std::string name;
  FileId file;
  ScheduleId schedule;
  ValueId value;
  ElementType type = ElementType::float64;  ///< the type in the file
  /// units, long_name, standard_name, cell_methods, and what the configuration adds
  std::vector<Attribute> attributes;
  std::vector<DimensionId> dimensions;  ///< the dimensions of the value in the order of the file, fastest
                                        ///< first
  Storage storage = {};
  std::optional<double> missing_value = {};  ///< becomes _FillValue in the file
  std::optional<double> fill_value = {};     ///< that of floating-point numbers; not given: the format's
  std::optional<ValueChange> change = {};    ///< to other units
  bool is_exact = true;  ///< averages and the like are made of exact sums and rounded once
  ValueId first_of_pair =
      {};  ///< of pairs: of which the field is, and `value` has the other one; both lie alike
  Segments segments = {};
  ValueId sample = {};  ///< of segments: what these are of. Windows make `value` of it, and no step does
  /// What its window gets.
  ValueId sampled() const { return sample.is_valid() ? sample : value; }
  std::string definition = {};  ///< a hash of what it is, the same in every layout (layout/definition.h)
  /// Of Plan::levels. `dimensions` are those of the variable that it is made of.
  std::optional<CoarseLevel> level = {};
  std::vector<VariableId> coarser = {};  ///< what is made of its records, the finest first
};

/// A variable with the places of cells that dimensions alone do not place. Whoever defines the file reads
/// them, piece by piece, as no model rank has them.
struct PlannedPlaces {
  std::string name;
  std::vector<DimensionId> dimensions;  ///< of the cells, fastest first
  std::string within;  ///< name of the dimension of what each cell has: corners, or letters; "": one number
  std::vector<Attribute> attributes;
  std::shared_ptr<const PlacesOfCells> places;
  CellPart part = CellPart::latitude;
  Index of_cell = 1;     ///< so many corners or letters
  Storage storage = {};  ///< all bits, compressed as the file says
};

/// A variable of one number that means nothing: it is there for its attributes, as those of a projection.
struct Container {
  std::string name;
  std::vector<Attribute> attributes;
  Location where;  ///< of its name in the configuration
};

/// A coordinate with one value, which the file alone has: the height of all values.
struct PlannedScalar {
  std::string name;
  std::variant<double, std::string> value;
  std::vector<double> bounds;  ///< two, or none
  std::vector<Attribute> attributes;
};

struct PlannedFile {
  std::string name;           ///< as configured
  Frequency write_frequency;  ///< none where steps are counted, or where one file is for the whole run
  std::int64_t write_frequency_steps = 0;
  std::string title;
  bool may_overwrite = false;             ///< the file may replace files with the same names
  bool keeps_newest = false;              ///< each file replaces the one before, under one name
  std::string on_publish = {};            ///< command that runs after publication; "": none
  std::vector<std::string> readers = {};  ///< components that are made of the published files
  WhenFull when_full = WhenFull::wait;
  WhenMemoryFull when_memory_full = WhenMemoryFull::wait;
  bool drops_records() const {
    return when_memory_full == WhenMemoryFull::thin || when_memory_full == WhenMemoryFull::drop;
  }
  std::optional<std::uint32_t> trigger = {};  ///< index into Plan::triggers: it has records while that is on
  bool may_lack_records() const { return drops_records() || trigger.has_value(); }
  bool says_when_created = false;            ///< in an attribute "created", as MONC does
  bool says_when_ended = false;              ///< in attributes "MONC time" and "MONC timestep"
  bool has_decimals = false;                 ///< a time in its name has at least one: "120.0"
  std::vector<Attribute> attributes = {};    ///< attributes that the configuration adds
  const FileKind* kind = &kinds::netcdf4();  ///< the format; it has static storage
  OnDisk on_disk = {};
  int levels = 1;  ///< of resolution, each with blocks of the one before; 1: the values alone
  /// Dimensions that coarser levels have fewer elements of, and how many of one are together in the next.
  std::map<DimensionId, Index> coarsened = {};
  ServerRank owner = 0;
  std::vector<ScheduleId> schedules;
  std::vector<VariableId> variables;
  std::vector<DimensionId> dimensions = {};  ///< those that are in the file though nothing in it has them
  std::vector<Container> containers = {};
  bool has_mesh = false;  ///< one of the containers is the topology of a mesh
  std::map<DimensionId, std::string> dimension_names = {};  ///< where they are not those of the model
  /// As the file describes them, where that is not as the model does.
  std::map<DimensionId, PlannedDimension> own_dimensions = {};
  std::vector<PlannedScalar> scalars = {};
  std::vector<PlannedPlaces> places = {};
  bool is_of_cmip = false;  ///< times are in days, and those of what covers a period in the middle of it
  bool is_fixed = false;    ///< its schedule only says when it is made: it has no time axis
  Location where;
};

/// What model ranks may hand over of a field in place of all of it, as all that needs the field is made of
/// such: some of its elements, or Partials (docs/decisions/058).
struct Extract {
  std::vector<ValueId> values;  ///< what it is to servers; several where they are read from the same sums
  ElementType type = ElementType::float64;  ///< of elements on the wire
  int significant_bits = 0;                 ///< to which elements are rounded before they are cast; 0: all
  bool is_reduced = false;                  ///< Partials
};

/// Points of which each model rank hands over some, in an order of its own (core/model_description.h).
/// Servers deal what comes on them out again: each rank's stream then has a range of them, as if the rank
/// held it (docs/decisions/067).
struct PlannedPoints {
  std::string name;                     ///< as the model calls them
  std::vector<DimensionId> dimensions;  ///< over which they are numbered, fastest first
  std::vector<Index> handed_over;       ///< by model rank: how many it hands over
  bool may_be_shared = false;           ///< of a point of several ranks the lowest one's value counts
  bool has_holes = false;               ///< some of them may be nobody's
};

struct PlannedField {
  std::string name;  ///< with its namespaces
  GroupId group;
  ElementType type = ElementType::float64;  ///< the type on the wire
  ValueId value;
  bool is_optional = false;
  bool is_sent_by_all = true;   ///< false: by rank 0 alone
  std::string registered = {};  ///< the model's name for it
  bool is_held = false;         ///< where a step lacks it, the last value holds
  bool is_static = false;       ///< it never changes: the first step of a run brings it, for all steps
  bool is_kept = false;         ///< it is static, and the checkpoint has it on all ranks
  Pushdown pushdown = Pushdown::automatic;
  std::vector<Extract> extracts = {};        ///< empty: all of it is handed over
  std::optional<std::uint32_t> points = {};  ///< index into Plan::points: it is handed over on these
};

/// A group of fields that travel together. Fields that nothing needs are left out.
struct PlannedGroup {
  std::string name;
  Cadence frequency;  ///< of none: in the final step only
  std::vector<FieldId> fields;
};

/// Which model ranks a server serves. Nothing that a file has may follow from it.
struct Layout {
  ClientRank clients = 0;
  ServerRank servers = 0;
  /// By ClientRank, from where the ranks are (start/nearest_servers.h). Empty: contiguous blocks of equal
  /// size, but for one rank. Model rank 0, whose steps are the clock, always has server 0.
  std::vector<ServerRank> served_by = {};
  ServerRank server_of(ClientRank client) const {
    if (!served_by.empty()) return served_by[client];
    return static_cast<ServerRank>(static_cast<std::uint64_t>(client) * servers / clients);
  }
};

struct Plan {
  /// The components that read any of its files.
  std::vector<std::string> readers() const;
  Layout layout;
  std::vector<PlannedDimension> dimensions;
  std::vector<PlannedGroup> groups;
  std::vector<PlannedField> fields;
  std::vector<PlannedPoints> points;
  std::vector<Value> values;
  std::vector<Rule> rules;  ///< in an order where each comes after the rules whose results it takes
  std::vector<Tree> trees;
  std::vector<Bundle> bundles;
  std::vector<Distribution> distributions;
  std::vector<RegridGroup> regrids;
  std::vector<PlannedFile> files;
  std::vector<PlannedTrigger> triggers = {};
  std::vector<Schedule> schedules;
  std::vector<Variable> variables;
  /// Those of coarser levels, which publishing makes of records: their ids follow those of `variables`.
  std::vector<Variable> levels = {};
  /// The variables that never change: each file of the series has them once, without a time axis, so their
  /// schedules mean nothing. They are not in `variables`, as they have no records.
  std::vector<Variable> statics;
  std::vector<Need> needs;
  std::optional<Continued> continued = {};  ///< where the run continues; nullopt in a run that starts
  CheckpointReasons checkpoints;
  /// By rank and field: the part that the rank holds. `start` is 0 for own and same fields.
  RankRegions regions;
  PlannedTime time;
  std::vector<Attribute> attributes;  ///< for every file: the configuration, its hash, options, version
  double pushdown_budget_s = 0.001;   ///< the most that extracts may cost a model rank in a step

  const PlannedField& operator[](FieldId id) const { return fields[id.index]; }
  const PlannedGroup& operator[](GroupId id) const { return groups[id.index]; }
  const Value& operator[](ValueId id) const { return values[id.index]; }
  const Rule& operator[](RuleId id) const { return rules[id.index]; }
  const PlannedFile& operator[](FileId id) const { return files[id.index]; }
  const Schedule& operator[](ScheduleId id) const { return schedules[id.index]; }
  const Variable& operator[](VariableId id) const {
    return id.index < variables.size() ? variables[id.index] : levels[id.index - variables.size()];
  }
  /// With those of coarser levels.
  std::size_t variable_count() const { return variables.size() + levels.size(); }
  const PlannedDimension& operator[](DimensionId id) const { return dimensions[id.index]; }

  /// The reduction whose Partials a value holds. REQUIRES: its form is partials.
  Reduction reduction_of(ValueId id) const;
  /// Global extents of a value, fastest first. REQUIRES: not a nameless shape.
  Extents extents(ValueId id) const;
  /// Of a record, in the order of its file.
  Extents extents_in_file(const Variable& variable) const;
  /// Of what a record is made of, in that order: of a coarser level those of the finest.
  Extents extents_before(const Variable& variable) const;
  /// What a model rank or root holds of a value. `regions`: by value, what it holds of the values that the
  /// parts of `value` name.
  Region held(const Value& value, const std::vector<Region>& regions) const;
  bool contributes(ClientRank client, const Tree& tree) const { return client == 0 || !tree.takes_rank_zero; }
  /// The servers of the tree's contributors and its root, rising.
  std::vector<ServerRank> members(const Tree& tree) const;
  /// A tracker of all needs from the first step of this run on.
  NeedTracker tracker(double start_time_s) const {
    return continued ? NeedTracker(needs, continued->passed) : NeedTracker(needs, start_time_s);
  }
  /// A multiple of every number of steps in the frequencies of samples, files and checkpoints; 0: it would be
  /// too large.
  std::int64_t common_steps() const;
  /// The demand that `client` receives at commit.
  Demand demand(ClientRank client, std::uint64_t budget_bytes) const;
};

}  // namespace pileus
