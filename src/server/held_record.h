#pragma once
// Counts the bytes of records that windows make for as long as anybody needs them.

#include <memory>
#include <utility>

#include "core/arena.h"
#include "plan/plan.h"
#include "report/activity.h"
#include "time/record.h"

namespace pileus {

/// The records, whose numbers count as held until the last who shares them is gone. Those of a sample are not
/// their own and do not count.
/// REQUIRES: the gauge outlives them.
inline Records held_in(Gauge& gauge, const Plan& plan, Records records) {
  struct Held {
    Held(std::shared_ptr<const std::byte> numbers, std::int64_t size, Gauge& gauge)
        : bytes(std::move(numbers)), size_bytes(size), held(gauge) {
      held.add(size_bytes);
    }
    ~Held() { held.take_away(size_bytes); }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;

    std::shared_ptr<const std::byte> bytes;
    std::int64_t size_bytes;
    Gauge& held;
  };
  constexpr std::size_t kSharedHeldBytes = sizeof(Held) + 8 * sizeof(void*);  // and who counts its owners
  const ArenaAllocator<Held> all_in_one(std::make_shared<Arena>(records.size() * kSharedHeldBytes));
  for (Record& record : records) {
    const bool is_sample = !plan[plan[record.variable].schedule].manipulation.covers_window();
    if (!record.value || is_sample) continue;
    Array& array = *record.value;
    const std::byte* const first = array.bytes.get();
    const auto size = static_cast<std::int64_t>(array.size_bytes());
    array.bytes = {std::allocate_shared<Held>(all_in_one, std::move(array.bytes), size, gauge), first};
  }
  return records;
}

}  // namespace pileus
