#include "publishing/owner/rebuild.h"

#include <algorithm>

#include "core/error.h"
#include "state/manifest.h"

namespace pileus {
namespace {

constexpr std::size_t kCopiedBytes = std::size_t{1} << 20;

/// The records of the growth from `first` on.
AxisGrowth from(AxisGrowth growth, Index first) {
  const Index skipped = std::max<Index>(0, first - growth.first_record);
  growth.first_record += skipped;
  growth.records -= skipped;
  const auto skip = [&](auto& of_record) {
    if (!of_record.empty()) of_record.erase(of_record.begin(), of_record.begin() + skipped);
  };
  for (auto& [variable, records] : growth.variables) records.drop_first(static_cast<std::size_t>(skipped));
  skip(growth.time_offsets);
  skip(growth.bounds_offsets);
  return growth;
}

void join(std::vector<FileRange>& ranges) {
  std::ranges::sort(ranges, {}, &FileRange::offset);
  std::size_t last = 0;
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    if (ranges[last].offset + ranges[last].length == ranges[i].offset) {
      ranges[last].length += ranges[i].length;
    } else {
      ranges[++last] = ranges[i];
    }
  }
  if (!ranges.empty()) ranges.resize(last + 1);
}

[[noreturn]] void fail_as_changed(const std::string& path, const std::string& what) {
  throw OutputError(path + ": could not continue it: " + what +
                    " is not what the run before wrote: its checksum is another; continue from another "
                    "checkpoint, or bring the file back from a copy");
}

class LayingOut {
 public:
  LayingOut(LibraryFile& library, const std::string& path, const FileDefinition& definition,
            const FileUnderWay& state)
      : library_(library), path_(path), definition_(definition), state_(state) {
    const bool is_known = std::ranges::all_of(
        state.records, [&](const KeptRecord& record) { return record.axis < definition.axes.size(); });
    require(is_known && state.chunks.size() == definition.variables.size());
    counts_ = state.counts(definition.axes.size());
    out_.time_offsets.resize(counts_.size());
    out_.bounds_offsets.resize(counts_.size());
    out_.ends.resize(counts_.size());
    out_.bytes.resize(counts_.size());
    next_chunk_.assign(definition.variables.size(), 0);
  }

  LaidOut run(FileFormat& format) {
    for (const FileVariable& variable : definition_.variables)
      regions_.push_back(regions_of(format, variable));
    for (std::size_t v = 0; v < regions_.size(); ++v) {
      const auto records = static_cast<std::size_t>(counts_[definition_.variables[v].axis]);
      require(state_.chunks[v].size() == records * regions_[v]);
    }
    library_.make(format, path_, definition_);
    FileChanges changes(definition_);
    for (const KeptRecord& record : state_.records) {
      for (const FileChange& change : changes.add_record(record.axis)) {
        if (change.is_growth) {
          grow(change);
        } else {
          write_packed(change, record.mark);
        }
      }
    }
    if (library_.layout() != state_.layout) {
      throw OutputError(
          path_ +
          ": could not continue it: the file library lays it out in another way than the run that "
          "began it; use the same versions of netCDF and HDF5");
    }
    find_chunks();
    take_sums();
    join(out_.records);
    return std::move(out_);
  }

 private:
  void require(bool is_possible) const {
    if (!is_possible) {
      throw OutputError(path_ +
                        ": could not continue it: its state in the checkpoint is that of another file");
    }
  }

  /// Chunks of one record.
  std::size_t regions_of(FileFormat& format, const FileVariable& variable) const {
    if (!variable.compression.is_packed()) return 0;
    std::vector<Index> extents;
    for (std::uint32_t d : variable.dimensions) extents.push_back(definition_.dimensions[d].size);
    return format.packed_regions(extents, variable.type, variable.compression).size();
  }

  void grow(const FileChange& change) {
    std::vector<AxisGrowth> growths;
    library_.grow_to(change.axis, change.records, growths);
    for (AxisGrowth& growth : growths) {
      auto& times = out_.time_offsets[change.axis];
      auto& bounds = out_.bounds_offsets[change.axis];
      times.insert(times.end(), growth.time_offsets.begin(), growth.time_offsets.end());
      bounds.insert(bounds.end(), growth.bounds_offsets.begin(), growth.bounds_offsets.end());
      const std::vector<std::uint64_t> ends = record_ends(growth, definition_);
      out_.ends[change.axis].insert(out_.ends[change.axis].end(), ends.begin(), ends.end());
      for (std::vector<FileRange>& ranges : record_ranges(growth, definition_))
        out_.bytes[change.axis].push_back({std::move(ranges)});
      const Index there = std::clamp<Index>(counts_[change.axis] - growth.first_record, 0, growth.records);
      for (const auto& [variable, records] : growth.variables) {
        const std::size_t element = size_bytes(definition_.variables[variable].type);
        for (std::size_t i = 0; i < static_cast<std::size_t>(there); ++i) {
          const RecordPlacement record = records[i];
          for (const Block& block : record.blocks) {
            out_.records.push_back({block.offset, static_cast<std::uint64_t>(block.region.size()) * element});
          }
        }
      }
      if (there < growth.records) {
        out_.free.emplace_back(change.axis, from(std::move(growth), counts_[change.axis]));
      }
    }
  }

  /// Chunks of the right lengths: only these change the layout. Their bytes are copied later.
  void write_packed(const FileChange& change, const RecordMark& mark) {
    std::vector<PackedRecord> record;
    for (std::uint32_t v = 0; v < regions_.size(); ++v) {
      if (regions_[v] == 0 || definition_.variables[v].axis != change.axis) continue;
      record.push_back({v, {}});
      for (std::size_t i = 0; i < regions_[v]; ++i) {
        const ChunkLayout& layout = state_.chunks[v][next_chunk_[v]++];
        record.back().chunks.push_back(
            {Bytes(layout.size_bytes), layout.skipped_filters, layout.loss, layout.audit});
      }
    }
    library_.write_packed(change.axis, change.records, {mark.time_s, mark.begin_s, mark.end_s}, record);
  }

  /// The checksums of the run before, so that nobody has to read these records again.
  void take_sums() {
    std::vector<std::size_t> next(counts_.size(), 0);
    for (const KeptRecord& record : state_.records) {
      RecordBytes& bytes = out_.bytes[record.axis].at(next[record.axis]++);
      if (bytes.ranges == record.bytes.ranges) bytes = record.bytes;
    }
  }

  void find_chunks() {
    for (std::uint32_t v = 0; v < regions_.size(); ++v) {
      if (regions_[v] == 0) continue;
      const Index records = counts_[definition_.variables[v].axis];
      const std::vector<std::uint64_t> offsets = library_.writer().packed_offsets(v, records);
      for (std::size_t i = 0; i < offsets.size(); ++i) {
        const ChunkLayout& layout = state_.chunks[v][i];
        out_.records.push_back({offsets[i], layout.size_bytes});
        const auto record = static_cast<Index>(i / regions_[v]);
        out_.chunks.push_back(
            {definition_.variables[v].name, record, {offsets[i], layout.size_bytes}, layout.checksum});
      }
    }
  }

  LibraryFile& library_;
  const std::string& path_;
  const FileDefinition& definition_;
  const FileUnderWay& state_;
  std::vector<Index> counts_;            ///< by axis: records that are there
  std::vector<std::size_t> regions_;     ///< by variable: chunks of a record, if it is compressed
  std::vector<std::size_t> next_chunk_;  ///< likewise
  LaidOut out_;
};

}  // namespace

std::vector<std::uint64_t> record_ends(const AxisGrowth& growth, const FileDefinition& definition) {
  std::vector<std::uint64_t> ends(static_cast<std::size_t>(growth.records), 0);
  for (const auto& [variable, records] : growth.variables) {
    const std::size_t element = size_bytes(definition.variables[variable].type);
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const RecordPlacement record = records[i];
      for (const Block& block : record.blocks) {
        ends[i] = std::max(ends[i], block.offset + static_cast<std::uint64_t>(block.region.size()) * element);
      }
    }
  }
  return ends;
}

std::vector<std::vector<FileRange>> record_ranges(const AxisGrowth& growth,
                                                  const FileDefinition& definition) {
  std::vector<std::vector<FileRange>> ranges(static_cast<std::size_t>(growth.records));
  for (const auto& [variable, records] : growth.variables) {
    const std::size_t element = size_bytes(definition.variables[variable].type);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      const RecordPlacement record = records[i];
      for (const Block& block : record.blocks)
        ranges[i].push_back({block.offset, static_cast<std::uint64_t>(block.region.size()) * element});
    }
  }
  for (std::vector<FileRange>& of_record : ranges) join(of_record);
  return ranges;
}

std::uint32_t checksum_of(SourceFile& file, const std::vector<FileRange>& ranges) {
  Bytes bytes;
  std::uint32_t sum = 0;
  for (const FileRange& range : ranges) {
    for (std::uint64_t done = 0; done < range.length; done += bytes.size()) {
      bytes.resize(std::min<std::uint64_t>(kCopiedBytes, range.length - done));
      file.read_at(range.offset + done, bytes);
      sum = checksum(bytes, sum);
    }
  }
  return sum;
}

void require_records(FileSystem& files, const std::string& path, const FileUnderWay& state) {
  const auto file = files.open_source(path);
  std::vector<Index> next(state.axes.size(), 0);
  for (const KeptRecord& record : state.records) {
    const Index number = next[record.axis]++;
    if (!record.bytes.is_summed || checksum_of(*file, record.bytes.ranges) == record.bytes.checksum) continue;
    fail_as_changed(path, "record " + std::to_string(number) + " of " + state.axes[record.axis]);
  }
}

void require_chunks(FileSystem& files, const std::string& path, const std::vector<LaidChunk>& chunks) {
  const auto file = files.open_source(path);
  for (const LaidChunk& chunk : chunks) {
    if (checksum_of(*file, {chunk.range}) != chunk.checksum)
      fail_as_changed(path, "record " + std::to_string(chunk.record) + " of " + chunk.variable);
  }
}

LaidOut lay_out_again(LibraryFile& library, FileFormat& format, const std::string& path,
                      const FileDefinition& definition, const FileUnderWay& state) {
  return LayingOut(library, path, definition, state).run(format);
}

void copy_ranges(FileSystem& files, const std::string& from, const std::string& to,
                 const std::vector<FileRange>& ranges) {
  const auto source = files.open_source(from);
  const auto copy = files.open_parts(to);
  Bytes bytes(kCopiedBytes);
  for (const FileRange& range : ranges) {
    for (std::uint64_t done = 0; done < range.length; done += kCopiedBytes) {
      const auto piece = std::span(bytes).first(std::min<std::uint64_t>(kCopiedBytes, range.length - done));
      source->read_at(range.offset + done, piece);
      copy->write_at(range.offset + done, piece);
    }
  }
  copy->sync();
}

std::string name_aside(const std::string& name, std::int64_t step) {
  return name + ".until-step-" + std::to_string(step);
}

std::string source_of(FileSystem& files, const std::string& directory, const FileUnderWay& state,
                      std::int64_t step) {
  // Another run from the same checkpoint may have put it aside, and written another under its name.
  for (const std::string& name :
       {state.temporary_name, name_aside(state.final_name, step), state.final_name}) {
    const std::string path = directory + "/" + name;
    if (!files.exists(path)) continue;
    const std::uint64_t size = files.open_source(path)->size_bytes();
    if (size >= state.needed_bytes) return path;
    throw OutputError(path + ": could not continue it: it has " + std::to_string(size) +
                      " bytes, and its records up to the checkpoint take " +
                      std::to_string(state.needed_bytes) + "; continue from another checkpoint");
  }
  throw OutputError(directory + "/" + state.final_name +
                    ": could not continue it: its records up to the checkpoint are gone, neither this file "
                    "nor " +
                    state.temporary_name +
                    " is there; bring one of them back, or continue from another checkpoint");
}

void require_parts(FileSystem& files, const std::string& directory, const FileUnderWay& state) {
  const std::size_t slash = state.final_name.rfind('/');
  const std::string folder =
      slash == std::string::npos ? directory : directory + "/" + state.final_name.substr(0, slash);
  for (const PartOfFile& part : state.parts) {
    const std::string path = folder + "/" + part.name;
    const std::uint64_t needed = part.size_bytes();
    if (files.exists(path) && files.open_source(path)->size_bytes() >= needed) continue;
    throw OutputError(path + ": could not continue " + state.final_name + ": " +
                      (files.exists(path) ? "it is shorter than the " + std::to_string(needed) +
                                                " bytes of its records up to the checkpoint"
                                          : "it has records from before the checkpoint, and is gone") +
                      "; bring it back, or continue from another checkpoint");
  }
}

bool are_equal(FileSystem& files, const std::string& one, const std::string& other) {
  const auto first = files.open_source(one), second = files.open_source(other);
  const std::uint64_t size = first->size_bytes();
  if (size != second->size_bytes()) return false;
  Bytes a(kCopiedBytes), b(kCopiedBytes);
  for (std::uint64_t at = 0; at < size; at += kCopiedBytes) {
    const std::size_t length = std::min<std::uint64_t>(kCopiedBytes, size - at);
    first->read_at(at, std::span(a).first(length));
    second->read_at(at, std::span(b).first(length));
    if (!std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(length), b.begin())) return false;
  }
  return true;
}

}  // namespace pileus
