#pragma once
// Pileus for C++20: a run is an object, errors are exceptions, arrays are spans. This is a thin layer over
// pileus.h, which says in which order the calls come and what they mean.

#include <pileus/pileus.h>

#include <concepts>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace pileus {

/// A call that failed: its status, and the text of pileus_error.
class Error : public std::runtime_error {
 public:
  Error(pileus_status status, const std::string& text) : std::runtime_error(text), status_(status) {}
  pileus_status status() const { return status_; }

 private:
  pileus_status status_;
};

/// The numbers that fields are made of.
template <class T>
concept Element = std::same_as<T, double> || std::same_as<T, float> || std::same_as<T, std::int32_t> ||
    std::same_as<T, std::int64_t> || std::same_as<T, bool>;

template <Element T>
constexpr pileus_type type_of() {
  if constexpr (std::same_as<T, double>) return PILEUS_DOUBLE;
  if constexpr (std::same_as<T, float>) return PILEUS_FLOAT;
  if constexpr (std::same_as<T, std::int32_t>) return PILEUS_INT32;
  if constexpr (std::same_as<T, std::int64_t>) return PILEUS_INT64;
  if constexpr (std::same_as<T, bool>) return PILEUS_BOOL;
}

/// A registered field and its part on this rank.
template <Element T>
struct Field {
  int number = -1;
  std::vector<std::int64_t> count;  ///< fastest first
  std::int64_t size() const {
    std::int64_t product = 1;
    for (const std::int64_t n : count) product *= n;
    return product;
  }
};

/// A registered input and its part on this rank.
template <Element T>
struct Input {
  int number = -1;
  std::vector<std::int64_t> count;  ///< fastest first
  std::int64_t size() const {
    std::int64_t product = 1;
    for (const std::int64_t n : count) product *= n;
    return product;
  }
};

/// A registered field of texts.
struct TextField {
  int number = -1;
};

/// A registered field of keys and their values.
struct MapField {
  int number = -1;
};

/// What files say about a field where the configuration says nothing; "" for nothing.
struct Metadata {
  std::string units = {};  ///< as UDUNITS writes them
  std::string standard_name = {}, long_name = {};
};

/// The part of a dimension that this rank holds.
struct Part {
  std::string dimension;
  std::int64_t start = 0;  ///< from 0
  std::int64_t count = 0;
};

/// A data-definition of the configuration.
struct Definition {
  std::string name, name_space;  ///< `name_space`: "a::b", or "" for none
  std::int64_t frequency = 1;    ///< steps from one hand-over to the next; 0: in the final step only
  double frequency_s = 0;        ///< seconds of model time from one to the next; 0: `frequency` counts
  bool is_sent_at_end = false;   ///< the final step hands it over whatever its index
  int first_field = 0, fields = 0;
};

/// A field of the configuration, whether the model has it or not.
struct WantedField {
  std::string name;    ///< with its namespaces
  int definition = 0;  ///< index into Wants::definitions
  pileus_kind kind = PILEUS_KIND_OPEN;
  std::optional<pileus_type> type;                     ///< absent if the configuration does not say
  std::optional<std::vector<std::string>> dimensions;  ///< fastest first; absent: it says nothing
  bool is_optional = false, is_collective = false, is_static = false;
  /// The frequencies at which files have something that is made of the field. Each is in seconds or in
  /// months, and the other number is 0. Both are 0 where the file or the samples decide.
  std::vector<double> output_s;
  std::vector<std::int64_t> output_months;
};

/// What the configuration asks of the model.
struct Wants {
  std::vector<Definition> definitions;
  std::vector<WantedField> fields;
};

struct Settings {
  std::string configuration;        ///< path of the XML file
  std::optional<int> communicator;  ///< MPI_Comm_c2f of the communicator of all model ranks and servers
  std::string directory = ".";      ///< where files go
  /// How many ranks of the communicator serve; at most one of these and of servers_per_socket and
  /// servers_per_numa is not 0 (pileus.h has the rules).
  std::int32_t servers_ratio = 0, servers_per_node = 0, servers_total = 0;
  std::string describe_model = {};  ///< path of a JSON file for the model's description; "" for none
  std::int32_t servers_per_socket = 0, servers_per_numa = 0;
  std::string component = {};  ///< of a job of several, such as "ocean"; "" for none
};

/// The steps of the complete checkpoints below a directory, ascending. One rank asks and sends them to the
/// others.
/// `component`: whose checkpoints, in a job of several.
inline std::vector<std::int64_t> checkpoints(const std::string& directory = ".",
                                             const std::string& component = "") {
  std::vector<std::int64_t> steps(16);
  while (true) {
    const auto capacity = static_cast<int>(steps.size());
    int count = 0;
    const pileus_status status =
        pileus_component_checkpoints(directory.c_str(), component.c_str(), steps.data(), capacity, &count);
    if (status != PILEUS_OK) throw Error(status, "the checkpoints below " + directory + " cannot be read");
    steps.resize(static_cast<std::size_t>(count));
    if (count <= capacity) return steps;
  }
}

/// Serves on this rank, which the model has chosen; the model ranks give the same communicator to their Run.
/// Returns when the run is over.
inline void serve(int communicator) {
  pileus_run* handle = nullptr;
  const pileus_status status = pileus_serve(communicator, &handle);
  const std::string text = pileus_error(handle);
  pileus_free(handle);
  if (status != PILEUS_OK) throw Error(status, text);
}

/// Memory that Run::allocate gives, for arrays of put_stable.
template <Element T>
class StableArray {
 public:
  StableArray() = default;
  StableArray(T* first, std::size_t size) : first_(first), size_(size) {}
  std::span<T> span() const { return {first_.get(), size_}; }
  T* data() const { return first_.get(); }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) const { return first_.get()[i]; }

 private:
  struct GiveBack {
    void operator()(T* first) const { pileus_deallocate(first); }
  };
  std::unique_ptr<T, GiveBack> first_;
  std::size_t size_ = 0;
};

/// One rank's side of one run. Every call throws Error where its counterpart in pileus.h returns an error.
class Run {
 public:
  explicit Run(const Settings& settings) {
    pileus_settings given = PILEUS_SETTINGS_INIT;
    if (!settings.configuration.empty()) given.configuration = settings.configuration.c_str();
    given.has_communicator = settings.communicator.has_value();
    given.communicator = settings.communicator.value_or(0);
    given.directory = settings.directory.c_str();
    given.servers_ratio = settings.servers_ratio;
    given.servers_per_node = settings.servers_per_node;
    given.servers_total = settings.servers_total;
    given.servers_per_socket = settings.servers_per_socket;
    given.servers_per_numa = settings.servers_per_numa;
    if (!settings.describe_model.empty()) given.describe_model = settings.describe_model.c_str();
    if (!settings.component.empty()) given.component = settings.component.c_str();
    pileus_run* handle = nullptr;
    const pileus_status status = pileus_start(&given, &handle, &model_communicator_, &role_);
    handle_.reset(handle);
    check(status);
  }

  /// True on a rank that has served. The run is then over, and this object can only be destroyed.
  bool is_server() const { return role_ == PILEUS_SERVER; }
  /// A handle for MPI_Comm_f2c, valid as long as the run. REQUIRES: the settings had a communicator.
  std::int32_t model_communicator() const { return model_communicator_; }

  void option(const std::string& key, const std::string& value) {
    check(pileus_option(handle(), key.c_str(), value.c_str()));
  }
  void dimension(const std::string& name, std::int64_t size, const std::string& units = "") {
    check(pileus_dimension(handle(), name.c_str(), size, nullptr, units.c_str()));
  }
  void dimension(const std::string& name, std::span<const double> coordinates, const std::string& units) {
    const auto size = static_cast<std::int64_t>(coordinates.size());
    check(pileus_dimension(handle(), name.c_str(), size, coordinates.data(), units.c_str()));
  }

  /// Lower and upper end of the cell of each coordinate of a dimension that has coordinates.
  void dimension_bounds(const std::string& name, std::span<const double> bounds) {
    if (bounds.size() % 2 != 0)
      throw Error(PILEUS_ERROR_USAGE,
                  "dimension_bounds: dimension \"" + name + "\" has an odd number of bounds");
    check(pileus_dimension_bounds(handle(), name.c_str(), static_cast<std::int64_t>(bounds.size() / 2),
                                  bounds.data()));
  }
  /// Which points of the domain this rank holds, in the order of its own memory. `dimensions`: those over
  /// which the points are numbered, fastest first; `count`: the extents of this rank's arrays along the
  /// points; `indices`: the index of the point for each element of these, negative where there is none;
  /// `flags`: PILEUS_SHARED_POINTS or 0. A field lies on the points that has a part of `name` for each count.
  void points(const std::string& name, const std::vector<std::string>& dimensions,
              const std::vector<std::int64_t>& count, std::span<const std::int64_t> indices, int flags = 0) {
    std::vector<const char*> names;
    for (const std::string& dimension : dimensions) names.push_back(dimension.c_str());
    const auto given = static_cast<std::int64_t>(indices.size());
    std::int64_t size = 1;  // no more than one too many, so that no product overflows
    for (const std::int64_t n : count) size = n > 0 && size > given / n ? given + 1 : size * n;
    if (given != size)
      throw Error(PILEUS_ERROR_USAGE, "points: the arrays along \"" + name +
                                          "\" do not have as many elements as there are indices, " +
                                          std::to_string(given));
    check(pileus_points(handle(), name.c_str(), static_cast<int>(names.size()), names.data(),
                        static_cast<int>(count.size()), count.data(), indices.data(), flags));
  }
  /// A calendar of CF, and the date of model time 0: "2000-01-01 00:00:00", or "" to leave it open.
  void calendar(const std::string& calendar, const std::string& epoch = "") {
    check(pileus_calendar(handle(), calendar.c_str(), epoch.c_str()));
  }

  /// This run continues after `step`; commit loads that step's checkpoint. The same on every rank.
  void continue_after(std::int64_t step) { check(pileus_continue(handle(), step)); }
  /// The steps of this run, which continues another one, are numbered anew.
  void count_anew() { check(pileus_count_anew(handle())); }

  /// A field over named dimensions, or points, fastest first. Without dimensions it is a scalar.
  template <Element T>
  Field<T> field(const std::string& name, const std::vector<Part>& parts = {}) {
    const PartLists lists(parts);
    return register_field<T>(name, lists.names.data(), lists.start, lists.count);
  }
  /// An array that has a shape but no named dimensions; its extents are given fastest first.
  template <Element T>
  Field<T> nameless_field(const std::string& name, const std::vector<std::int64_t>& count) {
    return register_field<T>(name, nullptr, std::vector<std::int64_t>(count.size(), 0), count);
  }

  /// Values that servers read from a file for the model, if the configuration names one. `units`: those in
  /// which the model takes them; "": as the file has them.
  template <Element T>
  Input<T> input(const std::string& name, const std::vector<Part>& parts = {},
                 const std::string& units = "") {
    const PartLists lists(parts);
    Input<T> input{-1, lists.count};
    check(pileus_input(handle(), name.c_str(), type_of<T>(), static_cast<int>(lists.count.size()),
                       lists.names.data(), lists.start.data(), lists.count.data(), units.c_str(),
                       &input.number));
    return input;
  }

  /// What files say about a field. At most once for each field, before commit; the same on every rank.
  template <class AnyField>
  void metadata(const AnyField& field, const Metadata& metadata) {
    check(pileus_field_metadata(handle(), field.number, metadata.units.c_str(),
                                metadata.standard_name.c_str(), metadata.long_name.c_str()));
  }

  /// The field never changes. The model hands it over in the first step of a run, and rules use it in every
  /// step.
  template <class AnyField>
  void static_field(const AnyField& field) {
    check(pileus_static(handle(), field.number));
  }

  /// Texts of at most `length` bytes over named dimensions, fastest first. Without dimensions it is a single
  /// text.
  TextField text_field(const std::string& name, std::int64_t length, const std::vector<Part>& parts = {}) {
    const PartLists lists(parts);
    TextField field;
    check(pileus_text_field(handle(), name.c_str(), length, static_cast<int>(parts.size()),
                            lists.names.data(), lists.start.data(), lists.count.data(), &field.number));
    return field;
  }
  /// Pairs of texts of at most `length` bytes. There are at most as many pairs as the dimension has indices.
  MapField map_field(const std::string& name, std::int64_t length, const std::string& dimension) {
    MapField field;
    check(pileus_map_field(handle(), name.c_str(), length, dimension.c_str(), &field.number));
    return field;
  }

  /// Asks the configuration before commit, with the options that it uses. Collective over the model ranks.
  Wants wants() {
    int definitions = 0, fields = 0;
    check(pileus_wants(handle(), &definitions, &fields));
    Wants wants;
    for (int i = 0; i < definitions; ++i) wants.definitions.push_back(definition(i));
    for (int i = 0; i < fields; ++i) wants.fields.push_back(wanted_field(i));
    return wants;
  }

  void commit() { check(pileus_commit(handle())); }
  /// Whether the configuration wants a field at any step of the run. Call it after commit.
  template <class AnyField>
  bool is_used(const AnyField& field) {
    int is_used = 0;
    check(pileus_is_used(handle(), field.number, &is_used));
    return is_used != 0;
  }
  /// Whether the configuration brings an input. Call it after commit.
  template <Element T>
  bool is_brought(const Input<T>& input) {
    int is_brought = 0;
    check(pileus_is_brought(handle(), input.number, &is_brought));
    return is_brought != 0;
  }
  /// Reads the input's values at that model time into a dense array. Waits where they have not come yet.
  template <Element T>
  void get(const Input<T>& input, double time_s, std::span<std::type_identity_t<T>> values) {
    if (static_cast<std::int64_t>(values.size()) != input.size())
      throw Error(PILEUS_ERROR_USAGE, "get: the input has " + std::to_string(input.size()) +
                                          " values on this rank, the array has " +
                                          std::to_string(values.size()));
    check(pileus_get(handle(), input.number, time_s, values.data(), nullptr));
  }
  /// The same for any array; `strides` are in elements, one for each dimension.
  template <Element T>
  void get(const Input<T>& input, double time_s, std::type_identity_t<T>* first,
           std::span<const std::int64_t> strides) {
    if (strides.size() != input.count.size())
      throw Error(PILEUS_ERROR_USAGE, "get: give one stride for each of the input's " +
                                          std::to_string(input.count.size()) + " dimensions");
    std::vector<std::int64_t> bytes;
    for (const std::int64_t stride : strides) bytes.push_back(stride * static_cast<std::int64_t>(sizeof(T)));
    check(pileus_get(handle(), input.number, time_s, first, bytes.data()));
  }
  /// Whether a checkpoint is due at the step that is about to begin. Only model rank 0 may ask.
  pileus_due checkpoint_due(std::int64_t step, double time_s, double length_s) {
    int due = PILEUS_NOT_DUE;
    check(pileus_checkpoint_due(handle(), step, time_s, length_s, &due));
    return static_cast<pileus_due>(due);
  }
  /// Says a word about the step that begins next, for triggers and the run's events. Rank 0 alone is heard.
  void event(const std::string& word) { check(pileus_event(handle(), word.c_str())); }
  /// `time_s`: model time at the end of the step; `flags`: PILEUS_FINAL, PILEUS_CHECKPOINT and
  /// PILEUS_THREADS, with which several threads may call put, put_part, wanted and text() until end().
  /// The first step may have a length of 0: the state at the start.
  void begin(std::int64_t step, double time_s, double length_s, int flags = 0) {
    check(pileus_begin(handle(), step, time_s, length_s, flags));
  }
  /// The number that files and checkpoints know the step by that was begun last.
  std::int64_t step() {
    std::int64_t step = 0;
    check(pileus_step(handle(), &step));
    return step;
  }
  /// Begins the hand-over of what is due at the end, if the last step was not known to be the last.
  void begin_closing() { check(pileus_begin_closing(handle())); }
  template <Element T>
  bool wanted(const Field<T>& field) const {
    return is_wanted(field.number);
  }
  bool wanted(const TextField& field) const { return is_wanted(field.number); }
  bool wanted(const MapField& field) const { return is_wanted(field.number); }

  /// Hands over a dense array, fastest dimension first.
  template <Element T>
  void put(const Field<T>& field, std::span<const std::type_identity_t<T>> values) {
    if (static_cast<std::int64_t>(values.size()) != field.size())
      throw Error(PILEUS_ERROR_USAGE, "put: the field has " + std::to_string(field.size()) +
                                          " values on this rank, the array has " +
                                          std::to_string(values.size()));
    check(pileus_put(handle(), field.number, values.data(), nullptr));
  }
  /// Hands over any array, given its first element and the distance of neighbours in each dimension, counted
  /// in elements, of any sign.
  template <Element T>
  void put(const Field<T>& field, const std::type_identity_t<T>* first,
           std::span<const std::int64_t> strides) {
    if (strides.size() != field.count.size())
      throw Error(PILEUS_ERROR_USAGE, "put: the field has " + std::to_string(field.count.size()) +
                                          " dimensions, there are " + std::to_string(strides.size()) +
                                          " strides");
    std::vector<std::int64_t> byte_strides(strides.begin(), strides.end());
    for (std::int64_t& stride : byte_strides) stride *= static_cast<std::int64_t>(sizeof(T));
    check(pileus_put(handle(), field.number, first, byte_strides.data()));
  }
  template <Element T>
  void put(const Field<T>& field, const T& value) {
    put(field, std::span<const T>(&value, 1));
  }
  /// Hands over a dense array that stays as it is until the next begin(), begin_closing() or finish() has
  /// returned: a server that shares memory with this rank reads it where it lies.
  template <Element T>
  void put_stable(const Field<T>& field, std::span<const std::type_identity_t<T>> values) {
    if (static_cast<std::int64_t>(values.size()) != field.size())
      throw Error(PILEUS_ERROR_USAGE, "put_stable: the field has " + std::to_string(field.size()) +
                                          " values on this rank, the array has " +
                                          std::to_string(values.size()));
    check(pileus_put_stable(handle(), field.number, values.data(), nullptr));
  }
  /// Memory for arrays of put_stable, all zero, which the run may go before.
  template <Element T>
  StableArray<T> allocate(std::size_t size) {
    void* memory = nullptr;
    if (size > SIZE_MAX / sizeof(T)) throw Error(PILEUS_ERROR_USAGE, "allocate: the size is too large");
    check(pileus_allocate(handle(), size * sizeof(T), &memory));
    return StableArray<T>(static_cast<T*>(memory), size);
  }

  /// Hands over one index of the last dimension, from 0: a dense array of the dimensions before it. The field
  /// counts as put when all have come.
  template <Element T>
  void put_part(const Field<T>& field, std::int64_t part, std::span<const std::type_identity_t<T>> values) {
    const std::int64_t parts = field.count.empty() ? 0 : field.count.back();
    if (parts > 0 && static_cast<std::int64_t>(values.size()) != field.size() / parts)
      throw Error(PILEUS_ERROR_USAGE,
                  "put_part: a part of the field has " + std::to_string(field.size() / parts) +
                      " values on this rank, the array has " + std::to_string(values.size()));
    check(pileus_put_part(handle(), field.number, part, values.data(), nullptr));
  }
  /// The same of any array, as put has it.
  template <Element T>
  void put_part(const Field<T>& field, std::int64_t part, const std::type_identity_t<T>* first,
                std::span<const std::int64_t> strides) {
    if (strides.size() + 1 != field.count.size())
      throw Error(PILEUS_ERROR_USAGE, "put_part: a part of the field has " +
                                          std::to_string(field.count.empty() ? 0 : field.count.size() - 1) +
                                          " dimensions, there are " + std::to_string(strides.size()) +
                                          " strides");
    std::vector<std::int64_t> byte_strides(strides.begin(), strides.end());
    for (std::int64_t& stride : byte_strides) stride *= static_cast<std::int64_t>(sizeof(T));
    check(pileus_put_part(handle(), field.number, part, first, byte_strides.data()));
  }
  void put(const TextField& field, std::span<const std::string> texts) {
    std::vector<const char*> list;
    for (const std::string& text : texts) list.push_back(text.c_str());
    check(pileus_put_texts(handle(), field.number, static_cast<std::int64_t>(list.size()), list.data()));
  }
  void put(const TextField& field, const std::string& text) {
    put(field, std::span<const std::string>(&text, 1));
  }
  void put(const MapField& field, const std::map<std::string, std::string>& pairs) {
    std::vector<const char*> keys, values;
    for (const auto& [key, value] : pairs) {
      keys.push_back(key.c_str());
      values.push_back(value.c_str());
    }
    check(pileus_put_map(handle(), field.number, static_cast<std::int64_t>(keys.size()), keys.data(),
                         values.data()));
  }

  /// False if a wanted field was not put; absent() then names it.
  bool end() {
    check(pileus_end(handle()));
    return absent().empty();
  }
  /// A sentence that names the wanted fields which were not put in the last step; "" if there are none.
  std::string absent() const { return pileus_absent(handle_.get()); }
  /// Lets what this rank has sent go on while the model computes; never waits.
  void progress() { check(pileus_progress(handle())); }
  /// Returns when what the steps until now have sent has left this rank.
  void flush() { check(pileus_flush(handle())); }
  void finish() { check(pileus_finish(handle())); }

  /// Seconds that this rank has spent inside Pileus since commit, and how many of them it waited for memory.
  struct Times {
    double inside_s = 0, waiting_s = 0;
  };
  Times times() const {
    Times times;
    check(pileus_time(handle_.get(), &times.inside_s, &times.waiting_s));
    return times;
  }

  std::string text() const { return pileus_error(handle_.get()); }

 private:
  struct Free {
    void operator()(pileus_run* handle) const { pileus_free(handle); }
  };

  /// Parts in the form that pileus.h takes. The names must live as long as the parts.
  struct PartLists {
    explicit PartLists(const std::vector<Part>& parts) {
      for (const Part& part : parts) {
        names.push_back(part.dimension.c_str());
        start.push_back(part.start);
        count.push_back(part.count);
      }
    }
    std::vector<const char*> names;
    std::vector<std::int64_t> start, count;
  };

  template <Element T>
  Field<T> register_field(const std::string& name, const char* const* dimensions,
                          const std::vector<std::int64_t>& start, const std::vector<std::int64_t>& count) {
    Field<T> field{-1, count};
    check(pileus_field(handle(), name.c_str(), type_of<T>(), static_cast<int>(count.size()), dimensions,
                       start.data(), count.data(), &field.number));
    return field;
  }
  Definition definition(int number) {
    pileus_definition given{};
    given.size = sizeof given;
    check(pileus_wants_definition(handle(), number, &given));
    return {given.name,        given.name_space,          given.frequency,
            given.frequency_s, given.is_sent_at_end != 0, given.first_field,
            given.fields};
  }
  WantedField wanted_field(int number) {
    pileus_wanted_field given{};
    given.size = sizeof given;
    check(pileus_wants_field(handle(), number, &given));
    WantedField field;
    field.name = given.name;
    field.definition = given.definition;
    field.kind = static_cast<pileus_kind>(given.kind);
    if (given.type >= 0) field.type = static_cast<pileus_type>(given.type);
    if (given.rank >= 0) field.dimensions.emplace(given.dimensions, given.dimensions + given.rank);
    field.is_optional = given.is_optional != 0;
    field.is_collective = given.is_collective != 0;
    field.is_static = given.is_static != 0;
    field.output_s.assign(given.output_s, given.output_s + given.outputs);
    field.output_months.assign(given.output_months, given.output_months + given.outputs);
    return field;
  }
  bool is_wanted(int field) const { return pileus_wanted(handle_.get(), field) != 0; }
  pileus_run* handle() { return handle_.get(); }
  void check(pileus_status status) const {
    if (status != PILEUS_OK) throw Error(status, text());
  }

  std::unique_ptr<pileus_run, Free> handle_;
  std::int32_t model_communicator_ = 0;
  pileus_role role_ = PILEUS_MODEL;
};

}  // namespace pileus
