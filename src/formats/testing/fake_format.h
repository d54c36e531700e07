#pragma once
// A file format that hands out addresses one behind the other and notes what it is asked for. Each record is
// its time, its bounds where the axis has some, then each variable of the axis as one dense block.

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/error.h"
#include "disk/testing/memory_files.h"
#include "formats/format.h"

namespace pileus::testing {

class FakeFormat : public FileFormat {
 public:
  explicit FakeFormat(MemoryFiles& disk) : disk_(disk) {}

  std::vector<std::string> calls;  ///< "create f", "grow f 0", "finish f 2 1"
  std::set<std::string> failing;   ///< calls that fail
  std::size_t full_at = 0;         ///< the disk is full at this call, from 1, and that once; 0: never
  Index records_at_once = 1000;    ///< less than the axis asks for: growth in smaller pieces
  bool is_packing_broken = false;
  Index rows_at_once = 0;  ///< along the slowest dimension, in a compressed piece; 0: all

  std::unique_ptr<FileWriter> create(const std::string& path, const FileDefinition& definition) override {
    note("create " + path);
    disk_.files[path] = {};
    return std::make_unique<Writer>(*this, path, definition);
  }
  std::vector<Region> packed_regions(const std::vector<Index>& extents, ElementType,
                                     const Compression&) const override {
    Region piece{std::vector<Index>(extents.size(), 0), extents};
    if (extents.empty() || rows_at_once == 0) return {piece};
    std::vector<Region> pieces;
    piece.count.back() = rows_at_once;
    for (Index& row = piece.start.back(); row < extents.back(); row += rows_at_once) pieces.push_back(piece);
    return pieces;
  }
  /// The bytes as they are.
  PackedChunk pack(std::span<const std::byte> chunk, ElementType, const Compression&) const override {
    if (is_packing_broken) throw OutputError("no memory to compress");
    return {{chunk.begin(), chunk.end()}, 0};
  }
  EndOfPart end_of_part(const PartOfFile&, const std::vector<PartVariable>&,
                        std::uint64_t size_bytes) const override {
    return {size_bytes, {}, std::vector<std::byte>(kHeadOfPart, std::byte{1})};
  }
  std::array<std::vector<double>, 2> read_places(const std::string&, Index, Index) override { return {}; }
  Index records_of_stretch(const FileDefinition&, std::uint32_t) const override { return 0; }
  LinkRows read_links(const std::string&, const GridsOfWeights&, Index, Index) override { return {}; }
  GridOfFile read_grid(const std::string&) override { return {}; }
  std::unique_ptr<InputSource> open_input(const std::string& path) override {
    throw UsageError(path + ": there is no such file");
  }

 private:
  class Writer : public FileWriter {
   public:
    Writer(FakeFormat& format, std::string path, FileDefinition definition)
        : format_(format), path_(std::move(path)), definition_(std::move(definition)) {
      space_.resize(definition_.axes.size());
    }
    AxisGrowth grow(std::uint32_t axis) override {
      format_.note("grow " + path_ + " " + std::to_string(axis));
      const TimeAxis& grown = definition_.axes[axis];
      AxisGrowth growth{space_[axis], std::min(grown.block_records, format_.records_at_once), {}, {}, {}};
      space_[axis] += growth.records;
      for (Index r = 0; r < growth.records; ++r) growth.time_offsets.push_back(take(8));
      for (Index r = 0; r < growth.records && grown.has_bounds; ++r)
        growth.bounds_offsets.push_back(take(16));
      for (std::uint32_t v = 0; v < definition_.variables.size(); ++v) {
        if (definition_.variables[v].axis != axis || definition_.variables[v].compression.is_packed())
          continue;
        growth.variables.emplace_back(v, RecordPlacements());
        for (Index r = 0; r < growth.records; ++r) {
          growth.variables.back().second.push_back({{place(definition_.variables[v])}});
        }
      }
      return growth;
    }
    void write_packed(Index record, std::span<const PackedRecord> variables) override {
      std::string text = "packed " + path_ + " " + std::to_string(record);
      for (const PackedRecord& packed : variables) {
        text += " " + std::to_string(packed.variable);
        // What the chunks hold, where they hold anything.
        for (const PackedChunk& chunk : packed.chunks) {
          if (!chunk.bytes.empty()) text += "/" + std::to_string(std::to_integer<int>(chunk.bytes.front()));
        }
      }
      format_.note(text);
      for (const PackedRecord& packed : variables) {
        for (const PackedChunk& chunk : packed.chunks) {
          const std::uint64_t at = take(chunk.bytes.size());
          packed_[packed.variable].push_back(at);
          std::ranges::copy(chunk.bytes,
                            format_.disk_.files.at(path_).begin() + static_cast<std::ptrdiff_t>(at));
        }
      }
    }
    std::vector<std::uint64_t> packed_offsets(std::uint32_t variable, Index) override {
      return packed_[variable];
    }
    void remark(const std::string& name, const std::string& text) override {
      format_.note("remark " + path_ + " " + name + "=" + text);
    }
    void remark_on(std::uint32_t variable, const FileAttribute& attribute) override {
      format_.note("remark " + path_ + " on " + std::to_string(variable) + " " + attribute.name);
    }
    void finish(std::span<const Index> records_of_axis) override {
      std::string text = "finish " + path_;
      for (Index records : records_of_axis) text += " " + std::to_string(records);
      format_.note(text);
    }

   private:
    std::uint64_t take(std::size_t length) {
      const std::uint64_t at = end_;
      end_ += length;
      format_.disk_.files.at(path_).resize(end_);
      return at;
    }
    Block place(const FileVariable& variable) {
      Region whole;
      for (std::uint32_t d : variable.dimensions) whole.count.push_back(definition_.dimensions[d].size);
      whole.start.resize(whole.count.size());
      return {take(static_cast<std::size_t>(whole.size()) * size_bytes(variable.type)), whole};
    }

    FakeFormat& format_;
    std::string path_;
    FileDefinition definition_;
    std::vector<Index> space_;
    std::map<std::uint32_t, std::vector<std::uint64_t>> packed_;
    std::uint64_t end_ = 0;
  };

  void note(const std::string& call) {
    calls.push_back(call);
    if (failing.contains(call)) throw OutputError(call + ": the disk is full");
    if (calls.size() == full_at) throw DiskFullError(call + ": no space");
  }

  MemoryFiles& disk_;
};

}  // namespace pileus::testing
