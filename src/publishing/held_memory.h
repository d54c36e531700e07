#pragma once
// The memory that compressed parts take in their senders' budgets. It is held until the record is in the
// file, wherever its bytes are by then, so that a slow disk holds up the model and not the servers. A record
// needs no part of a later step, so nothing that holds memory here waits for what needs that memory.

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

  /// Holds the memory of a part of the record, but not for a record that its file will not have.
  void hold(VariableId variable, const RecordMark& mark, std::shared_ptr<const void> memory);
  /// Gives memory back, as far as the words of the file's owner allow it.
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
