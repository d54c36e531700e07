#include "publishing/owner/file_state.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include "files/file_names.h"

namespace pileus {
namespace {

constexpr std::uint32_t kSchema = 2;

/// How far a file is. Only files that have it in them keep their last step, behind everything else.
enum class Completion : std::uint8_t { none, complete, complete_with_step };

Completion completion_of(const FileUnderWay& state) {
  if (!state.is_complete) return Completion::none;
  return state.last_step ? Completion::complete_with_step : Completion::complete;
}

void put(Encoder& out, const std::vector<FileAttribute>& attributes) {
  out.put(static_cast<std::uint64_t>(attributes.size()));
  for (const FileAttribute& attribute : attributes) {
    out.put(std::string_view(attribute.name));
    out.put(static_cast<std::uint8_t>(attribute.value.index()));
    std::visit(
        [&](const auto& value) {
          using Value = std::decay_t<decltype(value)>;
          if constexpr (std::is_same_v<Value, std::string>) {
            out.put(std::string_view(value));
          } else if constexpr (std::is_same_v<Value, AttributeNumbers>) {
            out.put(value.type);
            out.put(value.reals);
            out.put(value.integers);
          } else {
            out.put(value);
          }
        },
        attribute.value);
  }
}

AttributeNumbers get_numbers(Decoder& in) {
  AttributeNumbers numbers;
  numbers.type = in.get<ElementType>();
  numbers.reals = in.get_vector<double>();
  numbers.integers = in.get_vector<std::int64_t>();
  const bool is_real = numbers.type == ElementType::float64 || numbers.type == ElementType::float32;
  const bool is_one = is_real ? numbers.integers.empty() && !numbers.reals.empty()
                              : numbers.reals.empty() && !numbers.integers.empty();
  if (!is_known(numbers.type) || !is_number(numbers.type) || !is_one)
    throw TransportError("an attribute has numbers of another type than its own");
  return numbers;
}

std::vector<FileAttribute> get_attributes(Decoder& in) {
  std::vector<FileAttribute> attributes(in.get_length(17));
  for (FileAttribute& attribute : attributes) {
    attribute.name = in.get_text();
    switch (in.get<std::uint8_t>()) {
      case 0: attribute.value = in.get_text(); break;
      case 1: attribute.value = in.get<double>(); break;
      case 2: attribute.value = in.get<std::int64_t>(); break;
      case 3: attribute.value = get_numbers(in); break;
      default: throw TransportError("an attribute is of an unknown type");
    }
  }
  return attributes;
}

void put(Encoder& out, const Compression& compression) {
  out.put(std::string_view(compression.is_packed() ? compression.codec->name : ""));
  out.put(compression.level);
  out.put(compression.shuffle);
  if (compression.together == 0) return;
  out.put(compression.together);
  out.put(compression.bits);
  out.put(compression.decimals.value_or(0));
}

void put(Encoder& out, const RecordMark& mark) {
  out.put(mark.period);
  out.put(mark.record);
  out.put(mark.time_s);
  out.put(mark.begin_s);
  out.put(mark.end_s);
}

RecordMark get_mark(Decoder& in) {
  RecordMark mark;
  mark.period = in.get<std::int64_t>();
  mark.record = in.get<std::int64_t>();
  mark.time_s = in.get<double>();
  mark.begin_s = in.get<double>();
  mark.end_s = in.get<double>();
  if (!std::isfinite(mark.time_s) || !std::isfinite(mark.begin_s) || !std::isfinite(mark.end_s))
    throw TransportError("a record is at no time");
  return mark;
}

void put(Encoder& out, const RecordBytes& bytes) {
  out.put(static_cast<std::uint64_t>(bytes.ranges.size()));
  for (const FileRange& range : bytes.ranges) {
    out.put(range.offset);
    out.put(range.length);
  }
  out.put(bytes.checksum);
  out.put(bytes.is_summed);
}

/// In the number of skipped filters, of which there are few.
constexpr std::uint32_t kHasLoss = std::uint32_t{1} << 31U, kHasAudit = std::uint32_t{1} << 30U;

void put(Encoder& out, const ChunkLayout& chunk) {
  out.put(chunk.size_bytes);
  out.put(chunk.skipped_filters | (chunk.loss ? kHasLoss : 0) | (chunk.audit ? kHasAudit : 0));
  out.put(chunk.checksum);
  if (chunk.audit) put(out, *chunk.audit);
  if (!chunk.loss) return;
  out.put(chunk.loss->largest);
  out.put(chunk.loss->rms);
  out.put(chunk.loss->bound);
  out.put(chunk.loss->missing);
}

ChunkLayout get_chunk(Decoder& in) {
  ChunkLayout chunk;
  chunk.size_bytes = in.get<std::uint64_t>();
  chunk.skipped_filters = in.get<std::uint32_t>();
  chunk.checksum = in.get<std::uint32_t>();
  if (chunk.size_bytes >= std::uint64_t{1} << 32) throw TransportError("a chunk is too long");
  const std::uint32_t has = chunk.skipped_filters;
  chunk.skipped_filters &= ~(kHasLoss | kHasAudit);
  if ((has & kHasAudit) != 0) chunk.audit = get_audit(in);
  if ((has & kHasLoss) == 0) return chunk;
  Loss& loss = chunk.loss.emplace();
  loss.largest = in.get<double>();
  loss.rms = in.get<double>();
  loss.bound = in.get<double>();
  loss.missing = in.get<std::int64_t>();
  return chunk;
}

RecordBytes get_bytes(Decoder& in) {
  RecordBytes bytes;
  bytes.ranges.resize(in.get_length(16));
  for (FileRange& range : bytes.ranges) {
    range.offset = in.get<std::uint64_t>();
    range.length = in.get<std::uint64_t>();
    if (range.offset + range.length < range.offset) throw TransportError("a record lies nowhere");
  }
  bytes.checksum = in.get<std::uint32_t>();
  bytes.is_summed = in.get<std::uint8_t>() != 0;
  return bytes;
}

FileUnderWay get_file_under_way(Decoder& in) {
  FileUnderWay state;
  state.definition = in.get<std::uint64_t>();
  state.attributes = get_attributes(in);
  state.temporary_name = in.get_text();
  state.final_name = in.get_text();
  const std::string& temporary = state.temporary_name;
  const bool is_plain = !temporary.empty() && temporary.find('/') == std::string::npos;
  if (!is_plain || !lies_within(state.final_name)) throw TransportError("it has no file's name");
  state.axes.resize(in.get_length(8));
  for (std::string& axis : state.axes) axis = in.get_text();
  const auto completion = in.get<Completion>();
  if (completion > Completion::complete_with_step) throw TransportError("it is neither complete nor not");
  state.is_complete = completion != Completion::none;
  state.records.resize(in.get_length(57));
  for (KeptRecord& record : state.records) {
    record.axis = in.get<std::uint32_t>();
    record.mark = get_mark(in);
    record.bytes = get_bytes(in);
    if (record.axis >= state.axes.size()) throw TransportError("a record is of an unknown axis");
  }
  state.missing = get_missing(in);
  state.chunks.resize(in.get_length(8));
  for (std::vector<ChunkLayout>& chunks : state.chunks) {
    chunks.resize(in.get_length(16));
    for (ChunkLayout& chunk : chunks) chunk = get_chunk(in);
  }
  state.layout = in.get<std::uint64_t>();
  state.needed_bytes = in.get<std::uint64_t>();
  if (completion == Completion::complete_with_step) {
    const auto index = in.get<std::int64_t>();
    state.last_step = {index, in.get<double>()};
    if (!std::isfinite(state.last_step->time_s)) throw TransportError("its last step is at no time");
  }
  if (!in.is_at_end()) {
    state.dropped.asked = in.get<std::int64_t>();
    state.dropped.for_memory = in.get<std::int64_t>();
  }
  if (state.dropped.asked < 0 || state.dropped.for_memory < 0)
    throw TransportError("it lacks a negative number of records");
  if (in.is_at_end()) return state;
  state.parts.resize(in.get_length(1));
  for (PartOfFile& part : state.parts) {
    part = get_part_of_file(in);
    if (part.name.empty() || part.end.size() != state.axes.size())
      throw TransportError("a part of it has another number of axes");
  }
  return state;
}

SeriesState get_series(Decoder& in) {
  SeriesState state;
  state.names = in.get_text();
  state.definition = in.get<std::uint64_t>();
  const auto timeline = in.get_raw(in.get_length(1));
  state.timeline.assign(timeline.begin(), timeline.end());
  if (in.get<std::uint8_t>() != 0) state.last_period = in.get<std::int64_t>();
  state.published = Periods::decode(in);
  state.failed = Periods::decode(in);
  return state;
}

/// `what`: "the file profile.nc, period 3".
template <class Get>
auto decode(const StateEntry& entry, const std::string& what, Get get) {
  try {
    Decoder in(entry.bytes);
    const auto schema = in.get<std::uint32_t>();
    if (schema != kSchema) throw TransportError("it is of the unknown version " + std::to_string(schema));
    auto state = get(in);
    if (!in.is_at_end()) throw TransportError("it is too long");
    return state;
  } catch (const TransportError& error) {
    throw TransportError("the state of " + what + " is damaged: " + error.what());
  }
}

}  // namespace

std::uint64_t hash_of(std::span<const std::byte> bytes, std::uint64_t before) {
  for (std::byte byte : bytes) before = (before ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3U;
  return before;
}

std::vector<Index> FileUnderWay::counts(std::size_t axes) const {
  std::vector<Index> counts(axes, 0);
  for (const KeptRecord& record : records) ++counts[record.axis];
  return counts;
}

std::uint64_t definition_hash(const FileDefinition& definition) {
  Bytes bytes;
  Encoder out(bytes);
  for (const FileDimension& dimension : definition.dimensions) {
    out.put(std::string_view(dimension.name));
    out.put(dimension.size);
    out.put(dimension.coordinates);
    out.put(dimension.bounds);
    put(out, dimension.attributes);
  }
  out.put(std::string_view("axes"));
  for (const TimeAxis& axis : definition.axes) {
    out.put(std::string_view(axis.name));
    out.put(static_cast<std::uint8_t>(axis.is_climatology ? 2 : axis.has_bounds ? 1 : 0));
    out.put(axis.block_records);
    out.put(axis.first_records);
    put(out, axis.attributes);
  }
  out.put(std::string_view("variables"));
  for (const FileVariable& variable : definition.variables) {
    out.put(std::string_view(variable.name));
    out.put(variable.type);
    out.put(variable.dimensions);
    out.put(variable.axis);
    put(out, variable.compression);
    if (variable.may_repeat) out.put(std::string_view("repeated"));
    if (variable.is_audited) out.put(std::string_view("audited"));
    if (variable.is_in_parts) out.put(std::string_view("in parts"));
    put(out, variable.attributes);
  }
  for (const FileStatic& variable : definition.statics) {
    out.put(std::string_view("static"));
    out.put(std::string_view(variable.name));
    out.put(std::string_view(variable.definition));
    out.put(variable.type);
    out.put(variable.dimensions);
    put(out, variable.compression);
    put(out, variable.attributes);
  }
  if (definition.on_disk.alignment() != OnDisk::kPage) {
    out.put(std::string_view("aligned"));
    out.put(definition.on_disk.alignment());
  }
  return hash_of(bytes);
}

std::string series_text(const PlannedFile& file) {
  return file.name + " each " + text(file.write_frequency) + ", " +
         std::to_string(file.write_frequency_steps) + " steps" +
         (file.keeps_newest ? ", only the newest" : "");
}

std::string file_key(const PlannedFile& file, std::int64_t period) {
  return file.name + '\n' + std::to_string(period);
}

std::pair<std::string, std::int64_t> parse_file_key(const std::string& key) {
  const std::size_t at = key.rfind('\n');
  std::int64_t period = 0;
  if (at != std::string::npos) {
    const auto [end, problem] = std::from_chars(key.data() + at + 1, key.data() + key.size(), period);
    if (problem == std::errc() && end == key.data() + key.size()) return {key.substr(0, at), period};
  }
  throw TransportError("\"" + key + "\" is no file of a checkpoint");
}

StateEntry entry_of(const PlannedFile& file, std::int64_t period, const FileUnderWay& state) {
  StateEntry entry{std::string(kFileKind), file_key(file, period), {}, {}};
  Encoder out(entry.bytes);
  out.put(kSchema);
  out.put(state.definition);
  put(out, state.attributes);
  out.put(std::string_view(state.temporary_name));
  out.put(std::string_view(state.final_name));
  out.put(static_cast<std::uint64_t>(state.axes.size()));
  for (const std::string& axis : state.axes) out.put(std::string_view(axis));
  out.put(completion_of(state));
  out.put(static_cast<std::uint64_t>(state.records.size()));
  for (const KeptRecord& record : state.records) {
    out.put(record.axis);
    put(out, record.mark);
    put(out, record.bytes);
  }
  put(out, state.missing);
  out.put(static_cast<std::uint64_t>(state.chunks.size()));
  for (const std::vector<ChunkLayout>& chunks : state.chunks) {
    out.put(static_cast<std::uint64_t>(chunks.size()));
    for (const ChunkLayout& chunk : chunks) put(out, chunk);
  }
  out.put(state.layout);
  out.put(state.needed_bytes);
  if (completion_of(state) == Completion::complete_with_step) {
    out.put(state.last_step->index);
    out.put(state.last_step->time_s);
  }
  if (state.dropped.all() > 0 || !state.parts.empty()) {
    out.put(state.dropped.asked);
    out.put(state.dropped.for_memory);
  }
  if (state.parts.empty()) return entry;
  out.put(static_cast<std::uint64_t>(state.parts.size()));
  for (const PartOfFile& part : state.parts) put(out, part);
  return entry;
}

StateEntry entry_of(const PlannedFile& file, const SeriesState& state) {
  StateEntry entry{std::string(kSeriesKind), file.name, {}, {}};
  Encoder out(entry.bytes);
  out.put(kSchema);
  out.put(std::string_view(state.names));
  out.put(state.definition);
  out.put(static_cast<std::uint64_t>(state.timeline.size()));
  out.put_raw(state.timeline);
  out.put(state.last_period.has_value());
  if (state.last_period) out.put(*state.last_period);
  state.published.encode(out);
  state.failed.encode(out);
  return entry;
}

FileUnderWay decode_file(const StateEntry& entry) {
  const auto [series, period] = parse_file_key(entry.key);
  return decode(entry, "the file " + series + ", period " + std::to_string(period), get_file_under_way);
}

SeriesState decode_series(const StateEntry& entry) {
  return decode(entry, "the files " + entry.key, get_series);
}

}  // namespace pileus
