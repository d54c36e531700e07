#pragma once
// The output files of the run before, as a run that continues has them. They follow from the entries of the
// checkpoint and the Plan of now, and are the same on every server.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "disk/file_system.h"
#include "files/file_layout.h"
#include "files/file_names.h"
#include "plan/plan.h"
#include "publishing/owner/file_state.h"
#include "publishing/owner/publications.h"
#include "publishing/owner/static_parts.h"
#include "state/state_entries.h"

namespace pileus {

/// How many bits of the fraction a variable keeps (learned_bits.h).
struct KnownBits {
  int bits = 0;             ///< 0: all
  std::int64_t period = 0;  ///< of the file with the record that said so; those before have nothing to round
};

struct ContinuedFiles {
  std::map<FileId, SeriesState> series;  ///< of files that the configuration still has
  std::set<FileId> same;                 ///< of these, those whose files are what they were: they go on
  std::map<FilePeriod, FileUnderWay> under_way;    ///< of these: to be laid out again
  std::map<FilePeriod, std::vector<Index>> begun;  ///< by axis: how many records these have already
  /// The numbers that the first records of files have in their schedules, which go on, by axis. These files
  /// begin anew because they are defined otherwise now, or did so in a run before.
  std::map<FilePeriod, std::vector<Index>> first_records;
  std::vector<std::string> not_continued;  ///< in words
  std::set<std::string> left_records;      ///< names of files under way that do not go on and have some
  Step after;                              ///< the run goes on after it
  Publications publications;               ///< of the run before
  KeptWholes statics;                      ///< what stands in its files without a time axis

  std::map<VariableId, KnownBits> learned;  ///< what these keep
  /// What later records of files under way are compared with.
  std::map<FilePeriod, ComparedChunks> compared = {};

  std::set<FileId> replacing;  ///< of these: each file replaces the one before, and there was one

  /// Tells whether the file could not be written before the checkpoint, or was replaced by a later one, so
  /// that its later records are dropped.
  bool is_over(FilePeriod file) const;
  /// The number of the record in the file, where its schedule says `record`.
  Index record_in_file(FilePeriod file, std::size_t axis, Index record) const;
};

/// `holes`: of all variables, what no model rank holds, as for file_definition.
/// Errors: TransportError if an entry is damaged.
ContinuedFiles continued_files(const Plan& plan, const StateEntries& entries, const Step& after,
                               const std::map<VariableId, std::string>& holes = {});

/// Files under way whose names have the last step of a run were perhaps published by the run before, when it
/// ended: then they have those names.
void find_published_names(ContinuedFiles& continued, const Plan& plan, const std::string& directory,
                          FileSystem& files);

/// Files that replace the one before: finds which of those under way the run before replaced by a later one.
/// Their records are gone, so they count as published.
void find_replaced(ContinuedFiles& continued, const Plan& plan, const std::string& directory,
                   FileSystem& files);

/// Tells whether the file that has this name is one that the run before published, and that is not complete
/// in the checkpoint. REQUIRES: the run may write it. Errors: OutputError.
bool may_be_replaced(const ContinuedFiles& continued, FileId file, const std::string& name,
                     const std::string& directory, FileSystem& files);

/// Tells whether a file that the run before published after its checkpoint has the name of this one.
/// `continued`: null for a fresh start. Errors: OutputError.
bool may_replace(const ContinuedFiles* continued, FilePeriod file, const FileNames& names, FileSystem& files);

/// Keeps a published file under another name if it has records from before the checkpoint, which the file
/// that takes its name has not. Errors: OutputError.
void keep_aside(const ContinuedFiles& continued, const std::string& directory, const std::string& name,
                FileSystem& files);

/// Tells whether the run may still write a file of this name. Files of earlier periods are never written
/// again.
bool may_be_written(const ContinuedFiles& continued, const Plan& plan, FileId file, const std::string& name);

/// Sentences about files under way whose records are gone.
std::vector<std::string> missing_sources(const ContinuedFiles& continued, const std::string& directory,
                                         FileSystem& files);

/// Removes the temporary files of this run in the directory but for those of the attempts `kept`, which
/// checkpoints refer to. What they were. Errors: OutputError.
std::vector<std::string> remove_leftovers(const std::string& directory, const std::string& run_id,
                                          const std::set<std::int32_t>& kept, FileSystem& files);

}  // namespace pileus
