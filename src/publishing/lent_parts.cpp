#include "publishing/lent_parts.h"

#include <utility>

#include "core/encoder.h"
#include "messaging/frames.h"

namespace pileus {
namespace {

/// The bytes of a part, whose sender is told when nobody needs them any more.
struct Borrowed {
  Borrowed(Messages& out, ServerRank lender, std::uint64_t number, std::shared_ptr<const void> bytes)
      : messages(out), to(lender), kept(std::move(bytes)) {
    Encoder encoder(frame);
    encoder.put(ServerFrame::part_written);
    encoder.put(number);
  }
  ~Borrowed() {
    try {
      messages.send(to, std::move(frame));
    } catch (...) {
      return;  // no memory: the sender holds its copy until the run, which is stopped for that, ends
    }
  }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;

  Messages& messages;
  ServerRank to;
  Bytes frame;
  std::shared_ptr<const void> kept;
};

}  // namespace

std::uint64_t LentParts::lend(std::shared_ptr<const void> memory) {
  if (!memory) return 0;
  const std::uint64_t number = ++count_;
  strand_.post([this, number, memory = std::move(memory)] { lent_.emplace(number, memory); });
  return number;
}

void LentParts::returned(std::uint64_t number) {
  strand_.post([this, number] { lent_.erase(number); });
}

std::shared_ptr<const void> borrowed(Messages& messages, ServerRank lender, std::uint64_t number,
                                     std::shared_ptr<const void> bytes) {
  return std::make_shared<Borrowed>(messages, lender, number, std::move(bytes));
}

}  // namespace pileus
