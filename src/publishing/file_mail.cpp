#include "publishing/file_mail.h"

#include <utility>

#include "core/error.h"
#include "publishing/check_frames.h"

namespace pileus {

void FileMail::take_part(ServerRank from, Decoder& in, std::shared_ptr<const void> message) {
  Part part = decode_part(in, std::move(message));
  check(plan_, shares_.packing(), part);
  if (!shares_.has_part_here(part.record.variable, part.chunk))
    throw TransportError("a server sent a part of " + plan_[part.record.variable].name +
                         " that another one writes");
  std::shared_ptr<const void>& bytes = part.record.ballast;
  if (part.lent != 0) bytes = borrowed(messages_, from, part.lent, std::move(bytes));
  here_.part(std::move(part));
}

void FileMail::take_part_written(Decoder& in) { lent_.returned(in.get<std::uint64_t>()); }

void FileMail::take_static_part(ServerRank from, Decoder& in, std::shared_ptr<const void> message) {
  Part part = decode_part(in, std::move(message));
  check_static(plan_, part);
  here_.static_part(std::move(part), from);
}

void FileMail::take_static_offer(ServerRank from, Decoder& in) {
  here_.static_offer(from, decode_static_offer(in));
}

void FileMail::take_static_turn(Decoder& in) { here_.static_turn(in.get<std::uint64_t>()); }

void FileMail::take_placement(Decoder& in) {
  auto placement = std::make_shared<const Placement>(decode_placement(in));
  check(plan_, *placement);
  here_.place(std::move(placement));
}

void FileMail::take_progress(Decoder& in) {
  const Progress progress = decode_progress(in);
  check(plan_, progress);
  here_.progress(progress);
}

void FileMail::take_packed(Decoder& in) {
  PackedPart part = decode_packed_part(in);
  check(plan_, shares_.packing(), part);
  here_.packed(std::move(part));
}

void FileMail::take_closing(Decoder& in) {
  auto closing = std::make_shared<const Closing>(decode_closing(in));
  check(plan_, *closing);
  here_.close(std::move(closing));
}

void FileMail::take_parts_done(ServerRank from, Decoder& in) {
  PartsDone done = decode_parts_done(in);
  check(plan_, done);
  here_.parts_done(from, std::move(done));
}

void FileMail::take_cut(Decoder& in) {
  auto cut = std::make_shared<const Cut>(decode_cut(in));
  check(plan_, *cut);
  here_.cut(std::move(cut));
}

void FileMail::take_cut_synced(Decoder& in) {
  CutSynced synced = decode_cut_synced(in);
  check(plan_, synced);
  here_.cut_synced(std::move(synced));
}

void FileMail::take_client_end(Decoder& in) {
  const auto client = in.get<ClientRank>();
  check_client(plan_, client);
  here_.client_end(client);
}

}  // namespace pileus
