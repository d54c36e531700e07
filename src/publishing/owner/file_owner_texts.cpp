// What files wait for, in words.

#include <utility>

#include "publishing/owner/file_owner.h"

namespace pileus {

/// What the file waits for but the model and its writers; "" if for nothing.
std::string FileOwner::wait_text(FilePeriod key, const OpenFile& file) const {
  if (file.is_finishing) return "waits for the disk, to be published";
  if (!whole_.contains(key.file)) return statics_.wait_text(key.file);
  if (file.before) return "waits for its records of the run before, which are copied";
  const bool is_growth = !file.changes.empty() && file.changes.front().is_growth;
  if (file.is_changing && is_growth) return "waits for the file library to make room for its records";
  if (file.is_changing) return "waits for the file library to write a compressed record";
  return file.changes.empty() || !file.error.empty() ? "" : lacking_chunks(key, file.changes.front());
}

/// REQUIRES: the change is a record of compressed variables.
std::string FileOwner::lacking_chunks(FilePeriod key, const FileChange& change) const {
  const PackedChunks* chunks = nullptr;
  if (const auto of_file = packed_.find(key); of_file != packed_.end()) {
    const auto found = of_file->second.find({change.axis, change.records});
    if (found != of_file->second.end()) chunks = &found->second;
  }
  const auto& variables = definitions_.at(key.file).variables;
  std::string text;
  for (std::uint32_t v = 0; v < variables.size(); ++v) {
    if (variables[v].axis != change.axis) continue;
    std::size_t lacking = chunk_counts_.at(key.file)[v];
    for (std::uint32_t c = 0; chunks && c < chunk_counts_.at(key.file)[v]; ++c)
      lacking -= chunks->count({v, c});
    if (lacking == 0) continue;
    text += (text.empty() ? "waits for " : " and ") + std::to_string(lacking) +
            (lacking == 1 ? " chunk of " : " chunks of ") + variables[v].name;
  }
  return text + " of record " + std::to_string(change.records);
}

std::vector<std::string> FileOwner::open_texts() const {
  std::vector<std::string> texts;
  for (const auto& [key, file] : open_) {
    const std::string path = final_path(key) + ": ";
    const std::string wait = wait_text(key, file);
    if (file.is_closing && file.writers_missing > 0) {
      texts.push_back(
          path + "waits for " + std::to_string(file.writers_missing) +
          (file.writers_missing == 1 ? " server to write its parts" : " servers to write their parts"));
    }
    if (!wait.empty()) texts.push_back(path + wait);
    if (wait.empty() && !file.is_closing) texts.push_back(path + "is not complete");
  }
  for (std::string& text : cuts_.open_texts()) texts.push_back(std::move(text));
  return texts;
}

std::vector<FileOwner::FileWait> FileOwner::waits() const {
  std::vector<FileWait> waits;
  for (const auto& [key, file] : open_) {
    const std::string path = final_path(key) + ": ", wait = wait_text(key, file);
    const bool is_due = file.is_complete;
    const bool is_for_writers = file.is_closing && file.writers_missing > 0;
    if (is_for_writers) waits.push_back({key, path + "waits for the parts of ", true, is_due});
    // Chunks that lack are with writers, or still in the model.
    if (!wait.empty() && (file.is_changing || (!is_for_writers && (file.is_closing || is_due)))) {
      waits.push_back({key, path + wait, false, is_due});
    } else if (is_due && !is_for_writers) {
      waits.push_back({key, path + "waits for its turn", false, is_due});
    }
  }
  return waits;
}

}  // namespace pileus
