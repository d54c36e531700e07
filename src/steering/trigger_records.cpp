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
