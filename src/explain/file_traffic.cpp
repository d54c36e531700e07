#include "explain/file_traffic.h"

#include <algorithm>
#include <set>

#include "analytics/rule_runner.h"
#include "explain/packed_variables.h"
#include "explain/parts_of_servers.h"
#include "files/file_frames.h"
#include "files/file_layout.h"
#include "formats/all/all_formats.h"
#include "levels/block_means.h"
#include "publishing/owner/static_parts.h"

namespace pileus::explain {
namespace {

/// The size of compressed numbers: the least if all are alike, the most if they cannot be compressed
/// (deflate, RFC 1951; what others leave of equal numbers has no such bound).
ByteBounds packed_bytes(std::uint64_t bytes, const Codec& codec) {
  constexpr std::uint64_t kBestRatio = 1032, kFrame = 6;
  constexpr std::uint64_t kHeader = 64;  // more than those of zstd and blosc
  constexpr std::uint64_t kMostAroundLevel = 128;
  if (std::ranges::count(all_packings(), &codec) > 0)  // 32 bits of each number, and perhaps a bitmap
    return {1, bytes + bytes / 8 + kMostAroundLevel};
  const std::uint64_t least = &codec == &codecs::deflate() ? kFrame + bytes / kBestRatio : 1;
  return {least, bytes + bytes / 128 + kHeader};
}

class FileTraffic {
 public:
  FileTraffic(const Plan& plan, ExpectedRun& run) : plan_(plan), run_(run), packed_(plan) {}

  void add(const ExpectedFile& file, bool is_whole_run) {
    const PlannedFile& planned = plan_[file.file];
    const FilePeriod key{file.file, file.period};
    for (const ServerRank writer : other_writers(file.file)) {
      for (const std::uint64_t bytes : file.placements_bytes)
        send(planned.owner, ServerFrame::placement, bytes);
      add_progress(file, is_whole_run);
      if (!file.is_complete) continue;
      send(planned.owner, ServerFrame::closing, encode(Closing{key, false, false, file.records}).size());
      PartsDone done{key, "", {}};
      if (planned.on_disk.is_in_parts)
        done.part = parts_of_servers(plan_, *format_, key, file.records).at(writer);
      send(writer, ServerFrame::parts_done, encode(done).size());
    }
    for (VariableId id : planned.variables) {
      const Index records = file.records[axis_of(file.file, plan_[id].schedule)];
      packed_.has_chunks(id) ? add_chunks(key, id, records) : add_parts(id, records);
    }
  }
  /// Adds the variables without a time axis, as they come in the first step.
  void add_statics() {
    for (std::size_t i = 0; i < plan_.statics.size(); ++i) {
      const Variable& variable = plan_.statics[i];
      const Value& value = plan_[variable.value];
      const ServerRank owner = plan_[variable.file].owner;
      const auto send_part = [&](ServerRank from, const Region& region) {
        if (from == owner) return;
        Record record;
        record.variable = VariableId(i);
        record.region = region;
        const ElementType type = value.form == Form::partials ? ElementType::float64 : value.type;
        const auto bytes = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(region.size()) *
                                                                    size_bytes(type));
        record.value = Array{type, region.count, {bytes, bytes->data()}};
        send(from, ServerFrame::static_part, encode(Part{record, 0}, ServerFrame::static_part).size());
        if (bytes_in_file(plan_, variable) <= kMostInMemory) return;
        send(from, ServerFrame::static_offer, encode(StaticOffer{}).size());
        send(owner, ServerFrame::static_turn, encode_static_turn(0).size());
      };
      if (value.spread == Spread::distributed) {
        const std::vector<Region> regions = regions_of_value(plan_, variable.value);
        for (ClientRank rank = 0; rank < plan_.layout.clients; ++rank)
          send_part(plan_.layout.server_of(rank), regions[rank]);
      } else {
        const std::vector<Index> extents = plan_.extents(variable.value);
        const Region whole{std::vector<Index>(extents.size(), 0), extents};
        send_part(value.spread == Spread::rooted ? value.root : 0, whole);
      }
    }
  }
  /// Adds the messages that no further file comes, and no further part of a model rank.
  void add_end() {
    for (std::uint32_t f = 0; f < plan_.files.size(); ++f) {
      for (std::size_t i = other_writers(FileId(f)).size(); i > 0; --i)
        send(plan_.files[f].owner, ServerFrame::closing,
             encode(Closing{{FileId(f), 0}, false, true, {}}).size());
    }
    for (ClientRank rank = 0; rank < plan_.layout.clients; ++rank) {
      const ServerRank from = plan_.layout.server_of(rank);
      std::set<ServerRank> concerned = packed_.packing().concerned_by(rank);
      for (const Variable& variable : plan_.statics) concerned.insert(plan_[variable.file].owner);
      concerned.erase(from);
      for (std::size_t i = concerned.size(); i > 0; --i)
        send(from, ServerFrame::client_end, sizeof(ServerFrame) + sizeof(ClientRank));
    }
  }

 private:
  void send(ServerRank from, ServerFrame kind, const ByteBounds& bytes, std::int64_t most_messages = 1,
            std::int64_t least_messages = 1) {
    run_.of_server[from].least[kind_index(kind)] += {least_messages, static_cast<std::int64_t>(bytes.least)};
    run_.of_server[from].most[kind_index(kind)] += {most_messages, static_cast<std::int64_t>(bytes.most)};
  }
  void send(ServerRank from, ServerFrame kind, std::uint64_t bytes) {
    send(from, kind, ByteBounds{bytes, bytes});
  }

  bool is_packed(VariableId id) const { return plan_[id].storage.compression.is_packed(); }
  bool is_distributed(VariableId id) const { return plan_[plan_[id].value].spread == Spread::distributed; }
  std::size_t axis_of(FileId file, ScheduleId schedule) const {
    const auto& schedules = plan_[file].schedules;
    return static_cast<std::size_t>(std::ranges::find(schedules, schedule) - schedules.begin());
  }

  /// The servers besides the owner that write parts of the file. A server that compresses some of it has
  /// model ranks, or is the owner; one that writes slabs may have none.
  std::vector<ServerRank> other_writers(FileId file) const {
    std::set<ServerRank> writers;
    const bool have_all = std::ranges::any_of(plan_[file].variables, [&](VariableId id) {
      return is_packed(id) || (is_distributed(id) && !packed_.has_chunks(id));
    });
    if (packed_.are_any()) writers = packed_.packing().packers(file);
    for (ClientRank client = 0; have_all && client < plan_.layout.clients; ++client)
      writers.insert(plan_.layout.server_of(client));
    writers.erase(plan_[file].owner);
    return {writers.begin(), writers.end()};
  }

  /// Adds the messages to writers: they hear of each record of compressed variables in the file. When the
  /// first model rank ends, they also hear how many records each open file will have.
  void add_progress(const ExpectedFile& file, bool is_whole_run) {
    std::set<std::size_t> axes;
    for (VariableId id : plan_[file.file].variables) {
      if (is_packed(id) && !is_in_parts(plan_, id)) axes.insert(axis_of(file.file, plan_[id].schedule));
    }
    const std::uint64_t bytes = encode(Progress{}).size();
    for (const std::size_t axis : axes) {
      const auto least = static_cast<std::uint64_t>(file.records[axis]);
      const std::uint64_t most = is_whole_run ? 2 * least + 1 : least;
      send(plan_[file.file].owner, ServerFrame::progress, {least * bytes, most * bytes},
           static_cast<std::int64_t>(most), static_cast<std::int64_t>(least));
    }
  }

  /// Adds the parts that lie on another server than the file's owner, who gets them.
  void add_parts(VariableId id, Index records) {
    if (is_distributed(id)) return;
    const ServerRank from = holder_of(id), owner = plan_[plan_[id].file].owner;
    if (from == owner) return;
    const std::uint64_t bytes = part_bytes(id, plan_.extents(plan_[id].value));
    for (Index n = records; n > 0; --n) send(from, ServerFrame::part, bytes);
  }
  ServerRank holder_of(VariableId id) const {
    const Value& value = plan_[plan_[id].value];
    return value.spread == Spread::rooted ? value.root : 0;
  }

  /// Adds what lies in a chunk and goes to the server that makes it, and the chunk, which goes to the owner
  /// if it is compressed.
  void add_chunks(FilePeriod key, VariableId id, Index records) {
    const auto& chunks = packed_.packing().chunks(id);
    const ServerRank owner = plan_[key.file].owner;
    for (std::uint32_t c = 0; c < chunks.size(); ++c) {
      const Packing::Chunk& chunk = chunks[c];
      if (is_distributed(id)) {
        for (ClientRank rank = 0; rank < plan_.layout.clients; ++rank) {
          if (packed_.packing().has_part(id, c, rank))
            add_cut(plan_.layout.server_of(rank), chunk, id, packed_.region(id, rank), records);
        }
      } else {
        const std::vector<Index> extents = plan_.extents(plan_[id].value);
        add_cut(holder_of(id), chunk, id, {std::vector<Index>(extents.size(), 0), extents}, records);
      }
      if (chunk.packer == owner || is_in_parts(plan_, id) || !is_packed(id)) continue;
      ByteBounds bytes =
          packed_bytes(static_cast<std::uint64_t>(in_file_of(id, chunk).size()) * size_bytes(plan_[id].type),
                       *plan_[id].storage.compression.codec);
      const std::uint64_t frame = encode(PackedPart{key, 0, 0, c, {}}).size();
      bytes += ByteBounds{frame, frame};
      for (Index n = records; n > 0; --n) send(chunk.packer, ServerFrame::packed_part, bytes);
    }
  }
  Region in_file_of(VariableId id, const Packing::Chunk& chunk) const {
    const auto& level = plan_[id].level;
    return level ? blocks_of_region(chunk.region, level->lengths) : chunk.region;
  }
  void add_cut(ServerRank from, const Packing::Chunk& chunk, VariableId id, const Region& part,
               Index records) {
    if (from == chunk.packer) return;
    const Region cut = common(in_file(part, value_layout(plan_, id)), chunk.region);
    const std::uint64_t bytes = part_bytes(id, cut.count);
    for (Index n = records; n > 0; --n) send(from, ServerFrame::part, bytes);
  }

  /// The size of the message that brings so many numbers of a record.
  std::uint64_t part_bytes(VariableId id, const std::vector<Index>& count) const {
    const Variable& variable = plan_[id];
    const Value& value = plan_[variable.value];
    const bool is_as_sampled = plan_[variable.schedule].keeps_type();
    const ElementType type = is_as_sampled && value.form == Form::numbers ? value.type : ElementType::float64;
    // Numbers come last, so one element tells how long the rest is.
    Part part;
    part.record.region = {std::vector<Index>(count.size(), 0), std::vector<Index>(count.size(), 1)};
    auto zeros = std::make_shared<Bytes>(size_bytes(type));
    part.record.value = Array{type, part.record.region.count, {zeros, zeros->data()}};
    const auto elements = static_cast<std::uint64_t>(Region{{}, count}.size());
    return encode(part).size() - size_bytes(type) + elements * size_bytes(type);
  }

  const Plan& plan_;
  ExpectedRun& run_;
  PackedVariables packed_;
  const std::unique_ptr<FileSystem> disk_ = posix_file_system();
  const std::unique_ptr<FileFormat> format_ = all_formats(*disk_);
};

}  // namespace

void add_file_traffic(const Plan& plan, const Steps& steps, const std::vector<ExpectedFile>& files,
                      ExpectedRun& run) {
  FileTraffic traffic(plan, run);
  if (!steps.steps.empty()) traffic.add_statics();
  for (const ExpectedFile& file : files) traffic.add(file, steps.is_whole_run);
  if (steps.is_whole_run) traffic.add_end();
}

}  // namespace pileus::explain
