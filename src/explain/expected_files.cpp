#include "explain/expected_files.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "core/error.h"
#include "core/temporary_directory.h"
#include "disk/passing_files.h"
#include "explain/parts_of_servers.h"
#include "files/file_frames.h"
#include "files/file_layout.h"
#include "files/remarks.h"
#include "formats/all/all_formats.h"
#include "formats/folders/folder_files.h"
#include "formats/folders/folder_table.h"
#include "publishing/owner/library_file.h"
#include "publishing/writer_shares.h"
#include "time/file_timeline.h"

namespace pileus::explain {
namespace {

/// Files with more chunks are not laid out, as that takes longer than anybody waits.
constexpr std::uint64_t kMostChunks = 10'000;
/// Limits for one file and for all files. Each time that an axis grows, the library opens each of its
/// variables and looks through their chunks; more often than this takes longer than anybody waits.
constexpr std::uint64_t kMostGrowthsOfFile = 20'000, kMostGrowths = 100'000;
/// The space that the layouts may take on their disk: a block for each chunk, and the index that finds them.
constexpr std::uint64_t kSpaceForLayouts = 128 << 20;

/// A disk on which nothing is reserved, so that files have holes where their numbers would be.
class Unreserved : public PassingFiles {
 public:
  void reserve(const std::string&, std::uint64_t, std::uint64_t) override {}
  void give_back(const std::string&, std::uint64_t, std::uint64_t) override {}
};

/// They stand for the values that the model hands over once.
class Zeros : public ByteSource {
 public:
  explicit Zeros(std::uint64_t size_bytes) : size_bytes_(size_bytes) {}
  std::uint64_t size_bytes() const override { return size_bytes_; }
  void read(std::uint64_t, std::span<std::byte> out) const override { std::ranges::fill(out, std::byte{0}); }

 private:
  std::uint64_t size_bytes_;
};

/// Of all files of a folder, but for the table of its pieces.
std::uint64_t bytes_below(const std::string& folder) {
  std::uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().filename() != folders::kTable) bytes += entry.file_size();
  return bytes;
}

/// About as many chunks as the format makes: it cuts large records, and small ones share a chunk.
std::uint64_t chunks_of(const FileDefinition& definition, const std::vector<std::uint32_t>& order) {
  constexpr std::uint64_t kLargest = 16 << 20, kSmallest = 64 << 10;  // bytes
  std::uint64_t chunks = 0;
  for (const FileVariable& variable : definition.variables) {
    std::uint64_t bytes = size_bytes(variable.type);
    for (const std::uint32_t d : variable.dimensions)
      bytes *= static_cast<std::uint64_t>(definition.dimensions[d].size);
    const auto records = static_cast<std::uint64_t>(std::ranges::count(order, variable.axis));
    chunks += bytes < kSmallest ? 1 + records * bytes / kSmallest : records * (1 + bytes / kLargest);
  }
  return chunks;
}

/// How often the library opens a variable to let it grow.
std::uint64_t growths_of(const FileDefinition& definition, const std::vector<std::uint32_t>& order) {
  std::vector<std::uint64_t> variables(definition.axes.size(), 1);  // one for the time itself
  for (const FileVariable& variable : definition.variables) ++variables[variable.axis];
  FileChanges changes(definition);
  std::uint64_t growths = 0;
  for (const std::uint32_t axis : order) {
    for (const FileChange& change : changes.add_record(axis))
      growths += change.is_growth ? variables[axis] : 0;
  }
  return growths;
}

struct LaidOut {
  std::optional<std::uint64_t> size_bytes;
  std::vector<std::uint64_t> placements_bytes;
};

/// Everything that tells the layouts of the files of one series apart.
struct Contents {
  std::vector<std::uint32_t> order;  ///< the axis of each record, in the order of the run
  std::vector<Remark> remarks;       ///< of these the lengths of the texts count

  friend bool operator<(const Contents& a, const Contents& b) {
    const auto size = [](const Remark& remark) { return remark.text.size(); };
    if (a.order != b.order) return a.order < b.order;
    return std::ranges::lexicographical_compare(a.remarks, b.remarks, {}, size, size);
  }
};

/// Lays files out, those of the same form only once.
class Layouts {
 public:
  explicit Layouts(const Plan& plan)
      : plan_(plan), format_(all_formats(files_)), holes_(texts_of_holes(plan)) {}

  const LaidOut& of(FileId file, std::int64_t period, const Contents& contents) {
    const auto [place, is_new] = laid_out_.try_emplace({file, contents});
    if (is_new) place->second = lay_out({file, period}, contents);
    return place->second;
  }

 private:
  LaidOut lay_out(FilePeriod key, const Contents& contents) {
    // All texts are as long as those of a run, as everything else in the file is.
    const RunIdentity run{"0123456789abcdef", "2000-01-01T00:00:00Z written by Pileus " PILEUS_VERSION};
    FileDefinition definition = file_definition(plan_, key.file, run, holes_);
    definition.on_disk.stripe_count = definition.on_disk.stripe_bytes = 0;  // the folder is another
    LaidOut out;
    if (definition.kind->is_of_messages) return of_messages(key, definition, contents);
    const bool has_space = std::filesystem::space(folder_.path()).available >= kSpaceForLayouts;
    if (!has_space || chunks_of(definition, contents.order) > kMostChunks) return out;
    const std::uint64_t growths = growths_of(definition, contents.order);
    if (growths > std::min(kMostGrowthsOfFile, growths_left_)) return out;
    growths_left_ -= growths;
    const std::string path = folder_.path(std::to_string(laid_out_.size()) + definition.kind->extension);
    try {
      make(path, key, definition, contents, out);
      out.size_bytes = definition.kind->is_folder ? bytes_below(path) + plain_bytes(definition, contents)
                                                  : files_.open_source(path)->size_bytes();
    } catch (const OutputError&) {
      out = {};
    }
    std::filesystem::remove_all(path);
    return out;
  }

  /// Nothing is known of their lengths, and nothing has a place before it is packed.
  static LaidOut of_messages(FilePeriod key, const FileDefinition& definition, const Contents& contents) {
    LaidOut out;
    FileChanges changes(definition);
    std::vector<Index> space(definition.axes.size(), 0);
    for (const std::uint32_t axis : contents.order) {
      for (const FileChange& change : changes.add_record(axis)) {
        if (!change.is_growth) continue;
        const AxisGrowth growth{space[axis], change.records - space[axis], {}, {}, {}};
        space[axis] = change.records;
        out.placements_bytes.push_back(encode(Placement{key, axis, growth}).size());
      }
    }
    return out;
  }

  /// Chunks as they are have a length, though nothing is written of them here.
  std::uint64_t plain_bytes(const FileDefinition& definition, const Contents& contents) const {
    constexpr std::uint64_t kPlace = 16, kChecksum = 4;  // in the index of a shard, of a chunk and of all
    std::uint64_t bytes = 0;
    for (const FileVariable& variable : definition.variables) {
      if (variable.compression.codec != &codecs::plain()) continue;
      std::vector<Index> extents;
      for (const std::uint32_t d : variable.dimensions) extents.push_back(definition.dimensions[d].size);
      const auto chunks = format_->packed_regions(extents, variable.type, variable.compression);
      const auto records = static_cast<std::uint64_t>(std::ranges::count(contents.order, variable.axis));
      const auto together =
          static_cast<std::uint64_t>(format_->records_of_stretch(definition, variable.axis));
      const std::uint64_t shards = (records + together - 1) / together;
      for (const Region& chunk : chunks)
        bytes += records * static_cast<std::uint64_t>(chunk.size()) * size_bytes(variable.type);
      bytes += shards * (kPlace * together * chunks.size() + kChecksum);
    }
    return bytes;
  }

  static FileDefinition with_zeros(FileDefinition definition) {
    for (FileStatic& one : definition.statics) {
      std::size_t bytes = size_bytes(one.type);
      for (const std::uint32_t d : one.dimensions)
        bytes *= static_cast<std::size_t>(definition.dimensions[d].size);
      one.values = std::make_shared<const Zeros>(bytes);
    }
    return definition;
  }

  void make(const std::string& path, FilePeriod key, const FileDefinition& definition,
            const Contents& contents, LaidOut& out) {
    LibraryFile library(files_, definition.axes.size());
    library.make(*format_, path, with_zeros(definition));
    FileChanges changes(definition);
    std::vector<Index> records(definition.axes.size(), 0);
    for (const std::uint32_t axis : contents.order) {
      ++records[axis];
      for (const FileChange& change : changes.add_record(axis)) {
        if (!change.is_growth) continue;
        std::vector<AxisGrowth> growths;
        library.grow_to(axis, change.records, growths);
        for (const AxisGrowth& growth : growths)
          out.placements_bytes.push_back(encode(Placement{key, axis, growth}).size());
      }
    }
    for (const Remark& remark : contents.remarks) library.writer().remark(remark.name, remark.text);
    if (plan_[key.file].on_disk.is_in_parts) {
      std::vector<PartOfFile> parts = parts_of_servers(plan_, *format_, key, records);
      std::erase_if(parts, [](const PartOfFile& part) { return part.name.empty(); });
      library.writer().take_parts(std::move(parts), part_variables(plan_, key.file));
    }
    library.writer().finish(records);
    library.close();
  }

  const Plan& plan_;
  TemporaryDirectory folder_;
  Unreserved disk_;
  FolderFiles files_{disk_};
  std::unique_ptr<FileFormat> format_;
  std::map<VariableId, std::string> holes_;
  std::map<std::pair<FileId, Contents>, LaidOut> laid_out_;
  std::uint64_t growths_left_ = kMostGrowths;
};

/// Of numbers that are to be compressed; or that are not, and lie in parts.
std::uint64_t bytes_of(const Plan& plan, const ExpectedFile& file, bool are_packed) {
  const auto& schedules = plan[file.file].schedules;
  std::uint64_t bytes = 0;
  for (VariableId id : plan[file.file].variables) {
    const Variable& variable = plan[id];
    const bool is_packed = variable.storage.compression.is_packed();
    if (variable.storage.compression.codec == &codecs::plain()) continue;
    if (is_packed != are_packed || (!is_packed && !is_in_parts(plan, id))) continue;
    const auto axis = std::ranges::find(schedules, variable.schedule) - schedules.begin();
    const Index elements = Region{{}, plan.extents_in_file(variable)}.size();
    bytes += static_cast<std::uint64_t>(file.records[static_cast<std::size_t>(axis)] * elements) *
             size_bytes(variable.type);
  }
  return bytes;
}

/// Of a file of messages: as many bytes as it has if nothing is compressed.
std::uint64_t most_bytes(const Plan& plan, const ExpectedFile& file) {
  constexpr std::uint64_t kAroundNumbers = 400, kMostBits = 32;  // of each message, but for lists of rows
  const auto& schedules = plan[file.file].schedules;
  std::uint64_t bytes = 0;
  const auto add = [&](const Variable& variable, std::uint64_t records) {
    const Compression& compression = variable.storage.compression;
    if (compression.together == 0) return;
    std::uint64_t points = 1, levels = 1;
    for (std::size_t d = 0; d < variable.dimensions.size(); ++d) {
      const auto size = static_cast<std::uint64_t>(plan[variable.dimensions[d]].size);
      (d < static_cast<std::size_t>(compression.together) ? points : levels) *= size;
    }
    const std::uint64_t bits =
        compression.decimals ? kMostBits : static_cast<std::uint64_t>(compression.bits);
    // And a bit that says whether there is a number.
    bytes += records * levels * (kAroundNumbers + (points * (bits + 1) + 7) / 8);
  };
  for (const VariableId id : plan[file.file].variables) {
    const auto axis = std::ranges::find(schedules, plan[id].schedule) - schedules.begin();
    add(plan[id], static_cast<std::uint64_t>(file.records[static_cast<std::size_t>(axis)]));
  }
  for (const Variable& one : plan.statics)
    if (one.file == file.file) add(one, 1);
  return bytes;
}

/// The files of one series while the steps go by.
struct Series {
  static constexpr std::size_t kMostRecords = 10'000'000;
  std::size_t records = 0;
  std::map<std::int64_t, ExpectedFile> files;  ///< by period
  std::map<std::int64_t, Contents> contents;

  void take(const Plan& plan, FileId id, const std::vector<FileEvent>& events, const Step& now) {
    records += events.size();
    if (records > kMostRecords) {
      throw UsageError("the files \"" + plan[id].name + "\" get more than " + std::to_string(kMostRecords) +
                       " records in these steps: explain fewer, with --steps");
    }
    for (const FileEvent& event : events) {
      const auto [place, is_new] = files.try_emplace(event.mark.period);
      ExpectedFile& file = place->second;
      if (is_new) {
        file.file = id;
        file.period = event.mark.period;
        file.records.resize(plan[id].schedules.size());
        file.first_record_s = event.mark.time_s;
      }
      if (event.closes) {
        file.is_complete = true;
        file.complete_s = now.time;
        contents[event.mark.period].remarks = remarks_of_end(plan[id], {now.done(), now.time});
        continue;
      }
      ++file.records[event.axis];
      file.last_record_s = std::max(file.last_record_s, event.mark.time_s);
      contents[event.mark.period].order.push_back(event.axis);
    }
  }
};

}  // namespace

Steps even_steps(const Plan& plan, double timestep_s, double start_time_s,
                 std::optional<std::int64_t> count) {
  std::int64_t enough = 1;
  for (const PlannedFile& file : plan.files) {
    if (file.write_frequency.is_given()) {
      const double period_s = Boundaries(file.write_frequency).period();
      enough = std::max(
          enough,
          static_cast<std::int64_t>(std::min(period_s / timestep_s, static_cast<double>(kMostSteps))) + 1);
    }
    enough = std::max(enough, file.write_frequency_steps);
  }
  Steps steps{{}, start_time_s, count.has_value()};
  const std::int64_t last = std::min(count.value_or(enough), kMostSteps);
  for (std::int64_t n = 1; n <= last; ++n) {
    Step step{n, start_time_s + static_cast<double>(n) * timestep_s, timestep_s};
    step.is_final = steps.is_whole_run && n == last;
    steps.steps.push_back(step);
  }
  return steps;
}

Steps uneven_steps(const std::vector<double>& lengths_s, double start_time_s) {
  Steps steps{{}, start_time_s, true};
  double time_s = start_time_s;
  for (const double length_s : lengths_s) {
    time_s += length_s;
    steps.steps.push_back({std::ssize(steps.steps) + 1, time_s, length_s});
  }
  if (!steps.steps.empty()) steps.steps.back().is_final = 1;
  return steps;
}

Steps with_initial_state(Steps steps) {
  steps.steps.insert(steps.steps.begin(), Step{0, steps.start_time_s, 0});
  return steps;
}

std::vector<ExpectedFile> expected_files(const Plan& plan, const Steps& steps) {
  Layouts layouts(plan);
  std::vector<ExpectedFile> all;
  for (std::uint32_t f = 0; f < plan.files.size(); ++f) {
    Series series;
    FileTimeline timeline(plan, FileId(f), steps.start_time_s);
    for (const Step& step : steps.steps) series.take(plan, FileId(f), timeline.advance(step), step);
    if (steps.is_whole_run && !steps.steps.empty())
      series.take(plan, FileId(f), timeline.finish(), steps.steps.back());
    for (auto& [period, file] : series.files) {
      const std::int64_t last = steps.is_whole_run ? steps.steps.back().index : INT64_MAX;
      file.name = file_name(plan.files[f], plan.time, period, last);
      const LaidOut& laid_out = layouts.of(FileId(f), period, series.contents[period]);
      file.size_bytes = laid_out.size_bytes;
      file.placements_bytes = laid_out.placements_bytes;
      file.packed_bytes = bytes_of(plan, file, true);
      file.parts_bytes = bytes_of(plan, file, false);
      if (plan.files[f].kind->is_of_messages) file.most_bytes = most_bytes(plan, file);
      all.push_back(std::move(file));
    }
  }
  return all;
}

}  // namespace pileus::explain
