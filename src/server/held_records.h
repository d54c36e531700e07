#pragma once
// Counts the bytes of records that windows make, for as long as anybody needs them, on their way to files.

#include <memory>
#include <utility>

#include "core/arena.h"
#include "plan/plan.h"
#include "report/activity.h"
#include "time/record_sink.h"

namespace pileus {

class HeldRecords : public RecordSink {
 public:
  /// REQUIRES: what is passed outlives it and every record.
  HeldRecords(const Plan& plan, Gauge& held, RecordSink& next) : plan_(plan), held_(held), next_(next) {}

  void add(Records records, ClientRank client) override { next_.add(counted(std::move(records)), client); }
  void add_static(Record record, ClientRank client) override { next_.add_static(std::move(record), client); }
  void end_client(ClientRank client) override { next_.end_client(client); }

 private:
  struct Numbers {
    Numbers(std::shared_ptr<const std::byte> numbers, std::int64_t size, Gauge& gauge)
        : bytes(std::move(numbers)), size_bytes(size), held(gauge) {
      held.add(size_bytes);
    }
    ~Numbers() { held.take_away(size_bytes); }
    Numbers(const Numbers&) = delete;
    Numbers& operator=(const Numbers&) = delete;

    std::shared_ptr<const std::byte> bytes;
    std::int64_t size_bytes;
    Gauge& held;
  };

  /// The records' numbers count as held until the last who shares them is gone. Those of a sample are not its
  /// own and do not count.
  Records counted(Records records) {
    constexpr std::size_t kSharedBytes = sizeof(Numbers) + 8 * sizeof(void*);  // and who counts its owners
    const ArenaAllocator<Numbers> all_in_one(std::make_shared<Arena>(records.size() * kSharedBytes));
    for (Record& record : records) {
      const bool is_sample = !plan_[plan_[record.variable].schedule].manipulation.covers_window();
      if (!record.value || is_sample) continue;
      Array& array = *record.value;
      const std::byte* const first = array.bytes.get();
      const auto size = static_cast<std::int64_t>(array.size_bytes());
      array.bytes = {std::allocate_shared<Numbers>(all_in_one, std::move(array.bytes), size, held_), first};
    }
    return records;
  }

  const Plan& plan_;
  Gauge& held_;
  RecordSink& next_;
};

}  // namespace pileus
