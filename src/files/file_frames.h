#pragma once
// What the owner of a file and the servers that write parts of it tell each other. Each encode begins with
// the kind.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/encoder.h"
#include "formats/format.h"
#include "information/bit_pairs.h"
#include "messaging/frames.h"
#include "selection/difference.h"
#include "time/record.h"

namespace pileus {

/// One output file of one write period.
struct FilePeriod {
  FileId file;
  std::int64_t period = 0;
  friend auto operator<=>(const FilePeriod&, const FilePeriod&) = default;
};

/// Owner → writers: where the new records of one axis lie.
struct Placement {
  FilePeriod file;
  std::uint32_t axis = 0;
  AxisGrowth growth;
};

/// Owner → writers: the file will have no further records.
struct Closing {
  FilePeriod file;
  bool is_failed = false;      ///< the file cannot be written: drop its parts
  bool is_last = false;        ///< no later period of the file will have records either
  std::vector<Index> records;  ///< by axis
  /// Files of earlier periods are published or lost, or there are none: the owner speaks of them no more.
  std::int64_t first_open = INT64_MIN;
};

/// Owner → writers: how far an axis with compressed variables is.
struct Progress {
  FilePeriod file;
  std::uint32_t axis = 0;
  Index certain = 0;  ///< the file will have so many records at least, though nothing may have come of them
  Index written = 0;  ///< the compressed variables of so many are in the file
  /// To how many bits these are rounded, where that was asked by PackedPart::pairs.
  struct Learned {
    std::uint32_t variable = 0;  ///< of the file
    Index record = 0;
    std::int32_t bits = 0;  ///< of the fraction; 0: all
    bool is_final = false;  ///< of all records; else of this one alone, as it says nothing of others
  };
  std::vector<Learned> learned = {};
  /// Which records are written, where that was asked by PackedPart::difference. Where each chunk is written
  /// for itself: that the record is there, so that its writers may decide.
  struct Decided {
    std::uint32_t variable = 0;  ///< of the file
    Index record = 0;
    bool is_written = false;  ///< else the one before stands for it
    double time_s = 0;        ///< of the record, where each chunk is written for itself
  };
  std::vector<Decided> decided = {};
};

/// Parts of a model rank that never came and were filled with missing values.
struct MissingPart {
  std::uint32_t variable = 0;  ///< of the file
  ClientRank client = 0;
  Region region;  ///< what the model rank holds of it
  Index records = 0;
  friend bool operator==(const MissingPart&, const MissingPart&) = default;
};

/// Writer → owner: every part of this server is on the disk, or one could not be written.
struct PartsDone {
  FilePeriod file;
  std::string error;  ///< "" if all went well
  std::vector<MissingPart> missing = {};
  bool is_full = false;  ///< the error is that there is no space on the disk
  PartOfFile part = {};  ///< that this server wrote, without its chunks; no name: it wrote none
};

/// Owner → writers: the state after a step is kept. What they write of these records, which the file will
/// have, is to be on the disk; then each of them answers.
struct Cut {
  FilePeriod file;
  std::int64_t step = 0;
  std::vector<Index> records;  ///< by axis
};

/// What later records of a chunk are compared with.
struct ComparedChunk {
  std::uint32_t variable = 0;  ///< of the file
  std::uint32_t chunk = 0;
  Bytes written = {};    ///< as the last one that was written is in the file, before it is compressed
  Bytes last = {};       ///< of the last one of all; empty where that was written
  double written_s = 0;  ///< when that was written, where chunks are written each for itself
};

void put(Encoder& out, const ComparedChunk& chunk);
/// Errors: TransportError.
ComparedChunk get_compared(Decoder& in);
/// Those of a file, by variable and chunk.
using ComparedChunks = std::map<std::pair<std::uint32_t, std::uint32_t>, ComparedChunk>;

/// Writer → owner: it is, or the file has failed.
struct CutSynced {
  FilePeriod file;
  std::int64_t step = 0;
  std::vector<MissingPart> missing;  ///< of the records of the cut
  std::vector<ComparedChunk> compared = {};
  PartOfFile part = {};  ///< that this server wrote, with the records of the cut
};

/// One folder, and a name in it.
bool is_name_of_part(const std::string& name);
void put(Encoder& out, const PartOfFile& part);
/// Errors: TransportError.
PartOfFile get_part_of_file(Decoder& in);

Bytes encode(const Placement& placement);
/// The same bytes, some 64 KiB at a time: those of a large growth are not in memory at once.
void encode_in_pieces(const Placement& placement, const std::function<void(const Bytes&)>& take);
Placement decode_placement(Decoder& in);
Bytes encode(const Closing& closing);
Closing decode_closing(Decoder& in);
Bytes encode(const Progress& progress);
Progress decode_progress(Decoder& in);
Bytes encode(const PartsDone& done);
PartsDone decode_parts_done(Decoder& in);
Bytes encode(const Cut& cut);
Cut decode_cut(Decoder& in);
Bytes encode(const CutSynced& synced);
CutSynced decode_cut_synced(Decoder& in);
void put(Encoder& out, const std::vector<MissingPart>& missing);
std::vector<MissingPart> get_missing(Decoder& in);
/// A part of a record for the file's owner to write, of a static variable of a file (static_part; the record
/// has its index in Plan::statics), or what of it lies in a chunk that another server
/// compresses, and the model rank that it is of.
struct Part {
  Record record;
  ClientRank client = 0;
  std::uint32_t chunk = 0;  ///< where it is compressed: index into Packing::chunks
  std::uint64_t lent = 0;   ///< what the sender holds until it is told that the part is not held; 0: nothing
};
Bytes encode(const Part& part, ServerFrame kind = ServerFrame::part);
/// The record's value shares `message`, which holds the bytes of `in`.
Part decode_part(Decoder& in, std::shared_ptr<const void> message);

/// Who has a part of a large static variable → owner of the file: it may be had, under this number.
struct StaticOffer {
  std::uint64_t number = 0, bytes = 0;
};
Bytes encode(const StaticOffer& offer);
StaticOffer decode_static_offer(Decoder& in);
/// Back: it may come.
Bytes encode_static_turn(std::uint64_t number);

/// Who compresses a chunk → owner: how it stands in the file.
struct PackedPart {
  FilePeriod file;
  Index record = 0;
  std::uint32_t variable = 0;  ///< index into FileDefinition::variables
  std::uint32_t chunk = 0;     ///< index into FileFormat::packed_regions
  PackedChunk packed;
  /// Instead of it: what is in the chunk, before numbers are rounded; empty: nothing is asked.
  BitPairs pairs = {};
  /// Or instead of it: how far it is from the one that was written.
  std::optional<Difference> difference = {};
  bool is_late = false;  ///< of the last record of the file, which another stands for so far
};
Bytes encode(const PackedPart& part);
PackedPart decode_packed_part(Decoder& in);

}  // namespace pileus
