#pragma once
// A record is w, 4 × 4 numbers of four model ranks with a quarter each, then m, one number of the owner.

#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "publishing/parts/part_writer.h"

namespace pileus::testing {

inline constexpr ClientRank kClients = 4;

inline Region quarter(ClientRank client) { return {{2 * (client % 2), 2 * (client / 2)}, {2, 2}}; }

/// The region of w, the first value, that each model rank holds.
inline std::vector<std::vector<Region>> regions_of_quarters() {
  std::vector<std::vector<Region>> regions;
  for (ClientRank client = 0; client < kClients; ++client) regions.push_back({quarter(client)});
  return regions;
}

/// w at (x, y) of a record is 100 record + 4 y + x, m is -record.
inline Record part_of_w(Index record, ClientRank client, std::int64_t period = 1) {
  const Region region = quarter(client);
  std::vector<double> values;
  for (Index y = 0; y < 2; ++y) {
    for (Index x = 0; x < 2; ++x) {
      values.push_back(static_cast<double>(100 * record + 4 * (region.start[1] + y) + region.start[0] + x));
    }
  }
  return {VariableId(0), {period, record, 0, 0, 0}, region, make_array(values, {2, 2}), nullptr};
}

inline Record m(Index record, std::int64_t period = 1) {
  const auto value = static_cast<double>(-record);
  return {VariableId(1), {period, record, 0, 0, 0}, {{}, {}}, make_array({value}, {}), nullptr};
}

inline Closing closed(Index records, std::int64_t period = 1) {
  return {{FileId(0), period}, false, false, {records}};
}

/// Memory that parts of records hold, as they hold a model rank's message.
class MemoryOfParts {
 public:
  Record given_to(Record part) {
    std::shared_ptr<int> memory = held_.lock();
    if (!memory) memory = std::make_shared<int>();
    held_ = memory;
    part.ballast = std::move(memory);
    return part;
  }
  /// Whether no part holds it any more.
  bool is_back() const { return held_.expired(); }

 private:
  std::weak_ptr<int> held_;
};

inline std::vector<double> as_numbers(const std::vector<std::byte>& bytes) {
  std::vector<double> numbers(bytes.size() / sizeof(double));
  if (!bytes.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

inline std::vector<std::string> texts_of(const std::vector<Wait>& waits) {
  std::vector<std::string> texts;
  for (const Wait& wait : waits) texts.push_back(wait.text);
  return texts;
}

}  // namespace pileus::testing
