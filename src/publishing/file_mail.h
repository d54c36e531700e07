#pragma once
// Reads what other servers say of files: each frame is decoded, checked against the Plan, and delivered.

#include <memory>

#include "messaging/messages.h"
#include "publishing/file_delivery.h"
#include "publishing/lent_parts.h"
#include "publishing/writer_shares.h"

namespace pileus {

class FileMail {
 public:
  /// All outlive it.
  FileMail(const Plan& plan, const WriterShares& shares, Messages& messages, LentParts& lent,
           FileDelivery& here)
      : plan_(plan), shares_(shares), messages_(messages), lent_(lent), here_(here) {}

  /// A frame of one of these kinds. The bytes of parts stay alive with `message`.
  /// Errors: TransportError if it cannot be meant.
  void take_part(ServerRank from, Decoder& in, std::shared_ptr<const void> message);
  void take_part_written(Decoder& in);
  void take_static_part(ServerRank from, Decoder& in, std::shared_ptr<const void> message);
  void take_static_offer(ServerRank from, Decoder& in);
  void take_static_turn(Decoder& in);
  void take_placement(Decoder& in);
  void take_progress(Decoder& in);
  void take_closing(Decoder& in);
  void take_packed(Decoder& in);
  void take_parts_done(ServerRank from, Decoder& in);
  void take_cut(Decoder& in);
  void take_cut_synced(Decoder& in);
  void take_client_end(Decoder& in);

 private:
  const Plan& plan_;
  const WriterShares& shares_;
  Messages& messages_;
  LentParts& lent_;
  FileDelivery& here_;
};

}  // namespace pileus
