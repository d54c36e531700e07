#include "publishing/file_post.h"

#include <memory>
#include <utility>

namespace pileus {

/// Tells whether this server is a writer of the file too.
template <class Said>
bool FilePost::tell_others(const Said& said) {
  Bytes frame;
  bool is_for_us = false;
  for (ServerRank writer : shares_.writers_of(said.file.file)) {
    if (writer == shares_.self()) {
      is_for_us = true;
      continue;
    }
    if (frame.empty()) frame = encode(said);
    messages_.send(writer, frame);
  }
  return is_for_us;
}

void FilePost::place(const Placement& placement) {
  if (tell_others(placement)) here_.place(std::make_shared<const Placement>(placement));
}

void FilePost::progress(const Progress& progress) {
  if (tell_others(progress)) here_.progress(progress);
}

void FilePost::close(const Closing& closing) {
  if (tell_others(closing)) here_.close(std::make_shared<const Closing>(closing));
}

void FilePost::cut(const Cut& cut) {
  if (tell_others(cut)) here_.cut(std::make_shared<const Cut>(cut));
}

void FilePost::parts_done(PartsDone done) {
  const ServerRank owner = owner_of(done.file);
  if (owner != shares_.self()) return messages_.send(owner, encode(done));
  here_.parts_done(owner, std::move(done));
}

void FilePost::cut_synced(CutSynced synced) {
  const ServerRank owner = owner_of(synced.file);
  if (owner != shares_.self()) return messages_.send(owner, encode(synced));
  here_.cut_synced(std::move(synced));
}

void FilePost::packed(PackedPart part) {
  const ServerRank owner = owner_of(part.file);
  if (owner != shares_.self()) return messages_.send(owner, encode(part));
  here_.packed(std::move(part));
}

}  // namespace pileus
