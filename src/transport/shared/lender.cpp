#include "transport/shared/lender.h"

#include <unistd.h>

#include <cstring>

#include "core/error.h"
#include "core/log.h"

namespace pileus {

void LentBytes::copy(std::span<std::byte> to) const {
  if (here != nullptr) {
    std::memcpy(to.data(), here, to.size());
  } else if (!copy_from(lender, there, to)) {
    throw TransportError("the array cannot be read any more; has the process ended?");
  }
}

bool Lender::is_readable(const CopyProbe& probe) {
  probe_ = probe;
  const CopyProbe own = own_copy_probe();
  const bool is_this_process = probe.word != 0 && probe.word == own.word && probe.process == own.process;
  reach_ = is_this_process ? Reach::all : may_copy_from(probe) ? Reach::copies : Reach::nothing;
  return reach_ != Reach::nothing;
}

bool Lender::open(const MemoryAddress& address) {
  try {
    auto memory = std::make_shared<SharedMemory>(address, SharedMemory::Use::reading);
    memory->close();
    memories_[address.token] = std::move(memory);
    return true;
  } catch (const TransportError& error) {
    log::debug(std::string(error.what()) + "; arrays there are copied");
    return false;
  }
}

LentBytes Lender::bytes_of(const Loan& loan, std::size_t size_bytes) const {
  if (loan.memory != 0) {
    const auto memory = memories_.find(loan.memory);
    if (memory == memories_.end()) throw TransportError("an array is lent in memory that nobody knows");
    const std::span<const std::byte> bytes = memory->second->bytes();
    if (loan.offset > bytes.size() || size_bytes > bytes.size() - loan.offset)
      throw TransportError("an array is lent where there is no memory for it");
    return {bytes.data() + loan.offset, memory->second};
  }
  if (reach_ == Reach::nothing) throw TransportError("an array is lent that cannot be read here");
  if (reach_ == Reach::copies) return {nullptr, nullptr, probe_, loan.address};
  return {reinterpret_cast<const std::byte*>(static_cast<std::uintptr_t>(loan.address))};
}

}  // namespace pileus
