#include "formats/grib/grib_writer.h"
#include "disk/stripes.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "formats/chunk_shape.h"
#include "formats/chunk_values.h"
#include "formats/grib/grib_format.h"
#include "formats/grib/level.h"

namespace pileus::grib {
namespace {

const std::vector<std::byte> kEnd(4, std::byte{0x37});  // 7777
constexpr std::string_view kHead =
    "message,variable,level,time_s,begin_s,error_bound,largest_error,rms_error,missing\n";

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string shortest(double number) {
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

/// One line, without quotation marks: it becomes a comment.
std::string on_one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

/// Of "seconds since 2000-01-01 00:00:00" and a calendar.
ReferenceTime reference_of(const TimeAxis& axis) {
  ReferenceTime reference;
  const std::string units = text_of(axis.attributes, "units");
  const std::string since = " since ";
  const std::size_t at = units.find(since);
  const auto date = at == units.npos ? std::nullopt : parse_date(units.substr(at + since.size()));
  const auto calendar = parse_calendar(text_of(axis.attributes, "calendar"));
  if (!date || !calendar)
    throw UsageError("the time axis " + axis.name + " has no date that messages of GRIB could have");
  reference.date = *date;
  reference.calendar = *calendar;
  return reference;
}

MessageTime whole_seconds(const RecordTimes& times, bool is_stretch) {
  if (!is_stretch) return {std::llround(times.time_s), std::llround(times.time_s)};
  return {std::llround(times.begin_s), std::llround(times.end_s)};
}

std::vector<std::uint32_t> plane_of(const std::vector<std::uint32_t>& dimensions,
                                    const Compression& compression) {
  return {dimensions.begin(), dimensions.begin() + compression.together};
}

}  // namespace

GribWriter::GribWriter(FileSystem& files, std::string path, const FileDefinition& definition)
    : files_(files),
      path_(std::move(path)),
      title_(text_of(definition.attributes, "title")),
      axes_(definition.axes),
      space_(definition.axes.size(), 0),
      times_(definition.axes.size()) {
  std::map<std::vector<std::uint32_t>, GridKeys> grids;
  const auto grid = [&](const std::vector<std::uint32_t>& dimensions, const Compression& compression) {
    const std::vector<std::uint32_t> plane = plane_of(dimensions, compression);
    const auto known = grids.find(plane);
    return known != grids.end() ? known->second
                                : grids.emplace(plane, grid_of(definition, plane)).first->second;
  };
  for (const FileVariable& one : definition.variables) {
    const bool is_packed = one.compression.is_packed() && one.compression.together > 0;
    if (!is_packed) throw UsageError("the variable " + one.name + " is none of messages");
    const TimeAxis& axis = axes_.at(one.axis);
    const MessageTerms terms = terms_of(definition.dimensions, one, &axis);
    all_.push_back(
        {one.name, terms,
         Headers(grid(one.dimensions, one.compression), terms, reference_of(axis), definition.attributes)});
    axis_of_.push_back(one.axis);
  }
  offsets_.resize(all_.size());
  write_statics(definition);
}

/// Those that the configuration names; what says where points lie is in the grid, or nowhere.
void GribWriter::write_statics(const FileDefinition& definition) {
  for (const FileStatic& one : definition.statics) {
    if (!one.compression.is_packed() || one.compression.together == 0) continue;
    const FileVariable as_variable{one.name, one.type, one.dimensions, 0, one.attributes, one.compression};
    const MessageTerms terms = terms_of(definition.dimensions, as_variable, nullptr);
    all_.push_back({one.name, terms,
                    Headers(grid_of(definition, plane_of(one.dimensions, one.compression)), terms,
                            reference_of(axes_.at(0)), definition.attributes)});
    std::vector<Index> extents;
    for (const std::uint32_t d : one.dimensions) extents.push_back(definition.dimensions[d].size);
    const std::size_t element = size_bytes(one.type);
    std::uint32_t level = 0;
    for (const Region& region : chunk_regions(extents, packed_shape(extents, element, 0, one.compression))) {
      const std::vector<std::byte> dense = values_in(*one.values, extents, region, element);
      const PackedChunk packed = pack_as_grib(dense, one.type, one.compression);
      Added added{{}, {}, {}, {}, end_};
      add(static_cast<std::uint32_t>(all_.size() - 1), {&packed, 1}, level++, {}, added);
      write(added);
    }
  }
}

AxisGrowth GribWriter::grow(std::uint32_t axis) {
  const Index records = records_to_add(space_.at(axis), axes_[axis].first_records, axes_[axis].block_records);
  const AxisGrowth growth{space_[axis], records, {}, {}, {}};
  space_[axis] += records;
  return growth;
}

void GribWriter::take_times(std::uint32_t axis, Index, const RecordTimes& times) { times_.at(axis) = times; }

void GribWriter::add(std::uint32_t of, std::span<const PackedChunk> levels, std::uint32_t first,
                     const RecordTimes& times, Added& added) {
  Messages& messages = all_[of];
  const int discipline = messages.terms.parameter.parameter.discipline;
  const MessageTime time = whole_seconds(times, messages.terms.statistic.has_value());
  std::uint32_t level = first;
  for (const PackedChunk& packed : levels) {
    added.begins.push_back(
        begin_of_message(messages.headers.sections(level, time), packed.bytes.size(), discipline));
    added.offsets.push_back(added.end + added.begins.back().size());
    added.end += added.begins.back().size() + packed.bytes.size() + kEnd.size();
    added.lines.push_back({of, level++, times, packed.loss.value_or(Loss{})});
    added.pieces.emplace_back(packed.bytes);
  }
}

/// Nothing has changed where the disk has no space.
void GribWriter::write(Added& added) {
  std::vector<std::span<const std::byte>> pieces;
  for (std::size_t i = 0; i < added.pieces.size(); ++i) {
    pieces.emplace_back(added.begins[i]);
    pieces.push_back(added.pieces[i]);
    pieces.emplace_back(kEnd);
  }
  files_.reserve(path_, end_, added.end - end_);
  files_.open_parts(path_)->write_pieces_at(end_, pieces);
  end_ = added.end;
  lines_.insert(lines_.end(), added.lines.begin(), added.lines.end());
}

void GribWriter::write_packed(Index, std::span<const PackedRecord> variables) {
  Added added{{}, {}, {}, {}, end_};
  std::vector<std::size_t> ends;
  for (const PackedRecord& one : variables) {
    add(one.variable, one.chunks, 0, times_[axis_of_.at(one.variable)], added);
    ends.push_back(added.offsets.size());
  }
  write(added);
  std::size_t first = 0;
  for (std::size_t v = 0; v < variables.size(); ++v) {
    auto& offsets = offsets_[variables[v].variable];
    offsets.insert(offsets.end(), added.offsets.begin() + static_cast<std::ptrdiff_t>(first),
                   added.offsets.begin() + static_cast<std::ptrdiff_t>(ends[v]));
    first = ends[v];
  }
}

std::vector<std::uint64_t> GribWriter::packed_offsets(std::uint32_t variable, Index records) {
  const auto wanted = static_cast<std::size_t>(records) * all_.at(variable).terms.surfaces.size();
  const auto& offsets = offsets_[variable];
  return {offsets.begin(), offsets.begin() + static_cast<std::ptrdiff_t>(wanted)};
}

void GribWriter::remark(const std::string& name, const std::string& text) {
  const auto known = std::ranges::find(remarks_, name, &FileAttribute::name);
  if (known != remarks_.end()) remarks_.erase(known);
  remarks_.push_back({name, text});
}

void GribWriter::remark_on(std::uint32_t variable, const FileAttribute& attribute) {
  if (const auto* text = std::get_if<std::string>(&attribute.value))
    remark(all_.at(variable).name + ": " + attribute.name, *text);
}

void GribWriter::finish(std::span<const Index> records_of_axis) {
  for (std::size_t v = 0; v < offsets_.size(); ++v) {
    const auto records = static_cast<std::size_t>(records_of_axis[axis_of_[v]]);
    if (offsets_[v].size() != records * all_[v].terms.surfaces.size())
      throw UsageError("the variable " + all_[v].name + " has another number of records than its axis");
  }
}

std::string GribWriter::line_text(const Line& line) const {
  const Messages& messages = all_[line.of];
  const bool has_level = !messages.terms.levels.empty();
  std::string text = messages.name + "," + (has_level ? shortest(messages.terms.levels[line.level]) : "");
  const bool is_static = line.of >= offsets_.size();
  text += "," + (is_static ? "" : shortest(line.times.time_s));
  text += "," + (messages.terms.statistic ? shortest(line.times.begin_s) : "");
  for (const double number : {line.loss.bound, line.loss.largest, line.loss.rms})
    text += "," + shortest(number);
  return text + "," + std::to_string(line.loss.missing) + "\n";
}

void GribWriter::put_beside(const PutBytes& put) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  std::string text;
  const auto flush = [&] {
    put(bytes_of(text));
    text.clear();
  };
  if (!title_.empty()) text += "# title: " + on_one_line(title_) + "\n";
  for (const FileAttribute& one : remarks_)
    text += "# " + one.name + ": " + on_one_line(std::get<std::string>(one.value)) + "\n";
  text += kHead;
  std::size_t message = 0;
  for (const Line& line : lines_) {
    text += std::to_string(++message) + "," + line_text(line);
    if (text.size() >= kPiece) flush();
  }
  flush();
}

}  // namespace pileus::grib

namespace pileus {

PackedChunk pack_as_grib(std::span<const std::byte> chunk, ElementType type, const Compression& compression) {
  return grib::pack_level(grib::numbers_of(chunk, type), compression);
}

std::unique_ptr<FileWriter> create_grib(FileSystem& files, const std::string& path,
                                        const FileDefinition& definition) {
  const bool has_stripes = definition.on_disk.has_stripes() && !files.exists(path);
  if (has_stripes) set_stripes(path, definition.on_disk);  // which makes it
  const int new_alone = has_stripes ? 0 : O_EXCL;
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | new_alone | O_CLOEXEC, 0666);
  if (file < 0) throw OutputError(path + ": could not create it: " + std::generic_category().message(errno));
  ::close(file);
  try {
    return std::make_unique<grib::GribWriter>(files, path, definition);
  } catch (const DiskFullError& error) {
    files.remove(path);
    throw DiskFullError(error.what());  // all of it can be done again
  } catch (...) {
    files.remove(path);
    throw;
  }
}

}  // namespace pileus
