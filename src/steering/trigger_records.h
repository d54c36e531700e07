#pragma once
// Reads the conditions of triggers from their records, on the way to files, and tells server 0.

#include <set>

#include "messaging/messages.h"
#include "plan/plan.h"
#include "time/record_sink.h"

namespace pileus {

class TriggerRecords : public RecordSink {
 public:
  /// REQUIRES: what is passed outlives it.
  TriggerRecords(const Plan& plan, Messages& messages, RecordSink& next);

  void add(Records records, ClientRank client) override;
  void add_static(Record record, ClientRank client) override { next_.add_static(std::move(record), client); }
  void end_client(ClientRank client) override;

 private:
  Messages& messages_;
  RecordSink& next_;
  std::set<VariableId> conditions_;
  std::set<VariableId> of_rank_zero_;  ///< those of them that its stream makes
};

}  // namespace pileus
