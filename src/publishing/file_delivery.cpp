#include "publishing/file_delivery.h"

#include <utility>

namespace pileus {

void FileDelivery::place(std::shared_ptr<const Placement> placement) {
  strand_.post([this, placement = std::move(placement)] { writer_.place(*placement); });
}

void FileDelivery::progress(const Progress& progress) {
  strand_.post([this, progress] {
    writer_.progress(progress);
    held_.take(progress);
  });
}

void FileDelivery::close(std::shared_ptr<const Closing> closing) {
  strand_.post([this, closing = std::move(closing)] {
    writer_.close(*closing);
    held_.take(*closing);
  });
}

void FileDelivery::cut(std::shared_ptr<const Cut> cut) {
  strand_.post([this, cut = std::move(cut)] { writer_.cut(*cut); });
}

void FileDelivery::parts_done(ServerRank from, PartsDone done) {
  strand_.post([this, from, done = std::move(done)] { owner_.parts_done(from, done); });
}

void FileDelivery::cut_synced(CutSynced synced) {
  strand_.post([this, synced = std::move(synced)] { owner_.cut_synced(synced); });
}

void FileDelivery::packed(PackedPart part) {
  strand_.post([this, part = std::move(part)]() mutable { owner_.packed(std::move(part)); });
}

void FileDelivery::part(Part part) {
  strand_.post([this, part = std::move(part)]() mutable {
    writer_.add(std::move(part.record), part.client, part.chunk);
  });
}

void FileDelivery::parts(Records records, ClientRank client) {
  strand_.post([this, records = std::move(records), client]() mutable {
    for (Record& record : records) writer_.add(std::move(record), client);
  });
}

void FileDelivery::static_part(Part part, ServerRank from) {
  strand_.post([this, part = std::move(part), from] {
    StaticParts::Done done;
    if (part.lent != 0) done = [this, from, number = part.lent] { turns_.done(from, number); };
    owner_.add_static(part.record, part.client, done);
  });
}

void FileDelivery::static_offer(ServerRank from, const StaticOffer& offer) {
  strand_.post([this, from, offer] { turns_.ask(from, offer.number, offer.bytes); });
}

void FileDelivery::static_turn(std::uint64_t number) {
  strand_.post([this, number] { sender_.send_in_turn(number); });
}

void FileDelivery::client_end(ClientRank client) {
  strand_.post([this, client] {
    writer_.end_client(client);
    owner_.client_ended(client);
  });
}

}  // namespace pileus
