#include "publishing/owner/file_waits.h"

#include <algorithm>

namespace pileus {
namespace {

std::vector<ServerRank> silent_writers(const OwnedFiles& book, FilePeriod key, const OpenFile& file) {
  std::vector<ServerRank> silent;
  for (ServerRank writer : book.writers_of(key.file)) {
    if (std::ranges::count(file.reported, writer) == 0) silent.push_back(writer);
  }
  std::ranges::sort(silent);
  return silent;
}

/// Says what the file waits for besides the model and its writers; "" if for nothing.
std::string wait_text(FilePeriod key, const OpenFile& file, const OwnedFiles& book,
                      const StaticParts& statics, const FileMaker& maker) {
  if (file.is_finishing) return "waits for the disk, to be published";
  if (!statics.is_whole(key.file)) return statics.wait_text(key.file);
  if (file.before) return "waits for its records of the run before, which are copied";
  const bool is_growth = !file.changes.empty() && file.changes.front().is_growth;
  if (file.is_changing && is_growth) return "waits for the file library to make space for its records";
  if (file.is_changing) return "waits for the file library to write a compressed record";
  if (file.is_closing && !file.is_lost() && book.is_held_back(key))
    return "waits for the file of an earlier period, which it replaces";
  return file.changes.empty() || file.is_lost() ? "" : maker.lacking_chunks(key, file.changes.front());
}

}  // namespace

std::vector<std::string> open_texts_of(const OwnedFiles& book, const StaticParts& statics,
                                       const FileMaker& maker) {
  std::vector<std::string> texts;
  for (const auto& [key, file] : book.under_way()) {
    const std::string path = book.names().final_path(key) + ": ";
    const std::string wait = wait_text(key, file, book, statics, maker);
    const std::size_t silent = silent_writers(book, key, file).size();
    if (file.is_closing && silent > 0) {
      texts.push_back(path + "waits for " + std::to_string(silent) +
                      (silent == 1 ? " server to write its parts" : " servers to write their parts"));
    }
    if (!wait.empty()) texts.push_back(path + wait);
    if (wait.empty() && !file.is_closing) texts.push_back(path + "is not complete");
  }
  return texts;
}

std::vector<FileWait> waits_of(const OwnedFiles& book, const StaticParts& statics, const FileMaker& maker) {
  std::vector<FileWait> waits;
  for (const auto& [key, file] : book.under_way()) {
    const std::string path = book.names().final_path(key) + ": ";
    const std::string wait = wait_text(key, file, book, statics, maker);
    const bool is_due = file.is_complete;
    const std::vector<ServerRank> silent = silent_writers(book, key, file);
    const bool is_for_writers = file.is_closing && !silent.empty();
    if (is_for_writers) waits.push_back({key, path + "waits for the parts of ", silent, is_due});
    // Chunks that lack are with writers, or still in the model.
    if (!wait.empty() && (file.is_changing || (!is_for_writers && (file.is_closing || is_due)))) {
      waits.push_back({key, path + wait, {}, is_due});
    } else if (is_due && !is_for_writers) {
      waits.push_back({key, path + "waits for its turn", {}, is_due});
    }
  }
  return waits;
}

}  // namespace pileus
