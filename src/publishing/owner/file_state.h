#pragma once
// A checkpoint keeps of each series of output files where it stands, and of each file under way what is
// needed to lay it out again, byte for byte, in another run. It holds no data: those of the records that it
// names lie in the temporary file, on the disk, and never change.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/encoder.h"
#include "core/region.h"
#include "dropped/dropped_axes.h"
#include "files/file_frames.h"
#include "files/periods.h"
#include "files/remarks.h"
#include "formats/format.h"
#include "state/state_entries.h"
#include "time/record.h"

namespace pileus {

/// Bytes that lie together in the file.
struct FileRange {
  std::uint64_t offset = 0, length = 0;
  friend bool operator==(const FileRange&, const FileRange&) = default;
};

/// The places of a record's bytes, but for those of compressed variables, and their checksum.
struct RecordBytes {
  std::vector<FileRange> ranges;  ///< by offset
  std::uint32_t checksum = 0;     ///< of all of them, one after the other
  bool is_summed = false;
  friend bool operator==(const RecordBytes&, const RecordBytes&) = default;
};

/// One record of a file, in the order in which the file's axes gained theirs.
struct KeptRecord {
  std::uint32_t axis = 0;
  RecordMark mark;
  RecordBytes bytes = {};
  friend bool operator==(const KeptRecord&, const KeptRecord&) = default;
};

/// How a compressed chunk stands in a file, but for its bytes.
struct ChunkLayout {
  std::uint64_t size_bytes = 0;
  std::uint32_t skipped_filters = 0;
  std::uint32_t checksum = 0;
  std::optional<Loss> loss = {};
  std::optional<Audit> audit = {};
  friend bool operator==(const ChunkLayout&, const ChunkLayout&) = default;
};

/// A file that was not published yet.
struct FileUnderWay {
  std::uint64_t definition = 0;                  ///< definition_hash of it
  std::vector<FileAttribute> attributes;         ///< of the file: they stay those that it was begun with
  std::string temporary_name, final_name;        ///< in the directory of the files
  std::vector<std::string> axes;                 ///< names of their dimensions
  bool is_complete = false;                      ///< no record will follow
  std::optional<LastStep> last_step;             ///< with which it was complete; kept where the file has it
  DroppedRecords dropped;                        ///< records that were left out, where it is complete
  std::vector<KeptRecord> records;               ///< those of an axis have the numbers 0, 1, …
  std::vector<MissingPart> missing;              ///< of these records
  std::vector<std::vector<ChunkLayout>> chunks;  ///< by variable, of these records, one after the other
  std::uint64_t layout = 0;                      ///< LibraryFile::layout after them
  std::vector<PartOfFile> parts;                 ///< files of servers that have more of these records
  std::uint64_t needed_bytes = 0;                ///< a file that has them all is at least so long

  /// The numbers of records by axis. REQUIRES: no record's axis is above.
  std::vector<Index> counts(std::size_t axes) const;
};

/// The state of all files of one name in the configuration.
struct SeriesState {
  std::string names;                        ///< series_text of it
  std::uint64_t definition = 0;             ///< definition_hash of its files
  Bytes timeline;                           ///< FileTimeline::encode
  std::optional<std::int64_t> last_period;  ///< that was opened
  Periods published, failed;
};

/// The hash of everything in it but the attributes of the file.
std::uint64_t definition_hash(const FileDefinition& definition);
/// A text of everything that the names of the files follow from.
std::string series_text(const PlannedFile& file);

StateEntry entry_of(const PlannedFile& file, std::int64_t period, const FileUnderWay& state);
StateEntry entry_of(const PlannedFile& file, const SeriesState& state);

/// Kinds of these entries, and the keys. The key of a file under way begins with that of its series.
inline constexpr std::string_view kFileKind = "file", kSeriesKind = "series";
std::string file_key(const PlannedFile& file, std::int64_t period);
/// The series and the period. Errors: TransportError if it is no key of a file.
std::pair<std::string, std::int64_t> parse_file_key(const std::string& key);

/// Errors: TransportError that names the file, when the bytes are not those of entry_of.
FileUnderWay decode_file(const StateEntry& entry);
SeriesState decode_series(const StateEntry& entry);

/// FNV-1a, of bytes that follow those that gave `before`.
std::uint64_t hash_of(std::span<const std::byte> bytes, std::uint64_t before = 0xcbf29ce484222325U);

}  // namespace pileus
