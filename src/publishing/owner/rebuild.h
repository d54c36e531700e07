#pragma once
// A file under way, laid out once more in another run: the library is called as it was then, and the bytes of
// the records are copied from what that run left. It need not be readable: only the bytes of the records
// count, and these were on the disk when the checkpoint was made.

#include <cstdint>
#include <string>
#include <vector>

#include "disk/file_system.h"
#include "formats/format.h"
#include "publishing/owner/file_state.h"
#include "publishing/owner/library_file.h"

namespace pileus {

/// The parts of servers that the file refers to are there, with all that it has of them. Errors: OutputError.
void require_parts(FileSystem& files, const std::string& directory, const FileUnderWay& state);

/// A compressed chunk that is there.
struct LaidChunk {
  std::string variable;
  Index record = 0;
  FileRange range;
  std::uint32_t checksum = 0;
};

/// The layout that is known once the library has made the file.
struct LaidOut {
  std::vector<std::vector<std::uint64_t>> time_offsets, bounds_offsets;  ///< by axis
  /// The places of records for which there is space and that are not there, by axis.
  std::vector<std::pair<std::uint32_t, AxisGrowth>> free;
  std::vector<FileRange> records;                ///< where the records lie that are there
  std::vector<LaidChunk> chunks;                 ///< likewise, of compressed variables
  std::vector<std::vector<std::uint64_t>> ends;  ///< by axis: record_ends
  std::vector<std::vector<RecordBytes>> bytes;   ///< by axis: record_ranges, with what the state knows
};

/// The end of each record of the growth, after which no byte of it lies.
std::vector<std::uint64_t> record_ends(const AxisGrowth& growth, const FileDefinition& definition);

/// The stretches in which the bytes of each record of the growth lie.
std::vector<std::vector<FileRange>> record_ranges(const AxisGrowth& growth, const FileDefinition& definition);

/// Reads these bytes: their checksum.
std::uint32_t checksum_of(SourceFile& file, const std::vector<FileRange>& ranges);

/// Errors: OutputError that names the file and the record, if one of `state` is not what the run before
/// wrote.
void require_records(FileSystem& files, const std::string& path, const FileUnderWay& state);
/// The same for compressed variables.
void require_chunks(FileSystem& files, const std::string& path, const std::vector<LaidChunk>& chunks);

/// Errors: OutputError, also if `state` cannot be of such a file, or the layout is another.
LaidOut lay_out_again(LibraryFile& library, FileFormat& format, const std::string& path,
                      const FileDefinition& definition, const FileUnderWay& state);

/// Copies these bytes, at most 1 MiB at a time, and syncs them.
void copy_ranges(FileSystem& files, const std::string& from, const std::string& to,
                 const std::vector<FileRange>& ranges);

/// Finds the file that has the records: the temporary one, or the one that was published after the
/// checkpoint. Errors: OutputError that says what to do if it is neither.
std::string source_of(FileSystem& files, const std::string& directory, const FileUnderWay& state,
                      std::int64_t step);
/// Under which a published file is kept that has records from before the checkpoint after `step`, where the
/// file that takes its name has not.
std::string name_aside(const std::string& name, std::int64_t step);

/// Tells whether two files have the same bytes.
bool are_equal(FileSystem& files, const std::string& one, const std::string& other);

}  // namespace pileus
