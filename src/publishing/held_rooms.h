#pragma once
// The room in their senders' memory budgets of parts that are compressed: kept until the record is in the
// file, wherever its bytes are by then, so that a slow disk holds up the model and not the servers' memory.
// A record needs no part of a later step, so what keeps room here never waits for what needs that room.

#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "files/file_frames.h"
#include "plan/plan.h"

namespace pileus {

class HeldRooms {
 public:
  explicit HeldRooms(const Plan& plan) : plan_(plan), last_period_(plan.files.size(), INT64_MAX) {}

  /// Of a part of the record; nothing is kept for a record that its file will not have.
  void hold(VariableId variable, const RecordMark& mark, std::shared_ptr<const void> room);
  /// What a file's owner says gives rooms back.
  void take(const Progress& progress);
  void take(const Closing& closing);

  bool is_empty() const { return rooms_.empty(); }

 private:
  struct Place {
    FilePeriod file;
    std::uint32_t axis = 0;
    Index record = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
  };

  const Plan& plan_;
  std::map<Place, std::vector<std::shared_ptr<const void>>> rooms_;
  std::set<FilePeriod> failed_;
  std::vector<std::int64_t> last_period_;  ///< by file
};

}  // namespace pileus
