#pragma once
// Which records are written of variables that only write what differs from the last record that was. All
// servers compare their chunks, the owner of the file adds up what they found, exactly, and tells them. It
// follows from the values and the clock alone. Belongs to the strand of the owner.

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "files/owner_and_writers.h"
#include "publishing/owner/owned_files.h"

namespace pileus {

inline constexpr const char* kComparedKind = "compared records";

/// As a checkpoint has it, under the file's key.
StateEntry entry_of(const PlannedFile& file, std::int64_t period, const ComparedChunk& chunk);
/// Errors: TransportError.
ComparedChunks compared_chunks(const StateEntries& entries, const PlannedFile& file, std::int64_t period);

class SelectedRecords {
 public:
  /// All outlive it.
  SelectedRecords(OwnedFiles& book, const FileFormat& format, FileWriters& writers)
      : book_(book), format_(format), writers_(writers) {}

  /// A record that the clock brings, in its order; its mark is in the book.
  void add_record(FilePeriod key, std::uint32_t axis, Index record);
  /// The difference of a chunk; it may come before the clock's word of the record.
  void add(const PackedPart& compared);
  void forget(FilePeriod key) { files_.erase(key); }

 private:
  struct Counted {
    std::set<std::uint32_t> chunks;
    Difference difference;
  };
  struct Series {
    bool is_begun = false;
    double written_s = 0;                          ///< the time of the record that was written last
    std::deque<std::pair<Index, double>> records;  ///< to be decided, and their times
    std::map<Index, Counted> counted;
  };
  double last_written_s(FilePeriod key, std::uint32_t variable, Index before) const;
  void decide(FilePeriod key, std::uint32_t variable, Series& series);

  OwnedFiles& book_;
  const FileFormat& format_;
  FileWriters& writers_;
  std::map<FilePeriod, std::map<std::uint32_t, Series>> files_;
};

}  // namespace pileus
