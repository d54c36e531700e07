#pragma once
// Brings what owners and writers of files say to those of them that are on this server. Each call becomes a
// task on their strand, in the order of the calls.

#include <memory>

#include "exec/strand.h"
#include "publishing/held_memory.h"
#include "publishing/owner/file_owner.h"
#include "publishing/parts/part_writer.h"
#include "publishing/static_turns.h"

namespace pileus {

/// Thread-safe. Others may hold the same values too, so nobody changes them.
class FileDelivery {
 public:
  /// All outlive it; they need not be made before the first call.
  FileDelivery(Strand& strand, FileOwner& owner, PartWriter& writer, HeldMemory& held, StaticSender& sender,
               StaticTurns& turns)
      : strand_(strand), owner_(owner), writer_(writer), held_(held), sender_(sender), turns_(turns) {}

  void place(std::shared_ptr<const Placement> placement);
  void progress(const Progress& progress);
  void close(std::shared_ptr<const Closing> closing);
  void cut(std::shared_ptr<const Cut> cut);

  void parts_done(ServerRank from, PartsDone done);
  void cut_synced(CutSynced synced);
  void packed(PackedPart part);

  void part(Part part);
  /// Records of variables that this server writes.
  void parts(Records records, ClientRank client);
  /// `from`: the server that sent it.
  void static_part(Part part, ServerRank from);
  void static_offer(ServerRank from, const StaticOffer& offer);
  void static_turn(std::uint64_t number);
  void client_end(ClientRank client);

 private:
  Strand& strand_;
  FileOwner& owner_;
  PartWriter& writer_;
  HeldMemory& held_;
  StaticSender& sender_;
  StaticTurns& turns_;
};

}  // namespace pileus
