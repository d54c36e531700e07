// What the servers tell each other of files, as it comes: read, checked, and handed to the strand.

#include <algorithm>
#include <memory>
#include <utility>

#include "messaging/frames.h"
#include "publishing/check_frames.h"
#include "publishing/publishing.h"

namespace pileus {

namespace {

/// The bytes of a part, whose sender is told when nobody needs them any more.
struct LentPart {
  LentPart(Messages& out, ServerRank sender, std::uint64_t room, std::shared_ptr<const void> bytes)
      : messages(out), to(sender), kept(std::move(bytes)) {
    Encoder encoder(frame);
    encoder.put(ServerFrame::part_written);
    encoder.put(room);
  }
  ~LentPart() {
    try {
      messages.send(to, std::move(frame));
    } catch (...) {
      return;  // no memory: the sender keeps its copy until the run, which is stopped for that, ends
    }
  }
  LentPart(const LentPart&) = delete;
  LentPart& operator=(const LentPart&) = delete;

  Messages& messages;
  ServerRank to;
  Bytes frame;
  std::shared_ptr<const void> kept;
};

}  // namespace

void Publishing::take_part(ServerRank from, Decoder& in, std::shared_ptr<const void> message) {
  auto part = std::make_shared<Part>(decode_part(in, std::move(message)));
  check(plan_, packing(), *part);
  if (part->room != 0) {
    Record& record = part->record;
    record.ballast = std::make_shared<LentPart>(messages_, from, part->room, std::move(record.ballast));
  }
  strand_.post([this, part] { writer_.add(std::move(part->record), part->client, part->chunk); });
}

void Publishing::take_part_written(Decoder& in) {
  const auto number = in.get<std::uint64_t>();
  strand_.post([this, number] { lent_.erase(number); });
}

void Publishing::take_static_part(Decoder& in, std::shared_ptr<const void> message) {
  auto part = std::make_shared<Part>(decode_part(in, std::move(message)));
  check_static(plan_, *part);
  strand_.post([this, part] { owner_.add_static(part->record, part->client); });
}

void Publishing::take_placement(Decoder& in) {
  auto placement = std::make_shared<Placement>(decode_placement(in));
  check(plan_, *placement);
  strand_.post([this, placement] { writer_.place(*placement); });
}

void Publishing::take_progress(Decoder& in) {
  const Progress progress = decode_progress(in);
  check(plan_, progress);
  strand_.post([this, progress] {
    writer_.progress(progress);
    rooms_.take(progress);
  });
}

void Publishing::take_packed(Decoder& in) {
  auto part = std::make_shared<PackedPart>(decode_packed_part(in));
  check(plan_, packing(), *part);
  strand_.post([this, part] { owner_.packed(std::move(*part)); });
}

void Publishing::take_closing(Decoder& in) {
  auto closing = std::make_shared<Closing>(decode_closing(in));
  check(plan_, *closing);
  strand_.post([this, closing] {
    writer_.close(*closing);
    rooms_.take(*closing);
  });
}

void Publishing::take_parts_done(ServerRank from, Decoder& in) {
  auto done = std::make_shared<PartsDone>(decode_parts_done(in));
  check(plan_, *done);
  strand_.post([this, from, done] {
    std::vector<ServerRank>& reported = done_[done->file];
    reported.push_back(from);
    if (reported.size() == writers_of(done->file.file).size()) done_.erase(done->file);
    owner_.parts_done(*done);
  });
}

void Publishing::take_cut(Decoder& in) {
  const Cut cut = decode_cut(in);
  check(plan_, cut);
  strand_.post([this, cut] { writer_.cut(cut); });
}

void Publishing::take_cut_synced(Decoder& in) {
  auto synced = std::make_shared<CutSynced>(decode_cut_synced(in));
  check(plan_, *synced);
  strand_.post([this, synced] { owner_.cut_synced(*synced); });
}

void Publishing::take_client_end(Decoder& in) {
  const auto client = in.get<ClientRank>();
  check_client(plan_, client);
  strand_.post([this, client] {
    writer_.end_client(client);
    owner_.client_ended(client);
  });
}

}  // namespace pileus
