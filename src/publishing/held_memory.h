#pragma once
// The memory in their senders' budgets of parts that are compressed: kept until the record is in the file,
// wherever its bytes are by then, so that a slow disk holds up the model and not the servers. A record needs
// no part of a later step, so what keeps memory here never waits for what needs that memory.

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "files/file_frames.h"
#include "files/periods.h"
#include "plan/plan.h"

namespace pileus {

class HeldMemory {
 public:
  explicit HeldMemory(const Plan& plan)
      : plan_(plan), failed_(plan.files.size()), last_period_(plan.files.size(), INT64_MAX) {}

  /// Of a part of the record; nothing is kept for a record that its file will not have.
  void hold(VariableId variable, const RecordMark& mark, std::shared_ptr<const void> memory);
  /// What a file's owner says gives memory back.
  void take(const Progress& progress);
  void take(const Closing& closing);

  bool is_empty() const { return held_.empty(); }

 private:
  struct RecordOfAxis {
    FilePeriod file;
    std::uint32_t axis = 0;
    Index record = 0;
    friend auto operator<=>(const RecordOfAxis&, const RecordOfAxis&) = default;
  };

  const Plan& plan_;
  std::map<RecordOfAxis, std::vector<std::shared_ptr<const void>>> held_;
  std::vector<Periods> failed_;            ///< by file
  std::vector<std::int64_t> last_period_;  ///< by file
};

}  // namespace pileus
