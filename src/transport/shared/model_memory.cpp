#include "transport/shared/model_memory.h"

#include <sys/mman.h>

#include <cstdint>
#include <new>
#include <utility>

#include "core/error.h"
#include "core/log.h"

namespace pileus {
namespace {

constexpr std::size_t kModelPage = 4096;
constexpr std::uint64_t kModels = 0x5049'4c45'5553'4d4d;

}  // namespace

/// Lies in the page before the memory. Other processes open it to read alone.
struct ModelMemory::Header {
  std::uint64_t is_models = kModels;
  std::byte* first = nullptr;
  std::shared_ptr<ModelMemory> models;  ///< keeps it as long as the model has it
};

std::shared_ptr<ModelMemory> ModelMemory::make(std::size_t bytes, bool is_to_share) {
  std::shared_ptr<ModelMemory> memory(new ModelMemory(bytes, is_to_share));
  new (memory->page_) Header{kModels, memory->first(), memory};
  return memory;
}

ModelMemory::ModelMemory(std::size_t bytes, bool is_to_share) {
  if (bytes > SIZE_MAX / 2) throw std::bad_alloc();
  size_ = kModelPage + (bytes + kModelPage - 1) / kModelPage * kModelPage;
  try {
    if (is_to_share) shared_ = std::make_unique<SharedMemory>(size_);
  } catch (const TransportError& error) {
    log::debug(std::string(error.what()) + "; the model's arrays there are copied");
  }
  if (shared_) {
    page_ = shared_->bytes().data();
    return;
  }
  void* const place = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) throw std::bad_alloc();
  page_ = static_cast<std::byte*>(place);
}

ModelMemory::~ModelMemory() {
  if (!shared_) munmap(page_, size_);
}

std::byte* ModelMemory::first() const { return page_ + kModelPage; }

bool ModelMemory::has(const void* first, std::size_t bytes) const {
  const auto begin = reinterpret_cast<std::uintptr_t>(this->first()), end = begin + (size_ - kModelPage);
  const auto place = reinterpret_cast<std::uintptr_t>(first);
  return place >= begin && place <= end && bytes <= end - place;
}

std::optional<MemoryAddress> ModelMemory::address() const {
  return shared_ ? std::optional(shared_->address()) : std::nullopt;
}

std::size_t ModelMemory::offset_of(const void* first) const {
  return static_cast<std::size_t>(static_cast<const std::byte*>(first) - page_);
}

ModelMemory::Header* ModelMemory::header() const { return reinterpret_cast<Header*>(page_); }

bool ModelMemory::give_back(void* first) noexcept {
  if (first == nullptr || reinterpret_cast<std::uintptr_t>(first) % kModelPage != 0) return false;
  auto* const header = reinterpret_cast<Header*>(static_cast<std::byte*>(first) - kModelPage);
  if (header->is_models != kModels || header->first != first || !header->models) return false;
  const std::shared_ptr<ModelMemory> memory = std::move(header->models);
  header->~Header();
  header->is_models = 0;
  memory->is_given_back_.store(true, std::memory_order_release);
  return true;
}

}  // namespace pileus
