#pragma once
// Carries what owners and writers of files say to each other from this server to those that it concerns: a
// frame to other servers, a task to this one.

#include "messaging/messages.h"
#include "publishing/file_delivery.h"
#include "publishing/writer_shares.h"

namespace pileus {

class FilePost : public FileWriters, public FileOwners {
 public:
  /// All outlive it.
  FilePost(const Plan& plan, const WriterShares& shares, Messages& messages, FileDelivery& here)
      : plan_(plan), shares_(shares), messages_(messages), here_(here) {}

  void place(const Placement& placement) override;
  void progress(const Progress& progress) override;
  void close(const Closing& closing) override;
  void cut(const Cut& cut) override;

  void parts_done(PartsDone done) override;
  void cut_synced(CutSynced synced) override;
  void packed(PackedPart part) override;

 private:
  template <class Said>
  bool tell_others(const Said& said);
  ServerRank owner_of(FilePeriod file) const { return plan_[file.file].owner; }

  const Plan& plan_;
  const WriterShares& shares_;
  Messages& messages_;
  FileDelivery& here_;
};

}  // namespace pileus
