#include "steering/trigger_records.h"

#include <cmath>
#include <utility>

#include "math/sample.h"
#include "messaging/trigger_frame.h"

namespace pileus {
namespace {

/// What has no value does not hold.
bool holds(const Record& record) {
  if (!record.value || record.value->size() != 1) return false;
  const double number = to_doubles(*record.value).front();
  return !std::isnan(number) && number != 0;
}

}  // namespace

TriggerRecords::TriggerRecords(const Plan& plan, Messages& messages, RecordSink& next)
    : messages_(messages), next_(next) {
  for (const PlannedTrigger& trigger : plan.triggers)
    for (const VariableId variable : {trigger.when, trigger.until})
      if (variable.is_valid()) conditions_.insert(variable);
  for (const VariableId variable : conditions_)
    if (plan[plan[variable].value].spread == Spread::same) of_rank_zero_.insert(variable);
}

/// The rank is done, or given up in the middle of the run, which goes on without it.
void TriggerRecords::end_client(ClientRank client) {
  if (client == 0) {
    for (const VariableId variable : of_rank_zero_)
      messages_.send(0, TriggerFrame{variable, 0, 0, false, true}.encode());
  }
  next_.end_client(client);
}

void TriggerRecords::add(Records records, ClientRank client) {
  for (const Record& record : records) {
    if (!conditions_.contains(record.variable)) continue;
    messages_.send(
        0, TriggerFrame{record.variable, record.mark.period, record.mark.record, holds(record)}.encode());
  }
  next_.add(std::move(records), client);
}

}  // namespace pileus
