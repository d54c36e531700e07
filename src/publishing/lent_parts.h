#pragma once
// Lent parts hold the memory of parts that other servers write, until such a server says that it does not
// hold the part any more.

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>

#include "exec/strand.h"
#include "messaging/messages.h"

namespace pileus {

/// All calls are thread-safe.
class LentParts {
 public:
  /// The table of what is lent belongs to the strand, which outlives it.
  explicit LentParts(Strand& strand) : strand_(strand) {}

  /// A number that the other server returns; 0: there is nothing to hold.
  std::uint64_t lend(std::shared_ptr<const void> memory);
  void returned(std::uint64_t number);

 private:
  Strand& strand_;
  std::atomic<std::uint64_t> count_ = 0;
  std::map<std::uint64_t, std::shared_ptr<const void>> lent_;  ///< by number
};

/// The bytes of a part that `lender` has lent under this number: it is told when nobody needs them any more.
std::shared_ptr<const void> borrowed(Messages& messages, ServerRank lender, std::uint64_t number,
                                     std::shared_ptr<const void> bytes);

}  // namespace pileus
