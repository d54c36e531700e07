#pragma once
// Texts about what the files of an owner wait for. People who look at a run read them, and the end of a run
// does.

#include <string>
#include <vector>

#include "publishing/owner/file_maker.h"
#include "publishing/owner/owned_files.h"
#include "publishing/owner/static_parts.h"

namespace pileus {

/// Something that a file waits for besides the model.
struct FileWait {
  FilePeriod file;
  std::string text;                ///< ends before the names of `silent`, where there are some
  std::vector<ServerRank> silent;  ///< writers whose parts it waits for
  bool is_due = false;             ///< no record will follow
};

/// Each file that is due has one at least. By file and period.
std::vector<FileWait> waits_of(const OwnedFiles& book, const StaticParts& statics, const FileMaker& maker);

/// One line at least for each file that is under way.
std::vector<std::string> open_texts_of(const OwnedFiles& book, const StaticParts& statics,
                                       const FileMaker& maker);

}  // namespace pileus
